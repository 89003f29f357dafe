"""Mixers: each is one sequence layer in a file of its own. `MIXERS` are for training, `THEOREM_MIXERS` for theorems only."""

from seqsep.mixers.attention import Attention
from seqsep.mixers.automaton import Automaton
from seqsep.mixers.base import Block, Mixer, State, state_bits, state_from_bytes, state_to_bytes
from seqsep.mixers.dss import DSS
from seqsep.mixers.elman import Elman
from seqsep.mixers.linear_attention import LinearAttention
from seqsep.mixers.lstm import LSTM
from seqsep.mixers.mamba import Mamba
from seqsep.mixers.retention import Retention

MIXERS: tuple[type[Mixer], ...] = (Attention, LSTM, LinearAttention, Retention, DSS, Mamba)
THEOREM_MIXERS: tuple[type[Mixer], ...] = (Automaton, Elman)
BY_NAME: dict[str, type[Mixer]] = {mixer.name: mixer for mixer in MIXERS}

__all__ = [
    "BY_NAME",
    "DSS",
    "LSTM",
    "MIXERS",
    "THEOREM_MIXERS",
    "Attention",
    "Automaton",
    "Block",
    "Elman",
    "LinearAttention",
    "Mamba",
    "Mixer",
    "Retention",
    "State",
    "state_bits",
    "state_from_bytes",
    "state_to_bytes",
]
