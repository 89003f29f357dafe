"""Codebooks: so many values and no more, Lloyd's levels, and bits handed out like water."""

import math

import pytest
import torch

from seqsep.lab.audit.codebooks import Axes, Levels, handed_out, lloyd


@pytest.fixture(scope="module")
def rows():
    torch.manual_seed(0)
    mixed = torch.randn(6, 40)
    return torch.randn(700, 6) * torch.tensor([9.0, 4.0, 2.0, 1.0, 0.3, 0.1]) @ mixed


def books(rows):
    axes = Axes.fitted(rows)
    weights = torch.rand(len(axes.variances), dtype=torch.float64)
    yield from lloyd(rows)
    yield from axes.codebooks("variance", rows, torch.ones_like(weights), [0, 1, 2, 3, 5, 8, 40])
    yield from axes.codebooks("gradient", rows, weights, [4])


def test_a_codebook_of_b_bits_has_at_most_2_to_the_b_values(rows):
    """Tried on other states, some of them far away."""
    others = torch.cat([rows.flip(1), 100 * rows, torch.zeros(1, 40)])
    for book in books(rows):
        if book.bits <= 10:
            assert len(book.restored(others).unique(dim=0)) <= 2**book.bits
        assert torch.equal(book.restored(others)[:7], book.restored(others[:7]))


def test_more_bits_leave_less_error(rows):
    axes = Axes.fitted(rows)
    found = list(axes.codebooks("variance", rows, torch.ones_like(axes.variances), [0, 2, 6, 12, 24, 36]))
    errors = [float((book.restored(rows) - rows).square().sum(1).mean()) for book in found]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] == pytest.approx(float(axes.variances.sum()), rel=1e-3)
    assert errors[-1] < 0.005 * errors[0]


def test_axes_by_examples_and_by_numbers_agree(rows):
    """Fewer examples than numbers go by the Gram matrix: the same axes."""
    few, wide = Axes.fitted(rows[:30]), rows[:30].double()
    centred = wide - wide.mean(0)
    sizes = torch.linalg.eigvalsh(centred.T @ centred / 30).flip(0)[: len(few.variances)]
    torch.testing.assert_close(few.variances, sizes)
    torch.testing.assert_close(few.directions.T @ few.directions, torch.eye(len(sizes), dtype=torch.float64))


def test_large_states_are_read_in_parts(rows, monkeypatch):
    """Parts of five numbers, axes in 32 bits, two states at a time: the same codebooks up to that rounding."""
    few = rows[: rows.shape[1] - 3]
    whole = Axes.fitted(few)
    books = list(whole.codebooks("variance", few, torch.ones_like(whole.variances), [4, 16]))
    monkeypatch.setattr("seqsep.lab.audit.codebooks.NUMBERS_AT_ONCE", 5)
    monkeypatch.setattr("seqsep.lab.audit.codebooks.RESTORED_AT_ONCE", 2 * rows.shape[1])
    parts = Axes.fitted(few)
    assert (whole.directions.dtype, parts.directions.dtype) == (torch.float64, torch.float32)
    assert torch.allclose(parts.variances, whole.variances)
    for book, other in zip(books, parts.codebooks("variance", few, torch.ones_like(parts.variances), [4, 16]), strict=True):
        assert book.bits == other.bits
        assert torch.allclose(book.restored(rows), other.restored(rows), atol=1e-4)


def test_lloyds_levels_of_a_normal_scalar_are_maxs():
    """Max 1960, table I: two levels at 0.798, four at 0.4528 and 1.510."""
    scalars = torch.distributions.Normal(0, 1).icdf((torch.arange(20_000) + 0.5) / 20_000)[:, None]
    for bits, known in ((1, [0.798]), (2, [0.4528, 1.510])):
        values = Levels.fitted(scalars, bits).values[0].tolist()
        assert values[len(known) :] == pytest.approx(known, abs=0.02)


def test_few_values_are_kept_as_they_are():
    scalars = torch.tensor([[0.0, 5.0, 1.0], [0.0, 6.0, 1.0], [0.0, 9.5, 1.0], [7.0, 9.5, 1.0]])
    levels = Levels.fitted(scalars, bits=3)
    assert torch.equal(levels.restored(scalars).float(), scalars)
    assert levels.levels.tolist() == [2, 3, 1]
    assert levels.bits == 1 + math.ceil(math.log2(3)) + 0


def test_bits_go_to_the_greatest_remaining_variance():
    assert handed_out([100.0, 0.0, 26.0], bits=4) == [0, 2, 0, 2]
    assert len(handed_out([1.0], bits=50)) == 6
