"""A run as a value: its key never changes for a field at its default, and a field out of range is named in one line."""

import math

import pytest

from seqsep.lab.run import Run
from seqsep.tasks import BoundedDyck

SHAPE = {"task": BoundedDyck(6), "layers": ("attention",), "width": 8, "heads": 2}


def test_a_field_at_its_default_leaves_the_key():
    """A field at its default leaves the key as it was before the field existed."""
    plain = Run(**SHAPE)
    assert plain.key() == "1b0b874dbab7fb82efec3819a53ae6e1e1ba1adc560acc6a0b24807240482851"
    assert Run(**SHAPE, weight_scale=0.02).key() == plain.key()
    assert "weight_scale" not in plain.configuration()


def test_a_weight_scale_enters_key_and_weights():
    """A weight scale is kept in the configuration, and enters the key and the weights."""
    plain, wide = Run(**SHAPE), Run(**SHAPE, weight_scale=0.5)
    assert Run.from_configuration(wide.configuration()) == wide
    assert wide.key() != plain.key()
    assert float(wide.model().readout.weight.detach().std()) > 5 * float(plain.model().readout.weight.detach().std())


@pytest.mark.parametrize("name", ["embedding_scale", "weight_scale"])
@pytest.mark.parametrize("value", [0.0, -0.1, math.inf, math.nan])
def test_a_scale_is_finite_and_above_0(name, value):
    with pytest.raises(ValueError, match=rf"Run\(task=bounded.*{name} is (a finite number, )?above 0, found {value}") as error:
        Run(**SHAPE, **{name: value})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [0.0, 1000.0, math.inf, math.nan])
def test_a_learning_rate_names_both_bounds(value):
    with pytest.raises(ValueError, match=rf"learning_rate is (a finite number, )?above 0 and below 1,000, found {value}$"):
        Run(**SHAPE, learning_rate=value)
