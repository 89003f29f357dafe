"""A model's config.json: a field is read strictly if it is used, and ignored otherwise.

NaN and Infinity, which are not JSON, are in real files (`time_step_limit`), so they are let through; a field that is read
takes whole numbers, flags, words or finite ratios only, each with its limits.
"""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from seqsep.core.files import read_bytes
from seqsep.core.names import BadInput, excerpt, printable

MOST_BYTES = 4 << 20
MOST_LAYERS = 10_000
MOST_NESTED = 50
"""Lists and objects inside each other, so that none who walks through them reaches the end of Python's stack."""
MOST_FIELD = 1 << 31
"""No field of a model comes near it."""


def read_config(path: Path | str) -> dict[str, Any]:
    """Return the object that a config.json holds. Raises BadInput, with the file's name, for any other content.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "config.json"
    >>> path.write_text('{"model_type": "mamba", "time_step_limit": [0.0, Infinity]}') and read_config(path)["model_type"]
    'mamba'
    """
    path = Path(path) / "config.json" if Path(path).is_dir() else Path(path)
    where = printable(str(path))
    try:
        data = read_bytes(path, most=MOST_BYTES)
    except FileNotFoundError:
        raise BadInput(f"{where}: expected a model's config.json, found no such file") from None
    return config_of(where, data)


def model_path(path: Path | str) -> Path:
    """Return the path of a model. Raises BadInput for an empty text, which would be the current folder.

    >>> model_path("models/mine").name
    'mine'
    """
    if not str(path):
        raise BadInput("expected the path of a model, found an empty text")
    return Path(path)


def config_of(where: str, data: bytes) -> dict[str, Any]:
    """Return the object that the bytes of a config.json hold. Raises BadInput as `read_config` does.

    >>> config_of("config.json", b'{"model_type": "mamba"}')
    {'model_type': 'mamba'}
    """
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_without_duplicates)
    except UnicodeDecodeError as error:
        raise BadInput(f"{where}: expected text in UTF-8, found byte {data[error.start]:#x} at {error.start}") from error
    except RecursionError as error:
        raise BadInput(f"{where}: expected a config.json, found lists or objects nested too deep") from error
    except ValueError as error:
        raise BadInput(f"{where}: expected a JSON object, found: {excerpt(' '.join(str(error).split()), 120)}") from error
    if not isinstance(value, dict):
        raise BadInput(f"{where}: expected a JSON object, found {_kind(value)}")
    require_shallow(where, value)
    return value


def require_shallow(where: str, value: Any) -> None:
    """Raise BadInput for a value of JSON with more than 50 lists and objects inside each other.

    >>> require_shallow("config.json", json.loads("[" * 51 + "]" * 51))
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: config.json: expected at most 50 lists or objects inside each other, found more
    """
    level = [value]
    for _ in range(MOST_NESTED + 1):
        nested = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        if not nested:
            return
        level = [part for one in nested for part in one]
    raise BadInput(f"{where}: expected at most {MOST_NESTED} lists or objects inside each other, found more")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"field {excerpt(printable(twice))!r} twice")
    return found


