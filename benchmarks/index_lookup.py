"""1,000 questions to the exact index-lookup network with the parabola code, at N = 2^18, 2^19 and 2^20.

python benchmarks/index_lookup.py prints CPU seconds, wall seconds and the greatest memory; time should double with N.
"""

import resource
import time

import numpy as np

from seqsep.maths.networks.executor import ask
from seqsep.theorems.retrieval import index_lookup_attention

QUESTIONS = 1000

if __name__ == "__main__":
    for exponent in (18, 19, 20):
        length = 1 << exponent
        network = index_lookup_attention.build(length, 64, "parabola")
        symbols = np.random.default_rng(0).integers(0, 64, length)
        asked = np.unique(np.linspace(0, length - 1, QUESTIONS).round().astype(np.int64))
        wall, cpu = time.perf_counter(), time.process_time()
        answers = ask(network, symbols, 64 + asked).answers
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        wrong = int((answers != symbols[asked]).sum())
        print(f"N = 2^{exponent}: {wrong} of {len(asked)} wrong, {cpu:.1f} CPU-s, {wall:.1f} s, {memory:.2f} GiB", flush=True)
