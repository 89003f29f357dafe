"""Some mixers take the kernels of flash-linear-attention, under some conditions, and these give the reference's results."""

import subprocess
import sys

import pytest
import torch

import long_kernels
import verify
from seqsep.models.mixers import MIXERS, RWKV7, _kernels
from support.bfloat16 import require_bfloat16

BY_KERNEL = long_kernels.MIXERS


@pytest.fixture
def installed(monkeypatch):
    """As if the package were there, and inputs on a GPU: every layer hands its parts to a stub, which answers zeros."""
    calls = []

    def stub(name):
        def read(*parts, **options):
            calls.append(name)
            return torch.zeros_like(parts[-1] if name == "read_rwkv7" else parts[2])

        return read

    monkeypatch.setattr(_kernels, "installed", lambda: "0.6.0")
    real = _kernels.in_use
    monkeypatch.setattr(_kernels, "in_use", lambda device: real("cuda"))
    monkeypatch.delenv(_kernels.SWITCH, raising=False)
    for name in long_kernels.READS:
        monkeypatch.setattr(_kernels, name, stub(name))
    return calls


def taken(calls, mixer, width=32, heads=2, dtype=torch.float32, autocast=False):
    calls.clear()
    made, x = mixer(width, heads).to(dtype), torch.randn(2, 5, width, dtype=dtype)
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        assert made(x).shape == x.shape
    return bool(calls)


@pytest.mark.parametrize("mixer", MIXERS, ids=lambda mixer: mixer.name)
def test_five_mixers_take_them_in_the_precisions_that_they_have(installed, mixer):
    require_bfloat16(mixer.name)
    ours = mixer in BY_KERNEL
    assert taken(installed, mixer) == (ours and mixer is not RWKV7)
    assert taken(installed, mixer, autocast=True) == ours
    assert not taken(installed, mixer, dtype=torch.float64)


@pytest.mark.parametrize(
    ("width", "heads", "fits"), [(32, 2, True), (34, 2, False), (16, 2, False), (256, 1, True), (258, 1, False)]
)
def test_heads_of_other_sizes_stay_with_the_reference(installed, width, heads, fits):
    """16 coordinates for a head's key at least, 256 at most, and an even number."""
    assert taken(installed, long_kernels.GatedDelta, width, heads) == fits


def test_no_tokens_are_no_work_for_a_kernel(installed):
    parts = torch.zeros(2, 0, 1, 16)
    assert not _kernels.usable(parts, parts)


def test_the_switch_keeps_the_reference(installed, monkeypatch):
    assert all(taken(installed, mixer, autocast=True) for mixer in BY_KERNEL)
    monkeypatch.setenv(_kernels.SWITCH, "off")
    assert not any(taken(installed, mixer, autocast=True) for mixer in BY_KERNEL)
    monkeypatch.setenv(_kernels.SWITCH, "on")
    with pytest.raises(ValueError, match="SEQSEP_KERNELS=on: off, or not set"):
        _kernels.in_use("cuda")


def test_only_on_a_gpu_and_only_where_installed(monkeypatch):
    monkeypatch.delenv(_kernels.SWITCH, raising=False)
    monkeypatch.setattr(_kernels, "installed", lambda: "0.6.0")
    assert (_kernels.in_use("cpu"), _kernels.in_use("cuda"), _kernels.in_use("cuda:1")) == (None, "fla 0.6.0", "fla 0.6.0")
    monkeypatch.setattr(_kernels, "installed", lambda: None)
    assert _kernels.in_use("cuda") is None


def test_a_forward_on_a_cpu_imports_neither_fla_nor_triton():
    code = """
import sys, torch
from seqsep.models.mixers import MIXERS
for mixer in MIXERS:
    mixer(32, 2)(torch.randn(1, 3, 32))
print(sorted({"fla", "triton"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_verify_says_what_is_missing_and_leaves_the_row(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(verify, "ROWS", tmp_path)
    monkeypatch.setattr(long_kernels, "find_spec", lambda name: None)
    assert verify.main([long_kernels.NAME]) == 0
    assert capsys.readouterr().out == (
        "kernels-interpreted: no row; not run and its row left as it is: triton and fla not installed "
        "(pip install flash-linear-attention triton)\n"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.timeout(300)
def test_interpreted_they_agree_with_the_reference():
    """A sample of tests/long_kernels.py: 70 tokens are more than one chunk and no whole number of them."""
    if long_kernels.missing():
        pytest.skip(long_kernels.missing())
    for case in long_kernels.interpreted("float32", ((16, 1),), (70,)):
        assert case["difference"] <= case["tolerance"] + case["own"], case


@pytest.mark.parametrize("time", [1, 17, 70, 200])
@pytest.mark.parametrize("precision", ["tf32", "bfloat16"])
@pytest.mark.parametrize("mixer", BY_KERNEL, ids=lambda mixer: mixer.name)
@pytest.mark.unchecked
@pytest.mark.timeout(900)  # at first kernels are compiled, in many variants
def test_on_a_gpu_they_agree_with_the_reference(mixer, precision, time, monkeypatch):
    """Float32, which Triton multiplies as TF32 where it can, and bfloat16 by autocast; the reference is float64 on the CPU."""
    if not torch.cuda.is_available():
        pytest.skip("the kernels need a CUDA device")
    if _kernels.in_use("cuda") is None:
        pytest.skip("flash-linear-attention is not installed, or SEQSEP_KERNELS=off")
    calls = long_kernels.count_calls(monkeypatch.setattr)
    autocast = torch.bfloat16 if precision == "bfloat16" else None
    for width, heads in long_kernels.SIZES:
        made = long_kernels.layer(mixer, width, heads)
        calls.clear()
        shares = long_kernels.differences(made, time, autocast, "cuda")
        assert bool(calls) == (mixer is not RWKV7 or autocast is not None)
        with monkeypatch.context() as patch:
            patch.setenv(_kernels.SWITCH, "off")
            own = long_kernels.differences(made, time, autocast, "cuda")
        assert max(shares.values()) <= long_kernels.TOLERANCES[precision] + max(own.values()), (width, heads, shares)
