"""The laws of declared properties: the size of the state, the tokens beyond a window, and the effect of a setting."""

from typing import Any

import torch

from seqsep.core.names import BadInput, text_of
from seqsep.language_models.capacity.declare import Declared, declare
from seqsep.language_models.laws.reader import ModelReader, copy_parameters
from seqsep.language_models.laws.settings import FEW, ROTARY, other_settings, with_chunks, with_window
from seqsep.language_models.laws.state import numbers, size_in_bytes
from seqsep.language_models.laws.trial import LawTrial, NotTried
from seqsep.language_models.loader.source import ModelSource, all_fields
from seqsep.models.laws.mixer import LawFails

SLIDING = "sliding_attention"


def state_is_declared(trial: LawTrial) -> None:
    """The tensors of the state have as many numbers as config.json declares, at every length. In bfloat16, they also have the
    declared number of bytes.
    """
    trial.require_state()
    declared = _declared(trial.source)
    lengths = (trial.time // 2, trial.time - 1, trial.time)
    for length in lengths:
        found = numbers(trial.reader.read(trial.tokens[:1, :length])[1])
        expected = sum(part.at(length, allocated=True) for layer in declared.layers for part in layer)
        if found != expected:
            raise LawFails(f"after {length} tokens: {found:,} numbers in the state, declared are {expected:,}")
    half = ModelReader(trial.source, torch.bfloat16)
    bits = sum(part.bits * part.at(trial.time, allocated=True) for layer in declared.layers for part in layer)
    found = size_in_bytes(half.read(trial.tokens[:1])[1])
    if 8 * found != bits:
        raise LawFails(f"in bfloat16 after {trial.time} tokens: {found:,} bytes in the state, declared are {bits // 8:,}")


def nothing_beyond_windows(trial: LawTrial) -> None:
    """If every layer has a short window, a token that is farther back than all windows together changes no logit."""
    config = all_fields(trial.source)
    if not with_window(config, 1):
        raise NotTried("no field of its config.json is a window")
    layers = int(config.get("num_hidden_layers") or 1)
    window = max(2, (trial.time - 2) // layers + 1)
    changes = with_window(config, window) | _all_sliding(config)
    narrow = _changed(trial.source, changes)
    parts = [part for layer in _declared(narrow).layers for part in layer]
    if not parts or any(part.fixed or part.tokens is None or part.rate for part in parts):
        raise NotTried("not every layer can be given a window")
    horizon = sum(max(part.tokens or 0 for part in layer) for layer in _declared(narrow).layers if layer)
    if horizon + 1 >= trial.time:
        raise NotTried(f"windows of {window} in {layers} layers reach {horizon} tokens back, more than the {trial.time} tried")
    reader = _with_weights_of(trial, narrow)
    expected = reader.whole(trial.tokens)
    first = trial.time - 1 - horizon
    changed = torch.cat([trial.other_tokens[:, :first], trial.tokens[:, first:]], 1)
    words = f"with windows of {window} in {layers} layers, other tokens before {first}, {horizon + 1} before the last"
    last = torch.zeros_like(trial.tokens)
    last[:, -1] = 1
    trial.require_same(words, reader.whole(changed), expected, last)
    nearer = torch.cat([trial.tokens[:, : trial.time - window], trial.other_tokens[:, trial.time - window :]], 1)
    nearer[:, -1] = trial.tokens[:, -1]
    if torch.equal(reader.whole(nearer)[:, -1], expected[:, -1]):
        raise LawFails(f"with windows of {window}, other tokens inside the window change no logits of the last token")


def settings_change_it(trial: LawTrial) -> None:
    """Each field that should change the function does: with another value, the logits differ."""
    config = all_fields(trial.source)
    plain = trial.exact.whole(trial.tokens)
    if not bool(plain.isfinite().all()):
        raise NotTried("its logits are NaN or infinite, and NaN differs from itself")
    tried = []
    without_effect = []
    for name, value in other_settings(config):
        if not has_part(trial.exact, name):
            continue
        try:
            reader = _with_weights_of(trial, _changed(trial.source, {name: value}))
            found = reader.whole(trial.tokens)
        except (NotTried, ValueError, KeyError, TypeError):
            continue  # what refuses a value has read it
        tried.append(name)
        if torch.equal(found, plain):
            without_effect.append(f"{name} {config[name]!r} -> {value!r}")
    if without_effect:
        raise LawFails(f"another value changes no logit: {'; '.join(without_effect)}")
    if not tried:
        raise NotTried("no field of its config.json is one of those that are known to change the function")


def has_part(reader: ModelReader, name: str) -> bool:
    """Return True if the model has the part of the field: a head for factors of logits, and rotary embeddings."""
    if "logit" in name and "attn" not in name:
        return reader.model.get_output_embeddings() is not None
    return name != ROTARY or any("rotary" in part for part, _ in reader.model.named_modules())


def kernels_agree(trial: LawTrial) -> None:
    """Settings of speed change no logit: keeping a state, the number of tokens that a kernel reads at once, the kernel of
    attention.
    """
    whole = trial.reference
    if trial.reader.keeps_state:
        trial.require_same("one pass that keeps its state", trial.reader.read(trial.tokens)[0], whole)
    config = all_fields(trial.source)
    for size in FEW:
        changes = with_chunks(config, size)
        if changes:
            shown = ", ".join(f"{name} {config[name]} -> {value}" for name, value in changes.items())
            found = _with_weights_of(trial, _changed(trial.source, changes)).whole(trial.tokens)
            trial.require_same(f"with {shown}", found, whole)
    model = trial.reader.model
    if not all(part._supports_sdpa for part in model.modules() if hasattr(part, "_supports_sdpa")):
        return
    model.set_attn_implementation("sdpa")
    try:
        found = trial.reader.whole(trial.tokens)
    finally:
        model.set_attn_implementation("eager")
    trial.require_same("with attn_implementation sdpa in place of eager", found, whole)


def _declared(source: ModelSource) -> Declared:
    try:
        return declare(source.where, source.config)
    except BadInput as error:
        raise NotTried(f"seqsep capacity cannot read it: {text_of(error)}") from error


def _all_sliding(config: dict[str, Any]) -> dict[str, Any]:
    kinds = config.get("layer_types")
    return {"layer_types": [SLIDING] * len(kinds)} if kinds and SLIDING in kinds else {}


def _changed(source: ModelSource, changes: dict[str, Any]) -> ModelSource:
    """Return the source with other fields. Raises NotTried if the library does not take one."""
    try:
        return source.but(changes)
    except BadInput as error:
        raise NotTried(text_of(error)) from error


def _with_weights_of(trial: LawTrial, source: ModelSource) -> ModelReader:
    """Return the model of another configuration with the same weights. Raises NotTried if they do not fit."""
    try:
        reader = ModelReader(source, trial.dtype)
    except BadInput as error:
        raise NotTried(f"its changed configuration cannot be built: {text_of(error)}") from error
    try:
        copy_parameters(trial.reader.model, reader.model)
    except ValueError as error:
        raise NotTried("with the changed configuration its weights have other shapes") from error
    return reader
