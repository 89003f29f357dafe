"""Mixers: each is one sequence layer in a file of its own. `MIXERS` are for training, `THEOREM_MIXERS` for theorems only."""

from seqsep.mixers.attention import Attention
from seqsep.mixers.automaton import Automaton
from seqsep.mixers.base import Block, Mixer, State, state_bits, state_from_bytes, state_to_bytes
from seqsep.mixers.dss import DSS
from seqsep.mixers.elman import Elman
from seqsep.mixers.gated_delta import GatedDelta
from seqsep.mixers.linear_attention import LinearAttention
from seqsep.mixers.lstm import LSTM
from seqsep.mixers.mamba import Mamba
from seqsep.mixers.mamba2 import Mamba2
from seqsep.mixers.retention import Retention
from seqsep.mixers.rwkv7 import RWKV7
from seqsep.mixers.sliding_attention import SlidingAttention

PAPER_MIXERS = (Attention, LSTM, LinearAttention, Retention, DSS, Mamba)  # those of Bhattamishra et al. 2024, section 6
MIXERS: tuple[type[Mixer], ...] = (*PAPER_MIXERS, Mamba2, GatedDelta, RWKV7, SlidingAttention)
THEOREM_MIXERS: tuple[type[Mixer], ...] = (Automaton, Elman)
BY_NAME: dict[str, type[Mixer]] = {mixer.name: mixer for mixer in MIXERS}

__all__ = [
    "BY_NAME",
    "DSS",
    "LSTM",
    "MIXERS",
    "PAPER_MIXERS",
    "RWKV7",
    "THEOREM_MIXERS",
    "Attention",
    "Automaton",
    "Block",
    "Elman",
    "GatedDelta",
    "LinearAttention",
    "Mamba",
    "Mamba2",
    "Mixer",
    "Retention",
    "SlidingAttention",
    "State",
    "state_bits",
    "state_from_bytes",
    "state_to_bytes",
]
