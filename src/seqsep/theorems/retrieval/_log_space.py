"""The program that finds the seed of a Toeplitz code and gives any entry of any vector, in registers that are counted.

The functions have no local variables: they keep everything in the registers, and a test reads this from their code. Their
input is N, gamma and the sizes of `memory_for`. They compare with the dimension, the number of digits and the least distance;
these three are copied to registers, and counted.
"""

from fractions import Fraction

from seqsep.maths.arithmetic.integers import ceil_log2, digits_of
from seqsep.maths.automata.registers import Registers
from seqsep.maths.codes.code_sizes import least_distance
from seqsep.maths.codes.toeplitz import INCREMENT, MULTIPLIER, closed_form, seed_bits

STEPS = MULTIPLIER.bit_length()


def memory_for(count: int, dimension: int, coherence: Fraction) -> Registers:
    """Registers for N = `count` addresses in k coordinates, with k, b and the least distance d written down.

    2 s + b + 4 ceil(log2(k + 1)) + 2 ceil(log2(b + 1)) + 7 bits, with s = k + b - 1.

    >>> memory_for(1000, dimension=189, coherence=Fraction(1, 4)).bits
    453
    """
    digits = digits_of(count)
    in_vector = ceil_log2(dimension + 1)
    in_address = ceil_log2(digits + 1)
    memory = Registers(
        seed=seed_bits(count, dimension),
        product=seed_bits(count, dimension),
        step=ceil_log2(STEPS + 1),
        address=digits,
        digit=in_address,
        digits=in_address,
        place=in_vector,
        weight=in_vector,
        dimension=in_vector,
        distance=in_vector,
        parity=1,
    )
    memory["dimension"] = dimension
    memory["digits"] = digits
    memory["distance"] = least_distance(dimension, coherence)
    return memory


def most_memory(count: int, coherence: Fraction) -> int:
    """The bits of `memory_for` at the dimension of `toeplitz.closed_form`, for both sides: O(log N) for a fixed gamma.

    >>> [most_memory(count, Fraction(1, 4)) for count in (2**10, 2**20, 2**30)]
    [613, 1087, 1565]
    """
    return memory_for(count, closed_form(count, coherence, two_sided=True), coherence).bits


def entry(memory: Registers) -> int:
    """Entry `place` of the vector of `address` for `seed`, 0 for +1 and 1 for -1: the sum of i_t s_(place + t) modulo 2."""
    memory["parity"] = 0
    memory["digit"] = 0
    while memory["digit"] < memory["digits"]:
        memory["parity"] ^= memory["address"] >> memory["digit"] & memory["seed"] >> (memory["place"] + memory["digit"]) & 1
        memory["digit"] += 1
    return memory["parity"]


def is_good(memory: Registers) -> bool:
    """Return True if every address except 0 has d to k - d entries of -1: so |T_i . T_j| <= gamma k for any two addresses."""
    memory["address"] = (1 << memory["digits"]) - 1
    while memory["address"] > 0:
        memory["weight"] = 0
        memory["place"] = 0
        while memory["place"] < memory["dimension"]:
            memory["weight"] += entry(memory)
            memory["place"] += 1
        if not memory["distance"] <= memory["weight"] <= memory["dimension"] - memory["distance"]:
            return False
        memory["address"] -= 1
    return True


def next_seed(memory: Registers) -> None:
    """Put (MULTIPLIER seed + INCREMENT) modulo 2^s for the seed, by shifts and additions."""
    memory["product"] = INCREMENT & (1 << memory["dimension"] + memory["digits"] - 1) - 1
    memory["step"] = 0
    while memory["step"] < STEPS:
        if MULTIPLIER >> memory["step"] & 1:
            memory["product"] = (memory["product"] + (memory["seed"] << memory["step"])) & (
                1 << memory["dimension"] + memory["digits"] - 1
            ) - 1
        memory["step"] += 1
    memory["seed"] = memory["product"]


def find_seed(memory: Registers) -> int:
    """The first good seed in the order of `toeplitz.seeds`, also left in the register; one exists by the proof there."""
    while not is_good(memory):
        next_seed(memory)
    return memory["seed"]
