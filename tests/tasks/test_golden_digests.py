"""The examples of every task are those that the committed rows were trained on, in blocks of any size and in any order."""

import json
from pathlib import Path

import numpy as np
import pytest

from seqsep.tasks import (
    AssociativeRecall,
    BoundedDyck,
    Counting,
    Disjointness,
    Equality,
    FlipFlop,
    IndexLookup,
    InductionHeads,
    IsTree,
    ModularCount,
    MultiQueryRecall,
    NearestNeighbor,
    NgramRetrieval,
    ParityConditionedRecall,
    PermutationTrace,
    RegularLanguage,
    SelectiveCopying,
    SparseThreshold,
    StateBasedRecall,
    WordProblem,
)
from support.task_examples import EXAMPLES, digest

RESULTS = Path(__file__).parents[2] / "results"
GOLDEN = {
    AssociativeRecall(20): "fce93901508b670a82ad715c8023154d892843f1cf20f3ccdb13da92c41da577",
    AssociativeRecall(12, keys=40, values=5): "13e14cc7c28f47461e61c863a9818f96169af358380de80b7e1126e5fa03991d",
    BoundedDyck(30): "ef659a6f4ead54d4bb0e115e68b026ae42d83ccd266741e9b6e50362790a0950",
    Counting(20): "3d9de34594f505caf37f7729d251648d6f02d875395709f6d37ad638e9abba52",
    Counting(30, alphabet=6, thresholds=9): "3fe9bd0adcc59998f679175e29b89a0bf3c274fa5b90a755742524bcb886d751",
    Disjointness(20): "b5672b3845c6b8fb44aba1dfec978b95623ca798610ed4533810188310f787f6",
    Equality(20): "8ab160d71648d0c80445ca4caea6beaad386a684ca28c0ab09b46dbc9cd407e7",
    Equality(20, "one"): "d456f9a4e9afc4a0f93c98b93df3841ddf68b797f7433724cbd240759f425c9b",
    Equality(20, "next"): "5e9bc890b9952855cdcc0c2d183b8ac2d0ffb3029b78dcfbc59b179245fd4471",
    IndexLookup(20): "4840566b15be7a31bee682f506d756924a92a133c574554f39cf4803e9cb68fd",
    IsTree(20): "a642432b2f79f501e490e15df905a4145c178dc9c07d6ecdef91b209058cac38",
    IsTree(5, "cot"): "b88ce1b56b0caec94f34f17537e6709a4d8dc7243021c94ecd8304f75a0a5d3e",
    IsTree(6, "peel", "uniform"): "4ecadf42766fa93e5455ae80e98a04da9f37e7f017ef986fa4f116244bdff878",
    IsTree(5, "retrieval"): "05147ca7c253c9507db982975c2388d1e393688e16fe98dfb1330218d4982dcb",
    IsTree(5, "walk", "uniform"): "628b833e2953ccc7850d01b0f7dbb21c2942a301d713dda7878121b3c769e773",
    MultiQueryRecall(20): "7a61b536ebae102a340695153cef5f6c0395b00db08792edcaa391709dd89ad0",
    MultiQueryRecall.zoology(64, 4): "8a4fc91dbea4a0fac3424a3feca919b97956af2331f2ef4da65f1958971245de",
    MultiQueryRecall.zoology(
        32, 8, 64, random_non_queries=False
    ): "964645c3c6732acf43711324c98bfa80a4a5f6550fef38d2ccfb6c125806ec80",
    NearestNeighbor(20): "cb4e7a794151570d8d0957f329628ab4973659c126d5bbd1377a1728aab68709",
    NearestNeighbor(
        12, dimension=5, classes=3, margin=0.02
    ): "a612f55df55f672747011a7ee0656cf5ba56858fd7c0e7edba7cf30835b63c0b",
    NgramRetrieval(20): "506fcb434aa8bd97f9ae4825b72e287275beb7cbb08b6c6ad528c5c35015dc8a",
    NgramRetrieval(12, gram=2, alphabet=5, least_length=4): "ecd4dc4250bf61cae4129b16e4959692991f7823c57d609918eba4a5ce593eb5",
    SparseThreshold(20): "3b9d0ee8c8cb54b639dc9e363f52866138532ab5af3fa319ecac413a855a6e1a",
    SparseThreshold(
        40, features=60, sparsity=2, function_seed=4
    ): "90dde46cb9acc7704667b695d6753841a5542ab99feb821365c191b1faeb626c",
    SparseThreshold(
        5, formula="p cnf 5 4\n1 -2 0\n3 4 -5 0\n2 5 0\n-4 1 0\n"
    ): "4a67c466aff628d0ce61037e298289ae71142359b851d13b2824ab1d56d08fb4",
    FlipFlop(12): "37ed7c535b2a12bef966c81a2d054d4eeca8ca04582d2654beffa3cd36bce9d0",
    FlipFlop(9, registers=3, values=4, ignored=30): "3517ba55a408a2cc429266b3839618bffacf5bffb0d1b54ea99e5a96d6d250bd",
    InductionHeads(12): "e734c5083f526366eeed86d1a84e3e92d09f88d5ce99728a6e8e7baaa8ed9b0a",
    ModularCount(12, modulus=3): "178ed561d192a4417266629e1affa8086cc419ff9b3e6aa55354204e3e22bc72",
    ModularCount(9, 5, 3, "last"): "5acd761e9074e35c1c5f31b5e6564c3fa8859917f68b6f843e112bf0a3fbb936",
    ParityConditionedRecall(12): "0c7b690bafa8b224633179f984c8b7a77fb3023690553517c9173a0225421749",
    ParityConditionedRecall(9, 5, "fixed"): "cc746ea02312b5697a727f490f59ce57672c4ba8908337bd7e92738fbbf87a64",
    PermutationTrace(12): "f9f558ea271b191a9c2b083939b7349c9dd816fb66c09e892cdcd453d931f6dc",
    RegularLanguage(12): "51a7fbd6a2e96f1cdb329b81c8a3a1ee9bb2e8ce7bc146be6e672bf33a85bb36",
    RegularLanguage(9, "0*1*2*", 4, "last", 3): "b801eecb337317069ce12dd70fb9b604ff4616dccf9e6870e0c563bb3b4f4d9b",
    SelectiveCopying(12): "cfb26767421879353dcadc8ed2ebd301c8b14fd9b43652cd28f527cf61e3dc83",
    StateBasedRecall(12): "052ef2d37cf8e302d5fa39334d025d70579a19d4cdf8043083b50eb0c0d1ba5b",
    WordProblem(12): "7ee73d3cab57cfbf17b6dc528e0b982ac81231109c38777d7eee0e367ea4ad2e",
    WordProblem(12, "symmetric", 4, "adjacent", "pointer"): "bd1084c35955f9fc14ea319d9f1e424133061f941e8c4d6b116967afe07d2acd",
    WordProblem(12, "dicyclic", 2, "generators", "last"): "71d40f46a2134e3fb3e50ec66942bf227f24bd76a1bda60cc4efb79a2d82e2a9",
}


