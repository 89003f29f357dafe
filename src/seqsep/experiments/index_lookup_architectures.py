"""Which architecture learns index lookup at which length? Figure 2, left and middle, of Bhattamishra et al. 2024.

Preset `paper` is the figure's sizes at its lengths, 20 to 400; `paper-grid` everything that appendix H lists (`_paper`);
`quick` the same question on two cores (`QUICK`); `readings` each reading of appendix H.1 (`_readings`).

The demo's presets have one layer of width 64 for the paper's six architectures and the gated delta rule, all trained by one
recipe (`recipe`). `demo-rates` compares three learning rates at N = 50; `demo-lengths` takes the best of them to N = 400;
`demo` is what `seqsep demo` trains, and `demo-seeds` has two more seeds of the cells that its page compares. Scaled down
against the paper (section 6, appendix H): one layer of width 64 in place of up to 6 layers of width 256, thousands of steps in
place of 250,000, three learning rates in place of seven.

`reach` and `state-bits`, and the demo's rows of an earlier version (`drawn-rates`, `drawn-seeds`: `_drawn`), have training
inputs of a drawn length. `reach` goes on to longer inputs with the setting that was best at the shorter ones, which need not be
the best there. `reach-demo` is what it missed for two: at the length where an architecture falls in it, the setting that
`drawn-rates` found best at its longest, with the most steps of `reach`. Its rows are among those of `reach`.
"""

from dataclasses import replace
from functools import partial

from seqsep.experiments import _drawn
from seqsep.experiments._paper import full_grid, printed_sizes
from seqsep.experiments._reach import CHEAPEST_FIRST, LONG_STEPS, SCALES, Level, Reach, contenders
from seqsep.experiments._readings import readings
from seqsep.experiments._search import QUICK_RATES, Search, SearchCell
from seqsep.experiments._state_bits import state_bits
from seqsep.experiments.base import Experiment
from seqsep.experiments.claims.recipe import STEPS, lookup_run
from seqsep.lab.run import Run
from seqsep.mixers import PAPER_MIXERS
from seqsep.tasks import IndexLookup

SIZES = (
    ("mamba", 6, 256),
    ("dss", 6, 256),
    ("retention", 6, 256),
    ("linear-attention", 6, 256),
    ("lstm", 3, 256),
    ("attention", 1, 64),
)
DEMO_MIXERS = (*(mixer.name for mixer in PAPER_MIXERS), "gated-delta")
RATES = (5e-4, 1e-3, 3e-3)
RATES_AT = 50
"""The length at which the rates are compared; longer inputs have the best rate of this one."""
SEEDS = (0, 1, 2)
DEMO_LENGTHS = (20, 50)
"""The lengths at which all architectures are compared; attention is trained at all lengths."""
SLOW = (("attention", 400), ("attention", 200), ("mamba", 50), ("gated-delta", 50))
"""The cells that take more than a minute of a core each. The demo does not train them: its page shows their committed rows."""
BEST_RATE = {
    "attention": 1e-3,
    "linear-attention": 3e-3,
    "retention": 1e-3,
    "lstm": 3e-3,
    "dss": 3e-3,
    "mamba": 3e-3,
    "gated-delta": 1e-3,
}
"""By the rows of `demo-rates`: of the rates that reach 99.9 % the one nearest to 0.001, else the most accurate."""


def quick(length: int, architecture: str) -> Run:
    """One layer of width 64 and 16 symbols, at any rate."""
    return Run(
        task=IndexLookup(length, alphabet=16),
        layers=(architecture,),
        width=64,
        steps=2000,
        embedding_scale=0.3,
        evaluate_every=200,
        target=0.999,
    )


QUICK = Search(
    SearchCell.each(*(quick(length, mixer.name) for length in (20, 5) for mixer in reversed(PAPER_MIXERS))),
    QUICK_RATES,
    refine=True,
    seeds=3,
)
"""16 symbols in place of 64, so that 2,000 steps are enough for all at N = 5."""

