"""All canaries: the bytes of their weights, the leads that are proved in each type of numbers, and their sizes."""

import hashlib
import json

import numpy as np
import pytest

from seqsep.report.page.proofs import module_of
from seqsep.theorems import BY_NAME
from seqsep.theorems.canary import CANARIES, PLACES

UNITS = (2**-24, 2**-11, 2**-8)
KNOWN = {
    "llama": ("05a13d90edbc484b", (0.241411, 0.238057, 0.213578)),
    "checksum": ("7044a90cf6591f52", (0.499980, 0.489391, 0.409860)),
    "olmo-hybrid": ("33e58e51d4fd38f1", (0.488212, 0.484175, 0.454999)),
    "mamba2": ("121fda3564758622", (0.499998, 0.498042, 0.484126)),
    "qwen3-next": ("0fa35dd14bc0897b", (0.499938, 0.496998, 0.475842)),
    "qwen3.5": ("6ab3c756469f3489", (0.499938, 0.496998, 0.475842)),
    "granite-4-h": ("35e7206d97c60b9a", (0.499992, 0.496806, 0.473802)),
    "nemotron-h": ("7972a0e6f656cb4d", (0.499992, 0.496806, 0.473802)),
    "falcon-h1": ("55f8ddc976ade219", (0.499992, 0.496806, 0.473802)),
    "jamba": ("fc0c5c9523f7c961", (0.499992, 0.496806, 0.473802)),
    "walk-qwen3-next": ("9c735fd73d61a592", (0.342389, 0.339008, 0.314917)),
    "walk-mamba2": ("e0ffbba8ba139e98", (0.333690, 0.330948, 0.311552)),
    "walk-qwen3.5": ("33eb5705489a34be", (0.342389, 0.339008, 0.314917)),
    "walk-granite-4-h": ("d883a175a0992397", (0.333248, 0.329413, 0.301970)),
    "walk-nemotron-h": ("f482d263a61af9b8", (0.333248, 0.329413, 0.301970)),
    "walk-falcon-h1": ("9ddf929dea9cab57", (0.333248, 0.329413, 0.301970)),
    "walk-llama": ("d23e58175567aeb5", (0.322611, 0, 0)),
}
"""By canary, the digest of its weights, and the proved leads at the longest length in fp32, fp16 and bf16."""
CONFIGURATIONS = {
    "llama": "907e45892cffb030",
    "checksum": "c4832eee30cdb1dc",
    "olmo-hybrid": "3b8fb67a31b9cf31",
    "mamba2": "2e80f6df57225882",
    "qwen3-next": "bd7d8db4e6fb272a",
    "qwen3.5": "7939914fc807e169",
    "granite-4-h": "be7ffc0de6f0a1ed",
    "nemotron-h": "2b99814c2fbdca2d",
    "falcon-h1": "ef976d35e292364e",
    "walk-qwen3-next": "bd7d8db4e6fb272a",
    "walk-mamba2": "83b168b8e909b145",
    "walk-qwen3.5": "7939914fc807e169",
    "walk-granite-4-h": "90e388073ce1f097",
    "walk-nemotron-h": "7107f2168ca0505c",
    "walk-falcon-h1": "bed31ceb1287f184",
    "walk-llama": "dfe9604fefacbee1",
    "jamba": "f339a2064274013b",
}
"""By canary, the digest of its configuration."""


@pytest.mark.parametrize("name", CANARIES)
def test_the_weights_are_the_same_bytes(name: str) -> None:
    digest = hashlib.sha256()
    for key, values in sorted(CANARIES[name].tensors().items()):
        digest.update(key.encode())
        digest.update(np.ascontiguousarray(values, dtype="<f4").tobytes())
    assert digest.hexdigest()[:16] == KNOWN[name][0]


@pytest.mark.parametrize("name", CANARIES)
def test_the_configuration_is_the_same(name: str) -> None:
    text = json.dumps(CANARIES[name].configuration(), sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == CONFIGURATIONS[name]


@pytest.mark.parametrize("name", CANARIES)
def test_the_proved_leads(name: str) -> None:
    canary = CANARIES[name]
    found = [canary.proved_lead(canary.longest, unit) for unit in UNITS]
    assert found == pytest.approx(KNOWN[name][1], abs=1e-6)


@pytest.mark.parametrize("name", CANARIES)
def test_the_declared_sizes_are_those_of_the_configuration(name: str) -> None:
    fields = CANARIES[name].configuration()
    assert BY_NAME[f"canary-{name}"].call("bound", {}) == {
        "layers": fields["num_hidden_layers"],
        "width": fields["hidden_size"],
    }


@pytest.mark.parametrize("name", CANARIES)
def test_a_theorem_is_about_the_canary_of_its_file(name: str) -> None:
    theorem = BY_NAME[f"canary-{name}"]
    canary = CANARIES[name]
    assert module_of(theorem).CANARY is canary
    assert (theorem.statement, canary.name) == (canary.statement, name)


@pytest.mark.parametrize("name", CANARIES)
def test_heads_have_sizes_that_kernels_ask_for(name: str) -> None:
    """The how-to names the exceptions."""
    fields = CANARIES[name].configuration()
    of_heads = ("head_dim", "mamba_d_head", "mamba_head_dim", "linear_key_head_dim", "linear_value_head_dim")
    sizes = {fields[field] for field in of_heads if field in fields}
    if "num_attention_heads" in fields and "head_dim" not in fields:
        sizes.add(fields["hidden_size"] // fields["num_attention_heads"])
    assert sizes
    assert (sizes <= {64, 128}) is (name not in ("olmo-hybrid", "checksum", "walk-mamba2"))


def test_every_canary_is_a_theorem() -> None:
    assert [*PLACES] == [f"canary-{name}" for name in CANARIES]
