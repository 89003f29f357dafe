"""Tests of mixers draw weights and inputs from one seed each."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)
