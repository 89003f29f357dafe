"""Shapes and types are checked in every call of every test (pyproject.toml), but for tests that say it would take too long."""

from collections.abc import Iterator

import pytest
from jaxtyping import config


@pytest.fixture(autouse=True)
def _shapes(request: pytest.FixtureRequest) -> Iterator[None]:
    config.update("jaxtyping_disable", request.node.get_closest_marker("unchecked") is not None)
    yield
    config.update("jaxtyping_disable", False)
