"""A network that is built for all sizes of a task, on either grid, and the functions that its theorem therefore has.

A theorem gives the network, the bound of its sizes and the trials of its task. `TaskConstruction.functions` are further fields
of `Theorem`. A size, its range and its meaning are declared once, in the signature of `build`. The other functions read it.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, get_type_hints

from seqsep.core.names import docstring
from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Claim, Number, Outcome, Predictor
from seqsep.theorems.blocks import ROUNDINGS
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.options import GridRounding, Seed
from seqsep.theorems.trial import Trial, logits_apart, query_scale

CHECKED: Mapping[str, int] = {"length": 64}
"""The sizes of a check by default."""
NOT_SIZES = ("rounding", "eta")


class Sized(Protocol):
    """A task of a certain size."""

    @property
    def length(self) -> int:
        """N, the most symbols of an input."""


T = TypeVar("T", bound=Sized)


@dataclass(frozen=True)
class TaskTrials(Generic[T]):
    """The functions that test any network for one task.

    Fields:
        task: function from the sizes to the task; the sizes are also attributes of the task.
        put: function that puts inputs of the task to a trial and returns whether these are all inputs.
        series: function from `TaskConstruction.checked` and a seed to the outcomes of the long check.
        answering: function from a network and its task to a function from a user's input to the answer.
        evidence: function from a network, its task and a seed to the content of a certificate.
    """

    task: Callable[..., T]
    put: Callable[..., bool]
    series: Callable[..., list[Outcome]]
    answering: Callable[[Network, T], Predictor]
    evidence: Callable[[Network, T, int], Evidence]


@dataclass(frozen=True, kw_only=True)
class TaskConstruction(Generic[T]):
    """A network for all sizes of a task and both grids, with its bound.

    Fields:
        claim: the claim of the theorem.
        build: function from the sizes, a rounding and a scale of the scores to the network; its signature declares the sizes.
        bound: function from the task and a rounding to the bound of each size.
        trials: the trials of the task.
        certified: the sizes of a certificate by default.
        proved: function from the task and the grid to the least margin of the logits that is proved.
        as_printed: function from the task to the sizes in the paper.
        variant: the variant of an outcome, with the task and the rounding in braces.

    >>> from seqsep.theorems.retrieval.recall_attention import CONSTRUCTION
    >>> outcome = CONSTRUCTION.checked(CONSTRUCTION.trials.task(length=3, alphabet=2, gram=2), "floor", seed=0)
    >>> outcome.inputs, outcome.exhaustive, outcome.variant
    (28, True, 'c = 2, grid floor')
    """

    claim: Claim
    build: Callable[..., Network]
    bound: Callable[[T, str], Mapping[str, Number]]
    trials: TaskTrials[T]
    certified: Mapping[str, int]
    proved: Callable[[T, Grid], float] = lambda task, grid: 1.0
    as_printed: Callable[[T], Mapping[str, Number | str] | None] = lambda task: None
    variant: str = "grid {rounding}"

    def checked(self, task: T, rounding: str, seed: int, *some: int | None) -> Outcome:
        """Put inputs of a task to its network on one grid; `some` goes to the trials' `put`.

        Raises TheoremFails with the input that is answered wrongly, or the size or margin that exceeds its bound.
        """
        network = self.build(**{size.name: getattr(task, size.name) for size in self._sizes()}, rounding=rounding)
        has_margin = len(network.readout.integers) > 1
        trial = Trial(self.claim.name, network, logits_apart if has_margin else None)
        exhaustive = self.trials.put(trial, task, seed, *some)
        bound = self.bound(task, rounding)
        return trial.outcome(
            self.claim,
            bound,
            more={"eta": query_scale(network)} if "eta" in bound else None,
            proved=self.proved(task, network.grid),
            length=task.length,
            exhaustive=exhaustive,
            as_printed=self.as_printed(task),
            variant=self.variant.format(task=task, rounding=rounding),
        )

    def check(self, rounding: GridRounding | None = None, seed: Seed = 0, **sizes: Any) -> list[Outcome]:
        """Build the network for each grid (or for one) and ask it, on the grid, and the first inputs in float64 too."""
        task = self.trials.task(**sizes)
        roundings = ROUNDINGS if rounding is None else (rounding,)
        return [self.checked(task, one, seed) for one in roundings]

    def verify(self, seed: int = 0, **inputs: int) -> list[Outcome]:
        """Check the trials' long series; `inputs` replace the least numbers of inputs in it."""
        return self.trials.series(self.checked, seed=seed, **inputs)

    def predictor(self, **sizes: Any) -> Predictor:
        """Answer a user's input by the built weights."""
        return self.trials.answering(self.build(**sizes), self.trials.task(**sizes))

    def certificate_witness(self, seed: Seed = 0, **sizes: Any) -> Evidence:
        """Show the network's answers."""
        return self.trials.evidence(self.build(**sizes), self.trials.task(**sizes), seed)

    def constants(self, rounding: GridRounding = "floor", **sizes: Any) -> Mapping[str, Number]:
        """The bound at one length; nothing is built."""
        return self.bound(self.trials.task(**sizes), rounding)

    @property
    def functions(self) -> dict[str, Any]:
        """The functions of the theorem, by the names of their fields in `Theorem`."""
        inputs = docstring(self.trials.put).partition("\n\n")[0]
        evidence = docstring(self.trials.evidence)
        return {
            "check": self._with_sizes(self.check, f"{docstring(self.check)}\n\n{inputs}", CHECKED),
            "build": self.build,
            "bound": self._with_sizes(self.constants, docstring(self.constants)),
            "predictor": self._with_sizes(self.predictor, docstring(self.trials.answering)),
            "verify": self.verify,
            "certificate_witness": self._with_sizes(self.certificate_witness, evidence, self.certified),
        }

    def _sizes(self) -> list[inspect.Parameter]:
        """The parameters of `build` that are sizes, with their types."""
        types = get_type_hints(self.build, include_extras=True)
        found = inspect.signature(self.build).parameters.values()
        return [parameter.replace(annotation=types[parameter.name]) for parameter in found if parameter.name not in NOT_SIZES]

    def _with_sizes(self, method: Callable[..., Any], words: str, defaults: Mapping[str, int] | None = None) -> Any:
        """A method with the sizes in place of its `**sizes`, with other defaults, and a docstring for its help."""
        types = get_type_hints(method, include_extras=True)
        own = [option for option in inspect.signature(method).parameters.values() if option.name != "sizes"]
        sizes = [size.replace(default=(defaults or {}).get(size.name, size.default)) for size in self._sizes()]
        signature = inspect.Signature([*sizes, *(option.replace(annotation=types[option.name]) for option in own)])

        def declared(*given: Any, **named: Any) -> Any:
            options = signature.bind(*given, **named)
            options.apply_defaults()
            return method(**options.arguments)

        declared.__signature__ = signature  # type: ignore[attr-defined]
        declared.__annotations__ = {name: parameter.annotation for name, parameter in signature.parameters.items()}
        declared.__doc__ = words
        return declared