def blocks_of(size: int | None) -> list[tuple[int, int]]:
    """Blocks (start, count) of one size, or of sizes drawn from 1 to 64; in a random order."""
    if size is None:
        ends = np.cumsum(np.random.default_rng(1).integers(1, 65, EXAMPLES)).tolist()
        starts = [0, *(end for end in ends if end < EXAMPLES)]
    else:
        starts = list(range(0, EXAMPLES, size))
    blocks = [(start, end - start) for start, end in zip(starts, [*starts[1:], EXAMPLES], strict=True)]
    np.random.default_rng(0).shuffle(blocks)
    return blocks


@pytest.mark.parametrize("size", [None, EXAMPLES])
@pytest.mark.parametrize("task", GOLDEN, ids=repr)
@pytest.mark.unchecked
def test_golden_digest_of_10000_examples(task, size):
    """A change here changes every committed row: raise the task's `revision` with it."""
    assert (task.revision, digest(task, blocks_of(size))) == (1, GOLDEN[task])


def test_every_task_with_committed_rows_has_a_golden_digest():
    """A task that no committed row is of, such as a new one, needs none."""
    lines = [line for path in RESULTS.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()]
    trained = {json.loads(line)["run"]["task"]["name"] for line in lines}
    assert trained <= {task.name for task in GOLDEN}
    assert trained
