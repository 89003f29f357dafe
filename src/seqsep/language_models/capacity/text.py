"""The answer in words: sizes first, then crossing and horizons, then what is proved impossible."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from seqsep.language_models.capacity.answer import Capacity, plain
from seqsep.language_models.capacity.limits import ALPHABET, DISTINCT, EQUALITY, PHONEBOOK, RANDOM_HALVES, Limit
from seqsep.language_models.capacity.notes import notes
from seqsep.language_models.capacity.part import WIDE
from seqsep.language_models.capacity.widths import bits_in_words

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
UPPER_LIMITS = (
    "These are upper limits, for items drawn uniformly and read before the question. "
    "They do not say how far a trained model gets.",
    "For index lookup, some model needs no more bits than this: seqsep check index-lookup-state builds one.",
)


def sentences(found: Capacity, question: "CapacityQuery | None" = None) -> list[str]:
    """Return the answer, a line each.

    >>> from seqsep.language_models.capacity import capacity
    >>> small = {"model_type": "mamba", "hidden_size": 8, "num_hidden_layers": 2, "state_size": 4}
    >>> print(sentences(capacity(small))[0].splitlines()[0])
    mamba: 2 layers, 224 fixed numbers, 0 numbers a token
    """
    question = question or CapacityQuery()
    lines = [found.table(), ""]
    lines += [f"  {name:<9} {said}" for name, said in sizes(found)]
    lines += [f"  {name:<9} {said}" for name, said in asked(found, question)]
    lines += ["", *(f"  {said}" for said in [*notes(found), *question.unit, *meaning(found)]), ""]
    return [*lines, *(f"  {said}" for said in proved(found, question.length))]


def sizes(found: Capacity) -> list[tuple[str, str]]:
    """Return the lines about the state, the cache and the cross-attention of one sequence, in bytes."""
    stored = f"{readable(found.state_bytes(as_stored=True))} as transformers stores it"
    width = f"at {bits_in_words(found.state_bits)} bits a number"
    spare = found.allocated_numbers - found.fixed_numbers
    allocated = f"; {found.allocated_numbers:,} numbers are allocated for it" if spare else ""
    state = f"{found.fixed_numbers:,} numbers are read: " if found.fixed_numbers else "none fixed: "
    windows = f", full windows of {found.window_numbers:,} numbers included" if found.window_numbers else ""
    lines = [("state", f"{state}{readable(found.state_bytes())} {width}{windows}, {stored}{allocated}")]
    growth = found.bytes_per_token()
    cache = "none that grows"
    if growth:
        pages = "Engines keep whole pages, so they may take several times this"
        if found.block_size > 1:
            pages = f"It is kept in blocks of {found.block_size:,} tokens"
        cache = f"{plain(growth):,} bytes a token at {_cache_width(found)}. {pages}"
    lines.append(("cache", cache))
    each = found.numbers_per_source_token
    if each:
        total = f"{found.source_length:,} source tokens: {found.cross_numbers:,} numbers, in state"
        unknown = "none are counted without --source-length"
        lines.append(("cross", f"{each:,} numbers a source token; {total if found.source_length else unknown}"))
    if found.tensor_parallel > 1:
        kept = "each device keeps a full copy of parts that are not divided"
        lines.append(("devices", f"bytes are those of one of {found.tensor_parallel:,} devices; {kept}"))
    return lines


def _cache_width(found: Capacity) -> str:
    if found.value_bits is None:
        return f"{bits_in_words(found.cache_bits)} bits a number"
    return f"{bits_in_words(found.cache_bits)} bits a key and {bits_in_words(found.value_bits)} a value"


@dataclass(frozen=True)
class CapacityQuery:
    """The questions besides the sizes: tokens, bytes of memory, sequences, and the bytes of weights on one device.

    `written` is the length as it was written.
    """

    length: int | None = None
    memory: int | None = None
    batch: int = 1
    weights: int | None = None
    written: str = ""

    @property
    def unit(self) -> list[str]:
        """A sentence that says what a length in k is.

        >>> CapacityQuery(128_000, written="128k").unit
        ['128k means 128,000 tokens; 128Ki means 131,072.']
        """
        count = self.written.strip().lower().removesuffix("k")
        if self.length is None or not count.isdecimal() or count == self.written.strip().lower():
            return []
        return [f"{count}k means {self.length:,} tokens; {count}Ki means {int(count) << 10:,}."]

    @property
    def left(self) -> int | None:
        """The bytes of memory that the weights leave; not below 0."""
        return None if self.memory is None else max(self.memory - (self.weights or 0), 0)


def asked(found: Capacity, question: CapacityQuery) -> list[tuple[str, str]]:
    """Return the lines that answer questions about a length, a memory and a batch."""
    lines = []
    length = question.length
    batch = question.batch
    many = f" for each of {batch:,} sequences" if batch > 1 else ""
    if length is not None:
        kept = batch * found.bytes_at(length)
        spare = batch * found.bytes_at(length, allocated=True)
        more = f", {readable(spare)} allocated" if spare != kept else ""
        lines.append(("length", f"{length:,} tokens{many}: {readable(kept)} read{more}"))
    elif batch > 1:
        growth = plain(batch * found.bytes_per_token())
        lines.append(("batch", f"{batch:,} sequences: {readable(batch * found.state_bytes())} and {growth:,} bytes a token"))
    if question.weights is not None:
        lines.append(("weights", f"{readable(question.weights)}{' a device' if found.tensor_parallel > 1 else ''}"))
    if question.memory is not None and question.left is not None:
        lines.append(("memory", _fits(found, question, question.left, many)))
    return lines


def _fits(found: Capacity, question: CapacityQuery, left: int, many: str) -> str:
    whole = readable(question.memory or 0)
    if question.weights is not None and left == 0:
        return f"{whole}: the weights do not fit"
    others = "activations" if question.weights is not None else "weights, activations"
    counted = f"of numbers as they are read; {others} and what is stored wider are not counted"
    least = question.batch * found.bytes_at(0)
    if least > left:
        state = "fixed state" if found.fixed_numbers else "cache of the source"
        state += " and the cache of the source" if found.fixed_numbers and found.cross_numbers else ""
        takes = "takes" if state == "fixed state" or not found.fixed_numbers else "take"
        says = f"no length fits: the {state}{many} {takes} {readable(least)}"
    else:
        most = found.longest_in(left, question.batch)
        says = "every length fits" if most is None else f"at most {most:,} tokens{many}"
    if question.length is not None and found.bytes_at(0) <= left:
        sequences = found.batch_in(left, question.length)
        says += "" if sequences is None else f"; {sequences:,} sequences of {question.length:,} tokens"
    after = f", {readable(left)} after the weights" if question.weights is not None else ""
    return f"{whole}{after}: {says} ({counted})"


def meaning(found: Capacity) -> list[str]:
    """Return the sentences on the crossing and the horizon."""
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
    """Return the sentences on the limits, or the sentence that none follows."""
    limits = found.limits
    if all(limit.beyond is None for limit in limits):
        keeping = [str(place) for place, layer in enumerate(found.layers) if any(part.growth for part in layer)]
        named = ", ".join(keeping[:6]) + (", .." if len(keeping) > 6 else "")
        layers = f"layers {named} (counted from 0) keep something of every token" if keeping else "nothing bounds its state"
        return [f"This argument excludes no length: {layers}. It does not say whether a trained model succeeds."]
    lines = [f"At {bits_in_words(found.state_bits)} bits a number no model with this state, however trained, can"]
    lines += [f"  {_says(limit)}," for limit in limits if limit.beyond is not None]
    lines[-1] = lines[-1].removesuffix(",") + "."
    lines += said_besides(limits)
    if length is not None and not found.numbers_per_token:
        needed = length * (ALPHABET - 1).bit_length()
        share = f"{_percent(needed, found.bits())} of this state" if found.bits() else "and there is none"
        lines.append(f"{length:,} tokens of {ALPHABET} symbols need {needed:,} bits for every input, {share}.")
    wider = max((part.bits for part in found.parts if part.fixed and part.bits <= WIDE), default=0)
    if wider > found.state_bits:
        lines.append(f"transformers stores the recurrence with {wider} bits a number: --state-bits {wider} gives those limits.")
    return [*lines, *UPPER_LIMITS]


def said_besides(limits: Sequence[Limit]) -> list[str]:
    """Return the limits on places in a longer list, on random halves and on different values.

    >>> from seqsep.language_models.capacity.limits import limits
    >>> print(said_besides(limits(600, Fraction(0), None))[0])
    Of a longer list of 64 values, at most 100 places are always answered right, 121 in 90 %, 298 in 50 % (by position).
    """
    lines = []
    for alphabet in dict.fromkeys(limit.alphabet for limit in limits if limit.places is not None):
        of_alphabet = [limit for limit in limits if limit.alphabet == alphabet and limit.places is not None]
        always, *others = of_alphabet
        shares = "".join(f", {one.places:,} in {plain(100 * (one.accuracy or Fraction(1)))} %" for one in others)
        said = f"Of a longer list of {alphabet:,} values, at most {always.places:,} places are always answered right{shares}"
        lines.append(f"{said} (by position).")
    if any(limit.task == RANDOM_HALVES for limit in limits):
        lines.append(
            "On random halves, equality excludes no length: a state of B bits may answer less than 2^-B / 2 of them wrongly."
        )
    held = [limit.alphabet for limit in limits if limit.task == DISTINCT and limit.beyond is None and _is_fixed(limits)]
    if held:
        values = " or ".join(f"{values:,}" for values in held)
        lines.append(f"No list of different values out of {values} is excluded by counting.")
    return lines


def _is_fixed(limits: Sequence[Limit]) -> bool:
    """Return True if the limits are those of a state that nothing is added to."""
    return any(limit.places is not None for limit in limits)


def _says(limit: Limit) -> str:
    if limit.task == PHONEBOOK:
        return f"hold a {limit.task} of more than {limit.beyond:,} entries (counting)"
    if limit.task == EQUALITY:
        inputs = f"inputs of more than {limit.beyond:,} items of {limit.alphabet:,} values"
        return f"distinguish equal from different halves of all {inputs} (counting)"
    if limit.task == DISTINCT:
        return f"index every list of more than {limit.beyond:,} different values out of {limit.alphabet:,} (counting)"
    of = f"lists of more than {limit.beyond:,} items of {limit.alphabet:,} values"
    if limit.accuracy is None:
        return f"repeat or index every one of the {of} (counting)"
    return f"answer {plain(100 * limit.accuracy)} % of questions about random {of} (Fano)"


def _percent(part: int, whole: int) -> str:
    share = Fraction(100 * part, whole)
    return f"{float(share):.1f} %" if share < 10**6 else f"more than {10**6:,} %"


def readable(count: int) -> str:
    """Return a number of bytes in a unit of 1,024s.

    >>> readable(1023), readable(19922944), readable(1 << 40)
    ('1,023 bytes', '19.0 MiB', '1.0 TiB')
    """
    power = 0
    while power + 1 < len(UNITS) and count >> (10 * (power + 1)):
        power += 1
    return f"{count:,} bytes" if power == 0 else f"{float(Fraction(count, 1 << (10 * power))):,.1f} {UNITS[power]}"
