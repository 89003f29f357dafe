"""The card of a published model: its capacity, the laws of its state, what one layer of it cannot do, and an audit of weights.

The configuration alone gives the first and the third part. The laws need the extra `hf`. They are tested on the weights of a
folder, or without weights on a tiny copy of the model, whose layers have the same pattern. The audit needs weights.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from seqsep.core.names import BadInput
from seqsep.language_models.audit.answer import LanguageModelAudit, audit_language_model
from seqsep.language_models.capacity.answer import Capacity, capacity
from seqsep.language_models.capacity.one_layer_text import one_layer_sentences
from seqsep.language_models.laws.check import ModelVerdict
from seqsep.language_models.loader.library import TransformersMissing

WEIGHTS = ("*.safetensors", "*.safetensors.index.json")
GGUF = ".gguf"


@dataclass(frozen=True)
class ModelCard:
    """The card of a model.

    Fields:
        name: the file or folder, as it was given.
        capacity: what it keeps between tokens.
        one_layer: sentences about one layer alone, without the others.
        laws: a verdict for each law of state; empty if none was tested.
        tested: the weights that the laws were tested on, in words.
        audit: bits of the state that answers about phonebooks prove; None without weights.
        left_out: parts that are missing, with the reason.
    """

    name: str
    capacity: Capacity
    one_layer: tuple[str, ...] = ()
    laws: tuple[ModelVerdict, ...] = ()
    tested: str = ""
    audit: LanguageModelAudit | None = None
    left_out: dict[str, str] = field(default_factory=dict)


def model_card(path: Path, *, seconds: float = 300.0, say: Callable[[str], None] = lambda part: None) -> ModelCard:
    """Return the card of a folder, a config.json or a GGUF file. `say` is called with what begins.

    Raises BadInput, as `capacity` does, for a file that cannot be read.

    >>> import json, tempfile
    >>> config = Path(tempfile.mkdtemp()) / "config.json"
    >>> sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    >>> config.write_text(json.dumps({"model_type": "llama", "vocab_size": 256, **sizes})) > 0
    True
    >>> card = model_card(config)
    >>> int(card.capacity.numbers_per_token), card.tested, list(card.left_out)
    (256, 'random weights of a tiny copy with the same pattern of layers', ['audit'])
    """
    found = capacity(path)
    left_out = {}
    laws: tuple[ModelVerdict, ...] = ()
    tested = ""
    audited = None
    has_weights = path.is_dir() and any(list(path.glob(pattern)) for pattern in WEIGHTS)
    if path.suffix.lower() == GGUF:
        left_out = dict.fromkeys(("laws", "audit"), "a GGUF file is read for its header only")
    else:
        try:
            say("laws of its state")
            laws, tested = _laws(path, has_weights)
        except (BadInput, TransformersMissing) as error:
            left_out["laws"] = str(error)
        if has_weights:
            say("audit on phonebooks")
            try:
                audited = audit_language_model(path, seconds=seconds)
            except (BadInput, TransformersMissing) as error:
                left_out["audit"] = str(error)
        else:
            left_out["audit"] = f"{path} has no weights in safetensors"
    return ModelCard(str(path), found, tuple(one_layer_sentences(found)), laws, tested=tested, audit=audited, left_out=left_out)


def _laws(path: Path, has_weights: bool) -> tuple[tuple[ModelVerdict, ...], str]:
    """Return the verdicts, and the weights that they are about."""
    from seqsep.language_models.laws.check import try_laws
    from seqsep.language_models.loader.source import find_source
    from seqsep.language_models.loader.tiny import tiny
    from seqsep.language_models.model_file import require_model_file

    source = find_source(path, {}, only_config=not has_weights)
    require_model_file(source, {})
    tested = "the weights of the folder"
    if not has_weights:
        source = tiny(source)
        tested = "random weights of a tiny copy with the same pattern of layers"
    return tuple(try_laws(source)), tested
