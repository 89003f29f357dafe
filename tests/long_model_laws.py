"""The long check of the laws of state: what holds in the models of transformers, injected faults, and no false alarm.

`verify()` tries every law on tiny random models of many types and compares what fails with results/model-laws.json, does so
again in a later release, which is installed with pip into a folder that is then removed, injects eight faults into three
families and a fault for each law of serving into all types on which it holds, tries healthy models of the three families with
100 seeds, and runs the scripts that show each failure without seqsep.
It also tries the laws on the same types inside of `text_config`, and makes tiny copies of published configurations.
`python tests/long_model_laws.py` writes results/model-laws.json, model-laws-nested.json and model-laws-later.json there;
`python tests/long_model_laws.py --nested` writes only the second.
"""

import json
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqsep.theorems import Claim, Outcome
from support.kept_verdicts import WORKERS, Verdicts, beside_kept, failing, in_parts, kept_text, outcome, scripts
from support.released import install, run

ROOT = Path(__file__).parents[1]
ROOMS = ROOT / "src/seqsep/language_models"
KEPT = ROOT / "results/model-laws.json"
KEPT_NESTED = ROOT / "results/model-laws-nested.json"
KEPT_LATER = ROOT / "results/model-laws-later.json"
LATER = "5.24.0"
"""In it the argument of a state is `cache` where it had other names; it needs the packages of the one in constraints.txt."""
SCRIPTS = ROOT / "examples/transformers_state"
NAME = "model-laws"
SOURCES = tuple(
    sorted(f"language_models/{path.relative_to(ROOMS)}" for room in ("laws", "loader") for path in (ROOMS / room).glob("*.py"))
)
WORDS = "Laws of state, tried on tiny random models: what fails is what results/model-laws.json says"
TYPES = Claim(NAME, "seqsep check --model", WORDS)
TYPES_LATER = Claim(NAME, "seqsep check --model", f"{WORDS}; in transformers {LATER}, model-laws-later.json")
NESTED = Claim(NAME, "seqsep check --model", f"{WORDS}; inside of text_config, model-laws-nested.json")
TINY = Claim(NAME, "seqsep check --model --tiny", "A published configuration has a tiny copy with every kind of its layers")
FAULTS = Claim(NAME, "seqsep check --model", "Each injected fault breaks a law")
FAULTS_OF_SERVING = Claim(NAME, "seqsep check --model", "An injected fault breaks its law on all types on which the law holds")
ALARMS = Claim(NAME, "seqsep check --model", "No other law fails with other seeds than those that results/model-laws.json has")
SHOWN = Claim(NAME, "examples/transformers_state", "A script of a few lines shows a failure without seqsep")
SEEDS = 100
TIME = 16


def verify() -> list[Outcome]:
    """One outcome for each model type, fault, healthy family and script."""
    types = beside_kept(TYPES, tried_on_types(), KEPT, TIME)
    later = beside_kept(TYPES_LATER, tried_later(), KEPT_LATER, TIME, f"tiny models, transformers {LATER}")
    nested = beside_kept(NESTED, tried_nested(), KEPT_NESTED, TIME, "tiny models in text_config")
    return [
        *types,
        *later,
        *nested,
        *tiny_copies(),
        *faults(),
        *faults_of_serving(),
        *healthy(),
        *scripts(SHOWN, SCRIPTS, TIME),
    ]


def tried_later() -> Verdicts:
    """The verdicts by model type in the later release, in an interpreter of its own."""
    with TemporaryDirectory() as folder:
        install(folder, f"transformers=={LATER}")
        done = run([__file__, f"{folder}/{KEPT_LATER.name}"], folder)
        if done.returncode:
            raise RuntimeError(f"{NAME}: transformers {LATER}: {done.stderr[-1000:]}")
        kept = json.loads(Path(folder, KEPT_LATER.name).read_text(encoding="utf-8"))
    assert kept["versions"]["transformers"] == LATER
    models: Verdicts = kept["models"]
    return models


def write(path: Path) -> None:
    """Try every type in the installed release, and keep what is found."""
    path.write_text(kept_text({name: version(name) for name in ("transformers", "torch")}, tried_on_types()), encoding="utf-8")


def tried_on_types() -> Verdicts:
    """The verdicts by model type."""
    from support.law_models import names_of_types

    return in_parts(tried, names_of_types())


def tried_nested() -> Verdicts:
    """The verdicts by model type, each inside of another one."""
    from support.law_models import nested_types

    return in_parts(tried_inside, nested_types())


def tiny_copies() -> list[Outcome]:
    """An outcome for each published model that transformers has; `kinds_are_kept` says what holds."""
    from support.published_sizes import kinds_are_kept, runs_here

    warnings.simplefilter("ignore")
    return [outcome(TINY, model.name, kinds_are_kept(model), inputs=1, length=TIME) for model in runs_here()]


def tried_inside(names: list[str]) -> Verdicts:
    """The verdicts on some types as `text_config` of another one."""
    return tried(names, is_nested=True)


def tried(names: list[str], is_nested: bool = False) -> Verdicts:
    """The verdicts on some types, in one process and another one that gets bytes."""
    import torch

    from seqsep.language_models.laws.check import try_laws
    from seqsep.language_models.laws.receiver import Receiver
    from seqsep.language_models.loader.source import ModelSource
    from support.law_models import fields_of, nested

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found = {}
    with Receiver() as receiver:
        for name in names:
            config = nested(fields_of(name)) if is_nested else fields_of(name)
            found[name] = [verdict.record() for verdict in try_laws(ModelSource(name, config), receiver=receiver)]
            print(f"{name}: fails {failing(found[name])}", flush=True)
    return found


