"""The support of this processor for bfloat16."""

import pytest
import torch
from torch import nn


def require_bfloat16(mixer: str) -> None:
    """Skip the test of an LSTM where PyTorch has none in bfloat16: oneDNN's wants AVX-512 or more."""
    if mixer != "lstm":
        return
    try:
        with torch.autocast("cpu", torch.bfloat16):
            nn.LSTM(2, 2)(torch.zeros(1, 1, 2))
    except RuntimeError as error:
        if "primitive" not in str(error):
            raise
        pytest.skip("PyTorch has no LSTM in bfloat16 on this processor")
