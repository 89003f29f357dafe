"""A file or a text that a form sends: the fields of a body, as browsers write them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qsl

from seqsep.core.names import BadInput

MOST_FIELDS = 20
URL_ENCODED = "application/x-www-form-urlencoded"
BOUNDARY = re.compile(r"multipart/form-data;\s*boundary=\"?([\w'()+,./:=?-]{1,70})\"?", re.ASCII)
NAME = re.compile(rb'[; ]name="([^"\r\n]{1,100})"')


@dataclass(frozen=True)
class Upload:
    """The body of a form, and its content type.

    >>> Upload(b"token=a&config=%7B%7D", URL_ENCODED).text("config")
    '{}'
    """

    body: bytes
    kind: str

    @cached_property
    def fields(self) -> dict[str, bytes]:
        """The fields with their values; of two with one name, the last that is not empty. Empty for any other body."""
        found: dict[str, bytes] = {}
        for name, value in self._pairs():
            found[name] = value or found.get(name, b"")
        return found

    def text(self, name: str) -> str:
        """Return a field as text; empty if it is missing. Bytes that are not UTF-8 become replacement characters."""
        return self.fields.get(name, b"").decode("utf-8", "replace")

    def require(self, name: str, what: str) -> bytes:
        """Return a field. Raises BadInput if it is missing or empty."""
        value = self.fields.get(name, b"")
        if not value.strip():
            raise BadInput(f"expected {what}, found an empty form")
        return value

    def _pairs(self) -> Iterator[tuple[str, bytes]]:
        boundary = BOUNDARY.fullmatch(self.kind)
        if boundary is not None:
            yield from _parts(self.body, b"--" + boundary[1].encode())
        elif self.kind.partition(";")[0].strip().lower() == URL_ENCODED:
            try:
                pairs = parse_qsl(self.body.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
            except ValueError:  # not ASCII, or too many fields
                return
            yield from ((name, value.encode("utf-8", "surrogatepass")) for name, value in pairs)


def _parts(body: bytes, boundary: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the parts of a multipart body: each has lines of headers, an empty line, and the value."""
    for part in (b"\r\n" + body).split(b"\r\n" + boundary)[1 : MOST_FIELDS + 1]:
        head, found, value = part.partition(b"\r\n\r\n")
        name = NAME.search(head)
        if found and name is not None:
            yield name[1].decode("utf-8", "replace"), value