READING = """The tables of `quick`, `reach` and `state-bits` train on inputs of a drawn length, one of the readings of appendix
H.1 (below). Under it the last positions are rare in training, so a model that falls at a long input may lack these positions
only.

At N = 5 all six pass 98 % with the best seed and 97 % with every one. At N = 20 attention and linear attention
stay above 99.9 % under every seed, and the LSTM, retention, DSS and Mamba below 38 %.

The paper has 100 % for all six at N = 20 (over 64 symbols; six layers of width 256, the LSTM three, attention one of width
64; at most 250,000 steps), and lets them part from N = 50 on. At N = 20 attention and linear attention agree with it; the
LSTM, retention, DSS and Mamba are 62 to 80 points lower, with one layer, 16 symbols and 2,000 steps. No bound forbids what is
missing: every ceiling is 100 %. Rates between the best and its neighbours raise no accuracy by more than 3 points. The
paper's linear attention falls to 71.6 % at N = 50; ours reaches 99.9 % there in `reach`, with one layer, after 9,000 steps.

Within 4,000 steps learned positions decide it for five of the ten: retention, Mamba, Mamba-2, the gated delta rule and RWKV-7.
(The paper has retention and Mamba at 100 %, with six layers; it names positions for its Transformers alone.) By the runs of
the preset `reach`, one layer of width 64 over 64 symbols, N = 20, at most 4,000 steps, chosen with one seed, the best of three
rates and three scales and of two more rates at the best scale: with learned positions attention, linear attention, retention,
Mamba, Mamba-2, the gated delta rule and RWKV-7 pass 99 %, so they have weights for it at this size; the LSTM ends at 20.9 %,
DSS at 12.5 % and sliding attention, whose window is shorter than the input, at 75.9 %. Without positions none of the seven
whose papers have none is above 31 %. The slowest of those that pass, Mamba, does so at one of its eleven settings, after 3,250
steps.

Is the window of rates narrow for recurrent models, as arXiv:2508.19029 has it? Of five rates from 0.0001 to 0.01, at the
scale where most learn, attention, linear attention and RWKV-7 learn within 4,000 steps at four, retention, Mamba-2 and the
gated delta rule at three, Mamba at one, 0.003. Two of the five were tried at one scale alone, so a window may be wider at
another. At 0.001 Mamba has 96.2 % then and rises still, so a narrow window is not told from slow learning here.

Under the likely reading, by `results/demo.jsonl` (one layer of width 64, one recipe, seed 0), attention reaches 99.9 % at
each length from N = 20 to 400, after at most 7,000 steps. Linear attention reaches 99.9 % at N = 50 within 3,000 steps and
has 63.1 % at N = 100 after 6,000. Retention has 94.5 % at N = 50 and 7.6 % at N = 100, the gated delta rule 84.9 % at N = 50,
and Mamba 94.3 % at N = 20 and 34.0 % at N = 50. The LSTM and DSS stay below 10 % at each length. Other cells were not run.
This does not show where an architecture ends: the recurrent ones may learn more with more steps or a larger model.

Over lengths, with training inputs of a drawn length (the rows of `drawn-rates` and `drawn-seeds`): one layer of width 64 over
64 symbols, all with learned positions, the best of three rates, three seeds. At N = 20, within 1,500 steps, attention, linear
attention, retention and the gated delta rule reach 99.9 % under every seed, Mamba 18 to 95 %, the LSTM and DSS at most 12.5 %.
At N = 50, within 3,000, only attention does; linear attention has 94.6 to 96.4 %, retention 58 to 67 %, the gated delta rule
52 to 70 %, the others at most 7 %. At N = 100, within 7,500, attention has 99.0 to 99.9 % and linear attention 60 to 62 %; the
others were not run. Every state has room for all symbols at each of these lengths: what falls is what so many steps teach.
With up to 16,000, in `reach`, linear attention, Mamba-2 and the gated delta rule have 99 % at N = 50 under each of three
seeds, retention 96.4 to 99.2 %, and RWKV-7 99.5 % under one and 1.5 and 1.7 % under the others, where guessing has 1.6 %;
Mamba, with one seed, ends at 95.2 % with the scale 0.1 and at 90.9 % with 0.02. At N = 100 there, within 16,000 steps,
attention has 99.0, 99.9 and 98.98 % under three seeds, and at N = 200 96.0 % under one; with one seed Mamba-2 has 96.0 % at N
= 100, linear attention 64.4 % and retention 40.8 %. That is where so many steps end, and not where an architecture does:
Mamba-2 has 27.9 % after 6,000; RWKV-7, with 44.6 %, has had 6,000 only. Nor is it where every setting ends, for `reach` goes
on with the best of the shorter inputs: with the rate 0.0001 that it had chosen at N = 20 the gated delta rule has 1.6 % after
6,000, with the 0.001 of `drawn-rates` and scale 0.3 41.8 % after 16,000 (`reach-demo`), 8.2 points of them in the last
quarter. For attention that setting changes little at N = 200: 95.9 %.

Is it the size that the LSTM and DSS lack at N = 20? In part. Two layers of DSS of width 128 with learned positions have 34.6 %
after 16,000 steps, where one of width 64 has 17.6, and without positions 21.3 where it has 14.0. Three layers of the LSTM of
width 256, the paper's size, have 60.5 % after 4,000 steps with learned positions and 85.5 % after 16,000, 4.3 points of them in
the last quarter, where one of width 64 has 24.9. Both were higher at the end than a quarter before; more steps were not tried.

How many bits of its state does each use? The preset `state-bits` asks it at one setting: one layer, learned positions, scale
0.3, rate 0.001, 2,000 steps, one seed. At N = 50 and width 64, linear attention with 1, 4 and 16 heads has 133,120, 34,816 and
10,240 bits of state and ends at 96.6, 89.8 and 20.7 %, RWKV-7 with as many at 98.3, 70.6 and 4.6 %, retention with 131,072,
32,768 and 8,192 at 88.4, 5.2 and 2.4 %, the gated delta rule with 286,720, 90,112 and 40,960 at 88.5, 32.2 and 1.7 %: with
about as many parameters, the model of fewer heads and more state is further in all four. Some of these runs are in the middle
of their rise, where seeds differ much: in `drawn-rates` the gated delta rule with 4 heads has 35.2, 2.0 and 10.8 % after 2,100
steps. Width 128 with 4 heads has about the state of width 64 with one and 3.4 to 3.6 times its parameters, and ends at most
3.3 points higher in each of the four. Values 1, 2 and 4 times as wide as the keys take the gated delta rule with 4 heads from
3.8 to 32.2 and 66.4 % (51,200, 90,112 and 167,936 bits, parameters up to 1.54 times as many); 16, 64 and 256 states a channel
take Mamba-2 from 1.4 to 1.4 and 18.9 % (80,896, 286,720 and 1,110,016 bits, up to 1.78 times). On IsTree it is not always the
model of fewer heads that is further.

At N = 100 so many steps teach less. Fewer heads are further again, where anything is learned: at width 64 with 1, 4 and 16
heads linear attention ends at 63.6, 49.3 and 7.5 % and RWKV-7 at 72.2, 16.7 and 1.7 %, with 133,120, 34,816 and 10,240
bits. Linear attention of width 128 has the most, 88.9 % or 484 of 600 bits. Of the gated delta rule, Mamba and Mamba-2 no
model is above guessing by a point, though in `reach` Mamba-2 and the gated delta rule learn much of it within 16,000 steps. At
N = 200 linear attention of width 64 has 28.0, 8.8 and 2.4 % in the same order of heads, and none of the other 36 models is
above 2.3 %.

None of this is a limit of what a state holds. The 50 symbols are 300 bits; in `reach`, where rate, scale and steps are
searched, one layer of width 64 and 4 heads proves 294 to 300 of them for linear attention, retention, Mamba-2, the gated delta
rule and RWKV-7, with 32,768 to 286,720 bits of state, and 272 for Mamba.

At the paper's size attention has what the paper says: 100 % at N = 20 after 500 steps, and at N = 50 after 3,000 to 3,500,
under every seed. The rate decides: with 4 heads and with 8, each from 0.00005 to 0.001 gets there, the slowest after 10,500
steps; 0.01 is below 61 % and 0.000001 below 5 % after 31,250, where they were pruned; at 0.005 one of four gets there, with
8 heads at N = 20. The other 28 cells were not run.
"""


