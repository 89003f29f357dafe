"""Our rounding equals that of NumPy and PyTorch, and refuses numbers beyond the format."""

import numpy as np
import pytest
import torch

from seqsep.theorems.state_tracking._float_formats import FORMATS, in_format


@pytest.mark.parametrize("name", FORMATS)
def test_rounding_equals_pytorch(name):
    """Numbers are exact in float32, so PyTorch rounds once; some are below the least normal number."""
    generator = np.random.default_rng(0)
    numbers = np.ldexp(generator.integers(-(1 << 23), 1 << 23, 5000), generator.integers(-60, -8, 5000)).astype(np.float64)
    expected = torch.tensor(numbers, dtype=torch.float32).to(getattr(torch, name)).double().numpy()
    assert (in_format(numbers, name) == expected).all()


def test_a_number_beyond_the_format_is_refused():
    with pytest.raises(OverflowError, match="float16"):
        in_format(70000.0, "float16")


@pytest.mark.parametrize("name", FORMATS)
def test_the_greatest_number_is_pytorchs(name):
    assert FORMATS[name].most == torch.finfo(getattr(torch, name)).max