def faults() -> list[Outcome]:
    """Eight faults in three families, with five seeds each; a fault is caught if a law fails."""
    from seqsep.language_models.laws.check import try_law
    from seqsep.language_models.laws.receiver import Receiver
    from support.faulty_readers import FAMILIES, KINDS_OF_FAULTS, FaultyReader

    laws = ("token by token", "in chunks", "padding on the left", "padding of one sequence", "padding in chunks")
    found = []
    with Receiver() as receiver:
        for name in FAMILIES:
            for seed in range(5):
                trial = trial_of(name, seed, receiver)
                for kind in KINDS_OF_FAULTS:
                    trial.reader = FaultyReader(trial.exact, kind)
                    is_caught = any(try_law(law, trial).holds is False for law in laws)
                    found.append(outcome(FAULTS, f"{name}: {kind}", is_caught, inputs=1, length=TIME))
    return found


def faults_of_serving() -> list[Outcome]:
    """One outcome for each law of serving: its fault is caught on all types on which the kept verdict is that it holds."""
    from support.faulty_serving import FAULTS as OF_SERVING

    pairs = [(law, name) for law in OF_SERVING for name, laws in kept_models().items() if _holds(laws, law)]
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(not_caught, [pairs[worker::WORKERS] for worker in range(WORKERS)]))
    missed = [pair for part in parts for pair in part]
    found = []
    for law, fault in OF_SERVING.items():
        names = [name for of, name in missed if of == law]
        count = sum(of == law for of, _ in pairs)
        print(f"{law}: {fault}: {count} types, not caught on {names}", flush=True)
        found.append(outcome(FAULTS_OF_SERVING, f"{law}: {fault}", not names, inputs=count, length=TIME))
    return found


def not_caught(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The laws and types on which the law still holds with its fault."""
    import torch

    from seqsep.language_models.laws.check import try_law
    from seqsep.language_models.laws.receiver import Receiver
    from seqsep.language_models.laws.trial import LawTrial
    from seqsep.language_models.loader.source import ModelSource
    from support.faulty_serving import FaultyServing
    from support.law_models import fields_of

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found = []
    for law, name in pairs:
        source = ModelSource(name, fields_of(name))
        trial = LawTrial(source, time=TIME, batch=2, seed=0, dtype=torch.float64, receiver=Receiver())
        trial.reader = FaultyServing(trial.exact, law)
        if try_law(law, trial).holds is not False:
            found.append((law, name))
    return found


def kept_models() -> Verdicts:
    """The kept verdicts by model type."""
    models: Verdicts = json.loads(KEPT.read_text(encoding="utf-8"))["models"]
    return models


def _holds(laws: list[dict[str, Any]], name: str) -> bool:
    return any(law["law"] == name and law["holds"] for law in laws)


def healthy(seeds: int = SEEDS) -> list[Outcome]:
    """Every law on healthy models of three families, with other weights and tokens for each seed."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(alarms, [range(worker, seeds, WORKERS) for worker in range(WORKERS)]))
    counts = {name: sum(part[name] for part in parts) for name in parts[0]}
    return [outcome(ALARMS, f"{name}: healthy", not count, inputs=seeds, length=TIME) for name, count in counts.items()]


def alarms(seeds: range) -> dict[str, int]:
    """The number of laws that fail and do not fail in the kept verdicts, by family, over these seeds."""
    import torch

    from seqsep.language_models.laws.check import LANGUAGE_MODEL_LAWS, try_law
    from seqsep.language_models.laws.receiver import Receiver
    from support.faulty_readers import FAMILIES

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found = dict.fromkeys(FAMILIES, 0)
    known = {name: failing(laws) for name, laws in kept_models().items()}
    with Receiver() as receiver:
        for name in FAMILIES:
            sound = [law for law in LANGUAGE_MODEL_LAWS if law not in known[name]]
            for seed in seeds:
                trial = trial_of(name, seed, receiver)
                wrong = [verdict for law in sound if (verdict := try_law(law, trial)).holds is False]
                for verdict in wrong:
                    print(f"{name}, seed {seed}: {verdict.line()}", flush=True)
                found[name] += len(wrong)
    return found


def trial_of(name: str, seed: int, receiver: Any) -> Any:
    """A healthy tiny model of a family."""
    import torch

    from seqsep.language_models.laws.trial import LawTrial
    from seqsep.language_models.loader.source import ModelSource
    from support.faulty_readers import FAMILIES

    source = ModelSource(name, {"model_type": name, **FAMILIES[name]}, None, seed)
    return LawTrial(source, time=TIME, batch=3, seed=seed, dtype=torch.float64, receiver=receiver)


def write_nested() -> None:
    """Try every type inside of another one, and keep what is found."""
    versions = {name: version(name) for name in ("transformers", "torch")}
    KEPT_NESTED.write_text(kept_text(versions, tried_nested()), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--nested"]:
        write_nested()
    elif sys.argv[1:]:
        write(Path(sys.argv[1]))
    else:
        write(KEPT)
        write_nested()
        KEPT_LATER.write_text(kept_text({"transformers": LATER, "torch": version("torch")}, tried_later()), encoding="utf-8")