def cells() -> list[tuple[str, int]]:
    """Return (architecture, length) of the demo and its committed rows, the cheapest first."""
    cheapest = sorted(DEMO_MIXERS, key=CHEAPEST_FIRST.index)
    return [(name, length) for length in STEPS for name in cheapest]


def rates() -> list[Run]:
    """Return every architecture at three learning rates, at one length."""
    return [make(name, length, rate, SEEDS[0]) for name, length in cells() if length == RATES_AT for rate in RATES]


def lengths() -> list[Run]:
    """Return every cell at its architecture's best rate, with seed 0; the rows of `demo-rates` are left out."""
    return [make(name, length, BEST_RATE[name], SEEDS[0]) for name, length in cells() if length != RATES_AT]


def seeds() -> list[Run]:
    """Return the cells that are compared, with two more seeds."""
    return [make(name, length, BEST_RATE[name], seed) for name, length in compared() for seed in SEEDS[1:]]


def compared() -> list[tuple[str, int]]:
    """Return every architecture at two lengths, and attention at all; the most expensive first."""
    chosen = [cell for cell in cells() if cell[1] in DEMO_LENGTHS or cell[0] == "attention"]
    return chosen[::-1]


def demo() -> list[Run]:
    """Return the runs of `seqsep demo`: the cells that are compared, except the slow ones, with seed 0."""
    return [make(name, length, BEST_RATE[name], SEEDS[0]) for name, length in compared() if (name, length) not in SLOW]


