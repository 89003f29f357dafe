"""The papers' own numbers, typed: papers.json holds every value of their figures, and its source.

Architectures have our names here ("retention" for the paper's RetNet); `label` keeps the paper's, with (depth, width).
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from seqsep.core.names import required

SEPARATIONS = "https://arxiv.org/abs/2406.09347"
OURS = {"linear_attention": "linear-attention", "retnet": "retention"}


@dataclass(frozen=True)
class PaperModel:
    """One model of a figure: accuracy as a fraction by length in tokens."""

    architecture: str
    label: str
    depth: int
    width: int
    accuracy: dict[int, float]


@dataclass(frozen=True)
class PaperSetting:
    """A setting of the paper's experiments, as section 6 and appendix H state it."""

    name: str
    paper: str


SETTINGS = (
    PaperSetting("Attention on index lookup (depth, width)", "(1, 64)"),
    PaperSetting("Recurrent models on index lookup (depth, width)", "LSTM (3, 256); the others (6, 256)"),
    PaperSetting("Models on Dyck-(2,2) (depth, width)", "LSTM, Mamba (1, 64); attention (1, 64), (2, 64), (1, 256)"),
    PaperSetting("Lengths of index lookup", "20, 50, 100, 200, 400"),
    PaperSetting("Alphabet of index lookup", "64 symbols"),
    PaperSetting("Lengths of Dyck-(2,2)", "20 to 400 (curves at 400)"),
    PaperSetting("Training steps, at most", "250,000"),
    PaperSetting("Learning rates", "0.01, 0.005, 0.001, 0.0005, 0.0001, 0.00005, 0.000001"),
    PaperSetting("Positions", "absolute for Transformers, most of them; of the others it is not stated"),
    PaperSetting("Deviation of embeddings at the start", "not stated; 0.02 in GPT-2"),
    PaperSetting("Deviation of read-out and linear layers at the start", "not stated; 0.02 in GPT-2"),
    PaperSetting("Examples a step", "64, fresh ones"),
    PaperSetting("Evaluation examples", "5,000"),
    PaperSetting("Seeds", "not stated"),
    PaperSetting("Hardware", "8 V100 and 16 GTX 1080 Ti; at most 1,200 GPU-hours in all"),
)


@cache
def _papers() -> dict[str, Any]:
    papers: dict[str, Any] = json.loads(
        files("seqsep.lab.experiments.claims").joinpath("papers.json").read_text(encoding="utf-8")
    )
    return papers


def paper_models(figure: str) -> list[PaperModel]:
    """Return the models of a figure, in the paper's order."""
    data = _papers()["separations"][figure]
    models = []
    for label, percents in data["accuracy_percent"].items():
        match = required(re.fullmatch(r"(\w+)-\((\d+),(\d+)\)", label), f"architecture-(depth,width) in {label!r}")
        name, depth, width = match.groups()
        accuracy = {length: percent / 100 for length, percent in zip(data["lengths"], percents, strict=True)}
        models.append(
            PaperModel(architecture=OURS.get(name, name), label=label, depth=int(depth), width=int(width), accuracy=accuracy)
        )
    return models


def figure2_index_lookup() -> dict[str, PaperModel]:
    """Return the paper's models of index lookup by architecture, alphabet 64."""
    return {one.architecture: one for one in paper_models("figure2_index_lookup")}


def figure3_mamba_width() -> dict[int, PaperModel]:
    """Return the paper's models of index lookup with two layers of Mamba, by width."""
    return {one.width: one for one in paper_models("figure3_mamba_width_index_lookup")}


def figure2_dyck() -> str:
    """Return the results of figure 2 on Dyck-(2,2), in words."""
    text: str = _papers()["separations"]["figure2_dyck_2_2_curves_length_400"]["text"]
    return text


def printed(figure: str, size: tuple[str, int, int], length: int) -> float | None:
    """Return the accuracy of (architecture, depth, width) at a length in a figure of the paper; None if the figure has none.

    If the figure has the architecture at one size only, that is the size meant.

    >>> printed("figure2_index_lookup", ("mamba", 6, 256), 100)
    0.902
    """
    same = [one for one in paper_models(figure) if one.architecture == size[0]]
    if len(same) > 1:
        same = [one for one in same if (one.architecture, one.depth, one.width) == size]
    return same[0].accuracy.get(length) if same else None


def is_tree_accuracy(trace: str, model: str, vertices: int) -> float | None:
    """Return the accuracy of a model of Wen, Dang, Lyu 2025, named like mamba-0.5M, on IsTree; None if they plot none.

    Read off the bars of their figures 2 and 5, to within 0.003.

    >>> is_tree_accuracy("cot", "mamba-0.5M", 32)
    0.55
    >>> is_tree_accuracy("peel", "mamba-0.5M", 32) is None
    True
    """
    figure = _papers()["is_tree"]
    if model not in figure.get(trace, ()) or vertices not in figure["vertices"]:
        return None
    accuracy: float = figure[trace][model][figure["vertices"].index(vertices)]
    return accuracy
