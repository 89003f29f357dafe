"""Folders of small models as users have them, made once."""

import pytest

from support.language_models import FAMILIES, build, bytes_tokenizer, save


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """A folder for each family, with weights drawn at random."""
    made = bytes_tokenizer()
    place = tmp_path_factory.mktemp("models")
    return {family: save(place / family, build(family, len(made)), made) for family in FAMILIES}