def make(architecture: str, length: int, learning_rate: float, seed: int) -> Run:
    """Return one cell's run: one layer of width 64 under the recipe."""
    return lookup_run((architecture,), 64, length, steps=STEPS[length], rate=learning_rate, seed=seed)


REACH = Reach(
    contenders(IndexLookup(20)),
    levels=(
        Level(IndexLookup(20), steps=4000, longer=16_000, scales=SCALES),
        Level(IndexLookup(50), steps=4000, longer=16_000, scales=SCALES),
        Level(IndexLookup(100), steps=6000, longer=16_000),
        Level(IndexLookup(200), steps=8000, longer=16_000),
        Level(IndexLookup(400), steps=8000, longer=16_000),
    ),
)

EXPERIMENT = Experiment.of_presets(
    name="index-lookup-architectures",
    question="Which architecture learns index lookup at which length?",
    lists={
        "demo": demo,
        "demo-rates": rates,
        "demo-lengths": lengths,
        "demo-seeds": seeds,
        "drawn-rates": _drawn.rates,
        "drawn-seeds": partial(_drawn.at_best_rate, _drawn.SEEDS[1:], tuple(_drawn.STEPS)),
        "reach-demo": _drawn.reach_demo,
    },
    searches={
        "quick": lambda: QUICK,
        "paper": partial(printed_sizes, IndexLookup, SIZES),
        "paper-grid": partial(full_grid, IndexLookup),
        "reach": lambda: REACH,
        "reach-long": lambda: replace(REACH, long_steps=LONG_STEPS),
        "state-bits": state_bits,
        "readings": readings,
    },
    title="Index lookup: accuracy, %",
    paper_figure="figure2_index_lookup",
    paper_task=IndexLookup,
    reading=READING,
)
