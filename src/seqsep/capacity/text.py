"""The answer in words: sizes first, then crossing and horizons, then what is proved impossible."""

from fractions import Fraction

from seqsep.capacity.answer import Capacity, plain
from seqsep.capacity.limits import ALPHABET, Limit
from seqsep.capacity.part import WIDE
from seqsep.exact.integers import ceil_log2

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
UPPER_LIMITS = (
    "These are upper limits, for items drawn uniformly and read before the question. Published models fail far earlier.",
    "That a state of so many bits is enough for some model: seqsep check index-lookup-state builds one.",
)


def sentences(found: Capacity, length: int | None = None, memory: int | None = None, batch: int = 1) -> list[str]:
    """The answer, a line each. `memory` is in bytes.

    >>> from seqsep.capacity import capacity
    >>> small = {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}
    >>> print(sentences(capacity(small))[0].splitlines()[0])
    mamba: 2 layers, 224 fixed numbers, 0 numbers a token
    """
    lines = [found.table(), ""]
    lines += [f"  {name:<9} {said}" for name, said in sizes(found)]
    lines += [f"  {name:<9} {said}" for name, said in asked(found, length, memory, batch)]
    lines += ["", *(f"  {said}" for said in meaning(found)), ""]
    return [*lines, *(f"  {said}" for said in proved(found, length))]


def sizes(found: Capacity) -> list[tuple[str, str]]:
    """State and cache of one sequence in bytes."""
    stored = f"{readable(found.state_bytes(as_stored=True))} as transformers stores it"
    width = f"at {found.state_bits} bits a number"
    spare = found.allocated_numbers - found.fixed_numbers
    allocated = f"; {found.allocated_numbers:,} numbers are allocated for it" if spare else ""
    state = f"{found.fixed_numbers:,} numbers are read: " if found.fixed_numbers else "none fixed: "
    windows = f", full windows of {found.window_numbers:,} numbers included" if found.window_numbers else ""
    lines = [("state", f"{state}{readable(found.state_bytes())} {width}{windows}, {stored}{allocated}")]
    growth = found.bytes_per_token()
    cache = f"{plain(growth):,} bytes a token at {found.cache_bits} bits a number" if growth else "none that grows"
    return [*lines, ("cache", f"{cache}. Engines keep whole pages, so they may take several times this")]


def asked(found: Capacity, length: int | None, memory: int | None, batch: int) -> list[tuple[str, str]]:
    """What the questions about a length, a memory and a batch come to."""
    lines = []
    many = f" for each of {batch:,} sequences" if batch > 1 else ""
    if length is not None:
        kept = batch * found.bytes_at(length)
        spare = batch * found.bytes_at(length, allocated=True)
        more = f", {readable(spare)} allocated" if spare != kept else ""
        lines.append(("length", f"{length:,} tokens{many}: {readable(kept)} read{more}"))
    elif batch > 1:
        growth = plain(batch * found.bytes_per_token())
        lines.append(("batch", f"{batch:,} sequences: {readable(batch * found.state_bytes())} and {growth:,} bytes a token"))
    if memory is not None:
        most = found.longest_in(memory, batch)
        says = "every length fits" if most is None else f"at most {most:,} tokens{many}"
        if length is not None:
            sequences = found.batch_in(memory, length)
            says += "" if sequences is None else f"; {sequences:,} sequences of {length:,} tokens"
        lines.append(("memory", f"{readable(memory)}: {says} (weights and activations not counted)"))
    return lines


def meaning(found: Capacity) -> list[str]:
    """Crossing and horizon."""
    lines = []
    crossing = found.crossing()
    if found.bits() == 0:
        lines.append("No fixed state: this model keeps every token, and nothing else.")
    elif crossing is not None:
        stored = found.crossing(as_stored=True)
        also = f" ({stored:,} as transformers stores the state)" if stored != crossing else ""
        lines.append(f"Crossing: from {crossing:,} tokens on{also} the cache of {found.twin} is as large as this state.")
    if found.horizon_tokens is not None:
        older = f"nothing older than {found.horizon_tokens:,} tokens"
        lines.append(f"Horizon: {older} can have any influence on the next token, whatever the precision.")
    return lines


def proved(found: Capacity, length: int | None) -> list[str]:
    """The limits, or that none follows."""
    limits = found.limits
    if all(limit.beyond is None for limit in limits):
        keeping = [str(place) for place, layer in enumerate(found.layers) if any(part.growth for part in layer)]
        named = ", ".join(keeping[:6]) + (", .." if len(keeping) > 6 else "")
        layers = f"layers {named} (counted from 0) keep something of every token" if keeping else "nothing bounds its state"
        return [f"No length is excluded by this argument: {layers}. That says nothing about whether a model finds it."]
    lines = [f"At {found.state_bits} bits a number no model with this state, however trained, can"]
    lines += [f"  {_says(limit)}," for limit in limits if limit.beyond is not None]
    lines[-1] = lines[-1].removesuffix(",") + "."
    if length is not None and not found.numbers_per_token:
        needed = length * (ceil_log2(ALPHABET))
        share = f"{_percent(needed, found.bits())} of this state" if found.bits() else "and there is none"
        lines.append(f"{length:,} tokens of {ALPHABET} symbols need {needed:,} bits for every input, {share}.")
    wider = max((part.bits for part in found.parts if part.fixed and part.bits <= WIDE), default=0)
    if wider > found.state_bits:
        lines.append(f"As transformers stores the recurrence, with {wider} bits a number: --state-bits {wider}.")
    return [*lines, *UPPER_LIMITS]


def _says(limit: Limit) -> str:
    if limit.task != "index lookup":
        return f"hold a {limit.task} of more than {limit.beyond:,} entries (counting)"
    of = f"lists of more than {limit.beyond:,} items of {limit.alphabet:,} values"
    if limit.accuracy is None:
        return f"repeat or index every one of the {of} (counting)"
    return f"answer {plain(100 * limit.accuracy)} % of questions about random {of} (Fano)"


def _percent(part: int, whole: int) -> str:
    share = Fraction(100 * part, whole)
    return f"{float(share):.1f} %" if share < 10**6 else f"more than {10**6:,} %"


def readable(count: int) -> str:
    """A number of bytes in a unit of 1,024s.

    >>> readable(1023), readable(19922944), readable(1 << 40)
    ('1,023 bytes', '19.0 MiB', '1.0 TiB')
    """
    power = 0
    while power + 1 < len(UNITS) and count >> (10 * (power + 1)):
        power += 1
    return f"{count:,} bytes" if power == 0 else f"{float(Fraction(count, 1 << (10 * power))):,.1f} {UNITS[power]}"
