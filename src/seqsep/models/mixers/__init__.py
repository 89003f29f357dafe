"""Mixers: each is one sequence layer in a file of its own, which begins with its equations.

`MIXERS` are for training, `THEOREM_MIXERS` for theorems only. A mixer is imported when it is first used; names do not wait for
torch.

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
    rotation             a selective state space whose states turn by angles that the token chooses (Mamba-3's core)
    mlstm                xLSTM's matrix memory: exponential input gates, a forget gate and a normaliser
    kda                  Kimi delta attention: the gated delta rule with a decay for each coordinate of the keys
    slstm                xLSTM's scalar memory: an LSTM with exponential input gates and a normaliser
    automaton            a finite automaton given by a table; for theorems
    elman                a plain recurrent network; for theorems
    linear_recurrence    a linear recurrence with matrices of any kind; for theorems
    _decay               decays in logarithms, and the step sizes that they start from
    _chunks              time cut into chunks, and the states between the chunks
    _short_convolution   the causal convolution over a few tokens
    _mamba_scan          Mamba's scan with a gradient written by hand
    _mamba_scan_gpu      the same for a GPU
    _slstm_scan          sLSTM's loop over time with a gradient written by hand
    _gated_delta_chunks  the gated delta rule chunk by chunk
    _kda_chunks          Kimi delta attention chunk by chunk
    _rwkv7_chunks        RWKV-7's recurrence chunk by chunk
    _linear              linear layers whose large products on a CPU go to oneDNN
    _kernels             fused kernels of flash-linear-attention for five mixers on a GPU
"""

from typing import TYPE_CHECKING

from seqsep.core.registry import Registry, from_places, imported, lazy_names

if TYPE_CHECKING:
    from seqsep.models.mixers._kernels import in_use as kernels_in_use
    from seqsep.models.mixers._linear import Linear, linear
    from seqsep.models.mixers._linear import in_use as products_in_use
    from seqsep.models.mixers.attention import Attention
    from seqsep.models.mixers.automaton import Automaton
    from seqsep.models.mixers.base import Block, Mixer, State, state_bits, state_from_bytes, state_to_bytes
    from seqsep.models.mixers.dss import DSS
    from seqsep.models.mixers.elman import Elman
    from seqsep.models.mixers.gated_delta import GatedDelta
    from seqsep.models.mixers.kda import KDA
    from seqsep.models.mixers.linear_attention import LinearAttention
    from seqsep.models.mixers.linear_recurrence import LinearRecurrence
    from seqsep.models.mixers.lstm import LSTM
    from seqsep.models.mixers.mamba import Mamba
    from seqsep.models.mixers.mamba2 import Mamba2
    from seqsep.models.mixers.mlstm import MLSTM
    from seqsep.models.mixers.retention import Retention
    from seqsep.models.mixers.rotation import Rotation
    from seqsep.models.mixers.rwkv7 import RWKV7
    from seqsep.models.mixers.sliding_attention import SlidingAttention
    from seqsep.models.mixers.slstm import SLSTM

    MIXERS: tuple[type[Mixer], ...]
    PAPER_MIXERS: tuple[type[Mixer], ...]
    THEOREM_MIXERS: tuple[type[Mixer], ...]

PAPER_PLACES = {
    "attention": "seqsep.models.mixers.attention:Attention",
    "lstm": "seqsep.models.mixers.lstm:LSTM",
    "linear-attention": "seqsep.models.mixers.linear_attention:LinearAttention",
    "retention": "seqsep.models.mixers.retention:Retention",
    "dss": "seqsep.models.mixers.dss:DSS",
    "mamba": "seqsep.models.mixers.mamba:Mamba",
}
"""The mixers of Bhattamishra et al. 2024, section 6."""
PLACES = {
    **PAPER_PLACES,
    "mamba2": "seqsep.models.mixers.mamba2:Mamba2",
    "gated-delta": "seqsep.models.mixers.gated_delta:GatedDelta",
    "rwkv7": "seqsep.models.mixers.rwkv7:RWKV7",
    "sliding-attention": "seqsep.models.mixers.sliding_attention:SlidingAttention",
    "rotation": "seqsep.models.mixers.rotation:Rotation",
    "mlstm": "seqsep.models.mixers.mlstm:MLSTM",
    "slstm": "seqsep.models.mixers.slstm:SLSTM",
    "kda": "seqsep.models.mixers.kda:KDA",
}
"""The mixers for training. A new mixer is a line here."""
THEOREM_PLACES = {
    "automaton": "seqsep.models.mixers.automaton:Automaton",
    "elman": "seqsep.models.mixers.elman:Elman",
    "linear-recurrence": "seqsep.models.mixers.linear_recurrence:LinearRecurrence",
}
GROWING = frozenset({"attention"})
"""The mixers whose state grows with the number of tokens: `Mixer.grows`, known without importing torch."""

BY_NAME: "Registry[type[Mixer]]" = Registry("mixer", PLACES)

_HOMES = {
    **{place.partition(":")[2]: place for place in (*PLACES.values(), *THEOREM_PLACES.values())},
    "Block": "seqsep.models.mixers.base:Block",
    "Linear": "seqsep.models.mixers._linear:Linear",
    "Mixer": "seqsep.models.mixers.base:Mixer",
    "State": "seqsep.models.mixers.base:State",
    "kernels_in_use": "seqsep.models.mixers._kernels:in_use",
    "linear": "seqsep.models.mixers._linear:linear",
    "products_in_use": "seqsep.models.mixers._linear:in_use",
    "state_bits": "seqsep.models.mixers.base:state_bits",
    "state_from_bytes": "seqsep.models.mixers.base:state_from_bytes",
    "state_to_bytes": "seqsep.models.mixers.base:state_to_bytes",
}
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            **from_places(_HOMES),
            "MIXERS": BY_NAME.members,
            "PAPER_MIXERS": lambda: tuple(imported(place) for place in PAPER_PLACES.values()),
            "THEOREM_MIXERS": lambda: tuple(imported(place) for place in THEOREM_PLACES.values()),
        },
    )

__all__ = [
    "BY_NAME",
    "DSS",
    "GROWING",
    "KDA",
    "LSTM",
    "MIXERS",
    "MLSTM",
    "PAPER_MIXERS",
    "PLACES",
    "RWKV7",
    "SLSTM",
    "THEOREM_MIXERS",
    "THEOREM_PLACES",
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
    "Rotation",
    "SlidingAttention",
    "State",
    "kernels_in_use",
    "linear",
    "products_in_use",
    "state_bits",
    "state_from_bytes",
    "state_to_bytes",
]
