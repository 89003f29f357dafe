"""A user's file, as a type checker sees it: public names have their types, and a misspelt one is found."""

from typing import assert_type

import seqsep
from seqsep.lab.train import Result
from seqsep.models.tabular_network import TabularNetwork
from seqsep.theorems import Outcomes

task = seqsep.IndexLookup(length=5)
assert_type(task, seqsep.IndexLookup)
assert_type(seqsep.train(seqsep.Run(task, ("lstm",), width=8)), tuple[seqsep.Model, Result])
assert_type(seqsep.check("index-lookup-state", length=4), Outcomes)
misspelt = seqsep.trian  # type: ignore[attr-defined]
assert_type(seqsep.least_state_bits(task, accuracy=0.9), int)
assert_type(seqsep.longest(task, bits=100, accuracy=0.9), int | None)
assert_type(seqsep.build("index-lookup-attention", length=5), TabularNetwork)