class Fields:
    """The fields of one model, each read with what it must be.

    `values` is what the file says, `defaults` what the library takes where the file says nothing. A field that is null is not
    absent: its default does not count. `stored` is the name in the file of each field that has another one there.

    >>> fields = Fields("config.json", {"state_size": 16, "head_dim": None}, {"expand": 2, "head_dim": 64})
    >>> fields.whole("state_size"), fields.whole("expand"), fields.optional("head_dim")
    (16, 2, None)
    >>> Fields("config.json", {"state_size": "16"}, {}).whole("state_size")
    Traceback (most recent call last):
        ...
    seqsep.core.names.BadInput: config.json: state_size: expected a whole number from 1 to 2147483648, found the text '16'
    """

    def __init__(
        self,
        where: str,
        values: Mapping[str, Any],
        defaults: Mapping[str, Any],
        taken: dict[str, Any] | None = None,
        *,
        stored: Mapping[str, str] | None = None,
    ) -> None:
        self.where = where
        self.values = values
        self.defaults = defaults
        self.stored: Mapping[str, str] = stored or {}
        self.taken: dict[str, Any] = {} if taken is None else taken
        """Each default that was read, and what stands for a field that neither the file nor the library gives."""

    def over(self, further: Mapping[str, Any]) -> "Fields":
        """Return the same fields with some of them as one layer has them."""
        return Fields(self.where, {**self.values, **further}, self.defaults, self.taken, stored=self.stored)

    def has(self, name: str) -> bool:
        """Return True if the file has a value other than null, or the library has such a default."""
        return self.get(name) is not None

    def get(self, name: str) -> Any:
        """Return the value as it is: of the file, else the default, else None. A default that is read is noted in `taken`."""
        if name in self.values:
            return self.values[name]
        default = self.defaults.get(name)
        if default is not None:
            self.taken[name] = default
        return default

    def instead(self, name: str, value: int) -> int:
        """Return a value for a field that the file may leave out, and note it in `taken` if it does."""
        if name not in self.values:
            self.taken[name] = value
        return value

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise BadInput that names file and field, what was expected and what was found."""
        shown = self.stored.get(name, name)
        raise BadInput(f"{self.where}: {shown}: expected {expected}, found {_kind(self.get(name))}")

    def whole(self, name: str, least: int = 1, most: int = MOST_FIELD) -> int:
        """Return a whole number in a range."""
        value = self.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.refuse(name, f"a whole number from {least} to {most}")
        return value

    def optional(self, name: str, least: int = 1) -> int | None:
        """Return a whole number in a range, or None if the field is null or absent."""
        return self.whole(name, least) if self.has(name) else None

    def window(self, name: str = "sliding_window", *, has_switch: bool = True) -> int | None:
        """Return the size of a window, or None if the field is null or absent; `has_switch` says that null switches it off."""
        value = self.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_FIELD):
            self.refuse(name, f"a whole number from 1 to {MOST_FIELD}{' (null switches the window off)' if has_switch else ''}")
        return value

    def ratio(self, name: str) -> Fraction:
        """Return a finite positive number, exactly."""
        value = self.get(name)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or not 0 < value <= MOST_FIELD
        ):
            self.refuse(name, f"a positive number up to {MOST_FIELD}")
        return Fraction(value)

    def flag(self, name: str) -> bool:
        """Return true or false; null and absent are false."""
        value = self.get(name)
        if value is not None and not isinstance(value, bool):
            self.refuse(name, "true or false")
        return bool(value)

    def words(self, name: str, length: int | None = None) -> list[str] | None:
        """Return a list of words, as many as there are layers; None if the field is null or absent."""
        return self._items(name, length, str, "words")

    def places(self, name: str, length: int | None = None) -> list[int] | None:
        """Return a list of whole numbers from 0; None if the field is null or absent."""
        found = self._items(name, length, int, "whole numbers")
        if found is not None and any(isinstance(item, bool) or not 0 <= item <= MOST_FIELD for item in found):
            self.refuse(name, f"whole numbers from 0 to {MOST_FIELD}")
        return found

    def _items(self, name: str, length: int | None, kind: type, plural: str) -> list[Any] | None:
        value = self.get(name)
        if value is None:
            return None
        many = "" if length is None else f"{length} "
        fits = isinstance(value, list) and len(value) <= MOST_LAYERS and all(isinstance(item, kind) for item in value)
        if not fits or length not in (None, len(value)):
            self.refuse(name, f"a list of {many}{plural}{' (one a layer)' if many else ''}")
        return list(value)

    def inner(self, name: str) -> "Fields":
        """Return the fields of an inner object; without any if it is null or absent."""
        value = self.get(name)
        if value is not None and not isinstance(value, dict):
            self.refuse(name, "an object")
        return Fields(f"{self.where}: {name}", value or {}, {})

    def divided(self, name: str, by: str) -> int:
        """Return a width divided among heads. Raises BadInput if they do not divide it."""
        width = self.whole(name)
        heads = self.whole(by)
        if width % heads:
            raise BadInput(f"{self.where}: {by}: expected a divisor of {name}, {width}, found {heads}")
        return width // heads

    @property
    def layers(self) -> int:
        """The number of layers in the file."""
        return self.whole("num_hidden_layers", most=MOST_LAYERS)


def _kind(value: Any) -> str:
    """Return the kind of a value, in few words."""
    if value is None:
        return "nothing or null"
    if isinstance(value, str):
        return f"the text {excerpt(printable(value))!r}"
    if isinstance(value, Mapping):
        return f"an object of {len(value)} fields"
    if isinstance(value, Sequence):
        return f"a list of {len(value)}"
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a number of more than 40 digits"
    return excerpt(str(value))
