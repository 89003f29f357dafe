"""`seqsep.check_language_model`: the laws of state on the model in a file, which is checked before them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seqsep.core.names import whole_arguments
from seqsep.language_models.capacity.config import model_path
from seqsep.language_models.laws.check import LawsFail, ModelVerdict, choose_laws, try_laws
from seqsep.language_models.loader.source import find_source, require_fields
from seqsep.language_models.model_file import require_model_file


@whole_arguments
def check_language_model(
    path: Path | str, changes: dict[str, Any] | None = None, seed: int = 0, *, laws: Sequence[str] = ()
) -> list[ModelVerdict]:
    """Check laws of state on a causal language model; return a verdict for each law.

    Everything is computed in float64. If a law was not tested, `holds` of its verdict is None, and `where` is the reason.

    Arguments:
        path: folder of a model, or a config.json, which gets random weights.
        changes: values that replace fields of config.json.
        seed: random seed of weights and inputs.
        laws: names of laws, by default all.

    Raises LawsFail if a law fails, after a test of all laws; its message has the token at which each law fails, and its
    `verdicts` are the verdicts about all laws. Raises BadInput for anything except such a model: an empty path, an
    encoder-decoder, a window below 1, or a file without the sizes that `transformers` reads. Raises TransformersMissing
    without the extra hf.

    >>> import json, tempfile
    >>> config = Path(tempfile.mkdtemp()) / "config.json"
    >>> sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 32}
    >>> config.write_text(json.dumps({"model_type": "llama", **sizes})) > 0
    True
    >>> sorted(verdict.law for verdict in check_language_model(config) if verdict.holds is None)
    ['beyond windows', 'window passed by one']
    """
    path = model_path(path)
    source = find_source(path, changes or {}, seed)
    require_model_file(source, changes or {})
    chosen = choose_laws(laws)
    require_fields(source, changes or {})
    verdicts = list(try_laws(source, seed=seed, laws=chosen))
    if any(verdict.holds is False for verdict in verdicts):
        raise LawsFail(verdicts, path)
    return verdicts
