"""Mixers: each is one sequence layer in a file of its own, which begins with its equations.

`MIXERS` are for training, `THEOREM_MIXERS` for theorems only.

    base                 what every mixer is: `Mixer`, its `State` and the `Block` around it
    settings             mixers by name with sizes of their own: `mamba2(states=128)`
    attention            causal softmax attention, with a cache of all keys and values
    sliding_attention    causal softmax attention over the last few tokens
    lstm                 long short-term memory
    linear_attention     attention with a feature map for softmax: the state is a sum of outer products
    retention            linear attention with a decay per head and rotated queries and keys
    dss                  a diagonal state space, run as a convolution
    mamba                a selective state space with a decay per channel and state
    mamba2               a selective state space with one decay per head
    gated_delta          the gated delta rule: a new value replaces what its key found
    rwkv7                RWKV-7's time mixing: a decay per coordinate, a removal and a replacement
    automaton            a finite automaton given by a table; for theorems
    elman                a plain recurrent network; for theorems
    linear_recurrence    a linear recurrence with matrices of any kind; for theorems
    _decay               decays in logarithms, and the step sizes that they start from
    _chunks              time cut into chunks, and the states between the chunks
    _short_convolution   the causal convolution over a few tokens
    _mamba_scan          Mamba's scan with a gradient written by hand
    _mamba_scan_gpu      the same for a GPU
    _gated_delta_chunks  the gated delta rule chunk by chunk
    _rwkv7_chunks        RWKV-7's recurrence chunk by chunk
    _linear              linear layers whose large products on a CPU go to oneDNN
    _kernels             fused kernels of flash-linear-attention for five mixers on a GPU
"""

import inspect

from seqsep.core.names import docstring
from seqsep.models.mixers._kernels import in_use as kernels_in_use
from seqsep.models.mixers._linear import Linear, linear
from seqsep.models.mixers._linear import in_use as products_in_use
from seqsep.models.mixers.attention import Attention
from seqsep.models.mixers.automaton import Automaton
from seqsep.models.mixers.base import Block, Mixer, State, state_bits, state_from_bytes, state_to_bytes
from seqsep.models.mixers.dss import DSS
from seqsep.models.mixers.elman import Elman
from seqsep.models.mixers.gated_delta import GatedDelta
from seqsep.models.mixers.linear_attention import LinearAttention
from seqsep.models.mixers.linear_recurrence import LinearRecurrence
from seqsep.models.mixers.lstm import LSTM
from seqsep.models.mixers.mamba import Mamba
from seqsep.models.mixers.mamba2 import Mamba2
from seqsep.models.mixers.retention import Retention
from seqsep.models.mixers.rwkv7 import RWKV7
from seqsep.models.mixers.sliding_attention import SlidingAttention

PAPER_MIXERS = (Attention, LSTM, LinearAttention, Retention, DSS, Mamba)  # those of Bhattamishra et al. 2024, section 6
MIXERS: tuple[type[Mixer], ...] = (*PAPER_MIXERS, Mamba2, GatedDelta, RWKV7, SlidingAttention)
THEOREM_MIXERS: tuple[type[Mixer], ...] = (Automaton, Elman, LinearRecurrence)
BY_NAME: dict[str, type[Mixer]] = {mixer.name: mixer for mixer in MIXERS}
for _mixer in (*MIXERS, *THEOREM_MIXERS):  # so that help of a class shows its equations, which stand at the head of its file
    _mixer.__doc__ = f"{docstring(_mixer)}\n\n{docstring(inspect.getmodule(_mixer))}"

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
    "Linear",
    "LinearAttention",
    "LinearRecurrence",
    "Mamba",
    "Mamba2",
    "Mixer",
    "Retention",
    "SlidingAttention",
    "State",
    "kernels_in_use",
    "linear",
    "products_in_use",
    "state_bits",
    "state_from_bytes",
    "state_to_bytes",
]
