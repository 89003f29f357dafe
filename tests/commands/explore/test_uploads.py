"""Bodies of forms, as browsers write them, and hostile ones."""

import random

import pytest

from seqsep.commands.explore.uploads import MOST_FIELDS, URL_ENCODED, Upload
from seqsep.core.names import BadInput

MULTIPART = "multipart/form-data; boundary=XyZ"


def multipart(**fields):
    parts = [
        f'--XyZ\r\nContent-Disposition: form-data; name="{name}"; filename="a"\r\nContent-Type: x/y\r\n\r\n'.encode() + value
        for name, value in fields.items()
    ]
    return b"\r\n".join([*parts, b"--XyZ--\r\n"])


def test_a_file_arrives_byte_by_byte():
    data = bytes(random.Random(0).randbytes(5000)) + b"\r\n--Xy"
    assert Upload(multipart(token=b"t", file=data), MULTIPART).fields == {"token": b"t", "file": data}


def test_an_encoded_form_is_read():
    found = Upload(b"token=a&config=%7B%22x%22%3A+1%7D", URL_ENCODED)
    assert found.text("config") == '{"x": 1}'
    assert found.text("missing") == ""


def test_an_empty_field_does_not_hide_one_with_a_value():
    assert Upload(b"second=&second=b&second=", URL_ENCODED).text("second") == "b"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", MULTIPART),
        (b"--XyZ", MULTIPART),
        (b"--XyZ\r\n\r\n\r\n", MULTIPART),
        (b'--XyZ\r\nContent-Disposition: form-data; name=""\r\n\r\nx', MULTIPART),
        (b"token=a", "text/plain"),
        (b"token=a", ""),
        (b"token=a", "multipart/form-data"),
        (b"token=a", f"multipart/form-data; boundary={'x' * 200}"),
        (b"\xff\xfe=a", URL_ENCODED),
        (b"&".join(b"a=1" for _ in range(MOST_FIELDS + 1)), URL_ENCODED),
    ],
)
def test_other_bodies_have_no_fields(body, kind):
    assert Upload(body, kind).fields == {}


def test_a_form_of_many_parts_is_cut():
    body = multipart(**{f"f{place}": b"x" for place in range(10 * MOST_FIELDS)})
    assert len(Upload(body, MULTIPART).fields) == MOST_FIELDS


def test_an_empty_form_is_refused_by_name():
    with pytest.raises(BadInput, match="expected a file or a text, found an empty form"):
        Upload(b"token=a", URL_ENCODED).require("text", "a file or a text")


def test_random_bodies_raise_nothing():
    source = random.Random(1)
    for _ in range(300):
        piece = source.choice([b"--XyZ", b"\r\n\r\n", b'; name="a"', b"\r\n", b"=", b"&", source.randbytes(9)])
        body = piece * source.randrange(5) + source.randbytes(source.randrange(40)) + piece
        assert isinstance(Upload(body, source.choice([MULTIPART, URL_ENCODED])).fields, dict)
