"""The device of a run is the processor or an NVIDIA GPU. A process is set up for it, and rows name it.

A worker has one device. On GPUs products of float32 are products of float32, not of the shorter TF32, except those that
`mixers/_kernels.py` describes, and operations that have a deterministic form use it; PyTorch names those that have none (docs:
torch.use_deterministic_algorithms). Weights are drawn on the processor and then moved, so that a run starts from the same
numbers everywhere.
"""

import os
import platform
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqsep.lab.engines.engine import EngineUnavailable, usable_cores

if TYPE_CHECKING:  # an actor of Ray on a node without GPUs needs none of it
    import torch
    from torch import nn

CPU = "cpu"
GPU = "cuda"
RUNS_PER_GPU = 4


def environment(device: str = CPU) -> dict[str, Any]:
    """Return what results depend on besides the run; in one such environment a machine's processor gives equal bits.

    `device`: cpu, or cuda for the GPUs that this process sees, which must be of one kind. `products` is there only for cpu,
    and `kernels` only if mixers take some that are installed. Raises EngineUnavailable if torch finds no GPU, or several kinds.

    >>> environment()["device"], environment()["threads"]
    ('cpu', 1)
    """
    import torch

    from seqsep.models.mixers import kernels_in_use

    name = device if device == CPU else kind_of_gpu()
    here = {"torch": str(torch.__version__), "device": name, "threads": 1, **processor(device)}
    kernels = kernels_in_use(device)
    return here if kernels is None else here | {"kernels": kernels}


def processor(device: str = CPU) -> dict[str, str]:
    """Return the processor's part of the environment: its name, and the library that multiplies large matrices in place of
    torch.

    Another processor rounds products otherwise, which training magnifies: rows of two processors differ in late digits, and
    in the step at which a run converges. `products` is there only if large linear layers go to oneDNN
    (`mixers/_linear.py`), which those of a GPU never do.

    >>> "processor" in processor()
    True
    """
    import torch

    from seqsep.models.mixers import products_in_use

    capability = torch.backends.cpu.get_cpu_capability()
    here = {"processor": f"{_name_of_processor()}, {capability}"}
    products = products_in_use() if device == CPU else None
    return here if products is None else here | {"products": f"{products} in large linear layers"}


PROCESSOR = ("processor", "products")


def but_for_processor(environment: Mapping[str, Any]) -> dict[str, Any]:
    """Return an environment without its processor: rows that agree in this are of one kind, if not equal in every digit.

    >>> but_for_processor({"torch": "2.13.0", "device": "cpu", "threads": 1, "processor": "AuthenticAMD 25.17, AVX512"})
    {'torch': '2.13.0', 'device': 'cpu', 'threads': 1}
    """
    return {name: value for name, value in environment.items() if name not in PROCESSOR}


@cache
def _name_of_processor() -> str:
    """Return vendor, family, model and name on Linux, else the name from Python's `platform`."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0].splitlines()
    except OSError:
        lines = []
    found = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if {"vendor_id", "cpu family", "model", "model name"} <= found.keys():
        return f"{found['vendor_id']} {found['cpu family']}.{found['model']} ({found['model name']})"
    return platform.processor() or platform.machine()


def kind_of_gpu() -> str:
    """Return the name of the GPUs that this process sees. Raises EngineUnavailable if torch finds none, or several kinds."""
    import torch

    if not torch.cuda.is_available():
        without = ", which is built without CUDA" if torch.version.cuda is None else ""
        raise EngineUnavailable(
            f"device cuda: expected a GPU that torch can use, found none (torch {torch.__version__}{without})"
        )
    kinds = sorted({torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())})
    if len(kinds) > 1:
        raise EngineUnavailable(
            f"device cuda: expected GPUs of one kind, found {', '.join(kinds)}; CUDA_VISIBLE_DEVICES chooses"
        )
    return kinds[0]


def gpus() -> list[str]:
    """Return the GPUs that this process may use, by their names in CUDA_VISIBLE_DEVICES."""
    import torch

    count = torch.cuda.device_count()
    seen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if seen is None:
        return [str(index) for index in range(count)]
    return [name.strip() for name in seen.split(",")][:count]


def at_once(device: str) -> int:
    """Return the number of runs that share this machine by default: one a core, and at most RUNS_PER_GPU a GPU."""
    return usable_cores() if device == CPU else max(1, min(usable_cores(), RUNS_PER_GPU * len(gpus())))


def variables(device: str, in_use: list[str | None]) -> dict[str, str]:
    """Return the variables that give a new worker its device: the GPU that is least often in `in_use`."""
    if device == CPU:
        return {}
    least = min(gpus(), key=in_use.count)
    return {"CUDA_VISIBLE_DEVICES": least, "CUBLAS_WORKSPACE_CONFIG": ":4096:8", "TRITON_F32_DEFAULT": "ieee"}


def prepare(device: str) -> None:
    """Set this process up to compute there, on one thread. Raises what torch raises if it cannot have the GPU."""
    import torch

    torch.set_num_threads(1)
    if device != CPU:
        torch.backends.cuda.matmul.allow_tf32 = False  # set before fp32_precision, after which reading it raises
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.fp32_precision = "ieee"  # type: ignore[attr-defined]
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
        warnings.filterwarnings("once", message=".*does not have a deterministic implementation")
        # The backward pass of fused attention is not deterministic, and the setting above only warns of it.
        torch.backends.cuda.enable_flash_sdp(False)
        torch.backends.cuda.enable_mem_efficient_sdp(False)
        torch.backends.cuda.enable_cudnn_sdp(False)
        torch.zeros((), device=device)


def leave(device: str) -> None:
    """Give the memory of a GPU back, between two runs, to those who share it."""
    import torch

    if device != CPU:
        torch.cuda.empty_cache()


def device_of(model: "nn.Module") -> "torch.device":
    """Return the device of a model's weights; the processor if it has none."""
    import torch

    return next((weight.device for weight in model.parameters()), torch.device(CPU))
