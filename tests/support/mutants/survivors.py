"""Mutants of the sample that live, each with the reason."""

SAME_RESULT = "both ways give the same numbers; it only chooses the quicker one"
INPUTS = "how many inputs, or which, are tried; whatever they are, each is required to be answered right"
BELOW = "the term is below another one of the maximum, so the least grid is the same"
OTHER_LEAD = "another pair of logits has the least lead, so the proved lead is the same"
SURVIVORS: dict[str, str] = {
    "tasks/bounded_dyck.py: for first, end in cache_sized_ranges(len(words), 2 * self.length): | 2 -> 3 at 49": SAME_RESULT,
    "tasks/flip_flop.py: places = np.ascontiguousarray(registers.T) + np.arange(count) * self.registers | Add -> Sub at 9": (
        "negative places count from the end, so each example has registers of its own as well"
    ),
    "tasks/ngram_retrieval.py: return ceil_log2(sequences) if sequences > 0 else None | 0 -> 1 at 43": (
        "no alphabet, length and gram give exactly one sequence"
    ),
    "theorems/canary/_hybrid.py: attended = CARRIED * math.sqrt(2 / 3) * (1 - 2**-16) * (1 - 2 * missed) * (1 - 10 * unit) "
    "| Pow -> Mult at 45": OTHER_LEAD,
    "theorems/canary/_two_ways.py: (2 * (1 - unit), max(most, 16 * left, 4 * RESIDUE)), | 16 -> 15 at 27": OTHER_LEAD,
    "theorems/canary/_two_ways.py: (1 - unit, max(16 * left, 4 * RESIDUE)), | 4 -> 5 at 26": OTHER_LEAD,
    "theorems/canary/_walk_out.py: elsewhere = FIRST * (1 - is_first) + max(0.0, GIVEN * extra + WITHOUT) "
    "| 1 -> 0 at 21": OTHER_LEAD,
    "theorems/canary/walk_qwen3_next.py: found = (size * (1 - 17e-6) * (1 - 7 * unit), size * (1 + 7 * unit)) "
    "| Sub -> Add at 31": OTHER_LEAD,
    "theorems/canary/walk_llama.py: drift = length * (2**-22 if unit >= 2**-24 else 4 * unit) "
    "| comparison 0 GtE -> Lt at 28": "in float64, which no canary is written in, both give the same lead to eight digits",
    "theorems/canary/_hybrid_run.py: query = query * (scale * np.sqrt(query.shape[2])) | 2 -> 1 at 45": (
        "scores are so far apart that scores of a third of their size choose the same token"
    ),
    "theorems/canary/falcon_h1.py: ROUNDED = 20 | 20 -> 19 at 10": OTHER_LEAD,
    'theorems/canary/qwen3_5.py: "mrope_interleaved": True, | True -> False at 21': (
        "a text has the same position in all three sections, so their order does not matter"
    ),
    "theorems/is_tree/one_layer.py: no_bias = slope + 1 - depth - (2 * length + 4) * length | 1 -> 0 at 18": (
        "one less of this logit: every answer at the tested sizes is the same"
    ),
    "theorems/retrieval/counting_hybrid.py: CONSTRUCTION = TaskConstruction(claim=CLAIM, build=build, bound=bound, "
    'trials=TRIALS, certified={"length": 2}, proved=proved) | 2 -> 1 at 107': (
        "the size of a certificate if none is given is a choice"
    ),
    'theorems/state_tracking/_attention_alone.py: AttentionLayers = Annotated[int, Range(1, 3), "Lambda, the layers of the '
    'networks without a recurrence."] | 3 -> 4 at 42': "the greatest number of layers is a choice",
    "theorems/state_tracking/_parity_recall.py: return max([pairs for pairs in range(1, min(length, 12) + 1) if "
    "alphabet**pairs <= MOST_LISTS], default=1) | Pow -> Mult at 64": INPUTS,
    "tasks/ceilings/ceiling.py: return None | returns None at 0": "it is the line that it replaces",
    "maths/automata/partial_automata.py: return None | returns None at 0": "it is the line that it replaces",
    "maths/automata/least_state.py: return np.stack(columns, axis=1).astype(np.int64) if columns else np.zeros((count, 0), "
    "dtype=np.int64) | 0 -> 1 at 83": "inputs are drawn only if there are more than SAMPLED_INPUTS, so never of length 0",
    "maths/automata/_refinement.py: MOST_ROUNDS = 64 | 64 -> 65 at 14": SAME_RESULT,
    "maths/arithmetic/grid.py: if numerator == 1 and integers.divides(denominator, grid.steps**2): "
    "| Pow -> Mult at 52": SAME_RESULT,
    "maths/communication/witness_search.py: columns = np.flatnonzero(chosen[1] * short[rows].sum(axis=0) > 0) "
    "| comparison 0 Gt -> GtE at 25": ("a column whose sum is 0 adds nothing to the difference"),
    "maths/communication/partition_search.py: cuts = {1 + round(step * (length - 2) / 15) for step in range(16)} - {half} "
    "| 15 -> 16 at 40": ("which prefixes a search beyond all partitions begins with; what it finds is verified"),
    "maths/communication/rank_by_counting.py: REPEATED = ((2, (0,)), (4, (0, 1)), (4, (0, 3)))  "
    "# period, and Alice's places in it"
    " | 4 -> 3 at 24": "which partitions are tried; the rank of each is exact",
    "theorems/is_tree/walk.py: if length < 1: | 1 -> 0 at 12": "the range of the option refuses 0 before",
    'theorems/options.py: Alphabet = Annotated[int, Range(1, 1 << 16), "S: symbols are 0 to S - 1."] | 16 -> 15 at 40': (
        "the greatest size is a choice; the ends of the declared range are tested"
    ),
    'theorems/options.py: Keys = Annotated[int, Range(1, 1 << 16), "Number of different keys."] | 1 -> 0 at 28': (
        "tests/theorems/test_least_values.py, which is not near, checks the least"
    ),
    "theorems/options.py: StatePrecision = Annotated[Precision, Range(1, 32)] | 32 -> 31 at 47": (
        "the greatest size is a choice; the ends of the declared range are tested"
    ),
    "theorems/positions/alibi_window.py: drawn = [generator.random(bound + 64) * spread for _ in range(inputs)] "
    "| 64 -> 63 at 34": INPUTS,
    "theorems/retrieval/recall_state.py: inside = [data[place : place + gram - 1] for place in range(length - gram + 2)] "
    "| Add -> Sub at 60": INPUTS,
    'theorems/sparse_threshold/two_layers.py: outcomes.append(_check("CNFs over 4 variables", plan, seed, most=0, '
    "floats=2_000 if number < 100 else 0)) | 2000 -> 1999 at 75": INPUTS,
    "theorems/sparse_threshold/two_layers.py: floats = 1_000 if case.length <= 128 else 0 | 1000 -> 999 at 9": INPUTS,
    "theorems/circuits/_shown.py: MOST_INPUTS = 64 | 64 -> 65 at 14": "the number of inputs is a power of two",
    "theorems/circuits/attention.py: sources = max(clock**2, eta * clock, 2 * eta * back, eta * (2 * back * clock + back**2 + "
    "gates**2 + 1)) | 2 -> 1 at 96": BELOW,
    "theorems/is_tree/_collision.py: (labels.index(label) + VARIED + 1, other + VARIED + 1) for other, label in "
    "enumerate(labels) if other >= blocks | 1 -> 0 at 32": INPUTS,
    "theorems/is_tree/_graphs.py: codes = random.integers(1, vertices + 1, (count, vertices - 2)) if vertices > 2 else "
    "np.zeros((count, 0), dtype=np.int64) | 2 -> 1 at 78": "for two vertices both are codes without an entry",
    "theorems/is_tree/_tour_layers.py: silence = 4 * vertices**2 + 1 | 1 -> 0 at 28": (
        "vertices reach 3 n^2 at most (2 v next - v^2 with next <= 2 n), so 4 n^2 silences them as well"
    ),
    "theorems/is_tree/state.py: write=lambda values: prompts(vertices, values.reshape(-1, vertices - 1, 2) + 1), "
    "| 1 -> 2 at 55": "NumPy takes every negative size for the one that is to be found",
    "theorems/is_tree/tour.py: return max(match_needs(tokens, (scale, 1)), scale * (tokens + 1), scale * (FARTHEST + 1) ** 2, "
    "4 * length**2 + 1) | 4 -> 3 at 95": BELOW,
    "theorems/nearest_neighbor/_settings.py: floor = -4 * points.shape[-1] * most * most - 1 | 4 -> 3 at 9": (
        "three times the greatest product is below every product too"
    ),
    "theorems/protocols/random_equality.py: near = drawn[:1] ^ np.eye(plan.length, dtype=np.int64)[: DRAWN // 2] "
    "| 2 -> 3 at 66": INPUTS,
    "theorems/protocols/random_index.py: for _ in range(20): | 20 -> 21 at 15": INPUTS,
    "theorems/retrieval/_attention_blocks.py: near = random.integers(length + 1, size=length) | Add -> Sub at 23": INPUTS,
    "theorems/retrieval/_shown.py: return np.unique(np.take_along_axis(symbols, random.integers(DIFFERENT, size=(DRAWN, "
    "length)), axis=1), axis=0) | 0 -> 1 at 109": INPUTS,
    "theorems/retrieval/counting_state.py: kinds = [length if turn % 2 else int(random.integers(1, 1 + math.isqrt(length)))"
    " for turn in range(DRAWN)] | 1 -> 0 at 56": INPUTS,
    "theorems/retrieval/recall_state.py: return ceil_log2(max(classes(length, tokens) for tokens in range(1, length + 1))) "
    "| 1 -> 2 at 65": "after one token there are n classes, after n of them more: n! at least, and 4 at n = 2",
    "theorems/retrieval/counting_one_layer.py: for threshold in {min(alphabet - 1, max(0, count + step)) for step in (-1, 0, "
    "1)}: | 0 -> 1 at 40": INPUTS,
    "theorems/retrieval/counting_one_layer.py: for threshold in {min(alphabet - 1, max(0, count + step)) for step in (-1, 0, "
    "1)}: | Add -> Sub at 43": "the steps are -1, 0 and 1, and so are their negatives",
    "theorems/retrieval/one_layer.py: witness = DistinguishingTable(alice=[place + 1 for place in sorted(alices[0])], "
    "rows=rows, columns=columns) | 0 -> 1 at 74": "all of Alice's inputs have the same places",
    "theorems/retrieval/one_layer.py: parts = cells(sizes.width, 2 * network.grid.steps**2 * len(shared.bobs)) ** sizes.heads "
    "| 2 -> 3 at 51": "either way the parts are more than the inputs of Alice, which are then the bound",
    "theorems/sparse_threshold/_formulas.py: yield FormulaSeries((2, 4, 8, 16, 18, 32, 62, 64), (*INSTANCES, *RANDOM), "
    "inputs_small - tenth, most=256) | 62 -> 63 at 42": INPUTS,
    "theorems/sparse_threshold/disjointness_one_layer.py: RUNS = 16 | 16 -> 15 at 7": INPUTS,
    "theorems/turing_machine/retrieval.py: most = TOKENS_A_STEP * (steps + 1) | Add -> Sub at 24": (
        "only reached by a network that writes another run than its machine's, which none that is built does"
    ),
    "tasks/ceilings/retrieval.py: onto = [0] * (numbers + 1) | 1 -> 2 at 24": "the entry after the last is never read",
    "tasks/ceilings/fano.py: LEAST_ERROR = Decimal(10) ** -32 | 10 -> 9 at 22": (
        "where the iteration ends, either way far below what a float shows"
    ),
    "tasks/_thresholds.py: return LEAST_PROBES <= int((counts > bound).sum()) <= PROBES - LEAST_PROBES "
    "| comparison 1 LtE -> Lt at 7": "which formulas are drawn again; none of the committed digests is at the border",
    "tasks/_thresholds.py: LEAST_PROBES = PROBES // 64 | 64 -> 65 at 25": (
        "which formulas are drawn again; none of the committed digests is at the border"
    ),
    "tasks/_orders.py: low = (1 << max(count - 1, 1).bit_length()) - 1 | 1 -> 2 at 7": (
        "of two columns one more bit of the draws is compared with the ties, which are sorted exactly"
    ),
    "tasks/trees/live.py: if not 2 <= len(query) <= 3 or not self.are_vertices((query[0], *query[2:])): | 2 -> 3 at 71": (
        "a third token that is no vertex is in no edge, so nothing is found either way"
    ),
    "lab/graphed_step.py: MOST_GRAPHS = 4 | 4 -> 5 at 14": "how many graphs memory holds; a step is the same without one",
    "theorems/equality/relabelled_two_layers.py: if length < 2 or length % 2 or sorted(set(left)) != sorted(left) or "
    "2 * len(left) != length: | 2 -> 1 at 12": "a length of 1 is odd, and refused either way",
    "theorems/turing_machine/retrieval.py: trial = Trial(CLAIM.name, build(machine, steps), in_floats=FLOAT_WORDS if "
    "tried.inputs < FLOAT_WORDS else 0) | comparison 0 Lt -> Gt at 74": INPUTS,
    "theorems/canary/checksum.py: leads = [(right * (1 - 3 * unit), other * (1 + 3 * unit)), (following * (1 - 3 * unit), "
    "(1 + unit) * (1 + 3 * unit))] | Add -> Sub at 102": "the second lead is never the least",
    "theorems/canary/conversations.py: elif kind < 0.9: | comparison 0 Lt -> LtE at 5": "no draw of the tests is 0.9",
    "theorems/canary/llama.py: _share(1.0, 2 * none, unit), | 2 -> 1 at 12": "the lead of ACK is never the least",
    "theorems/canary/llama.py: none = (high + low) * (1 + 6 * unit) | Mult -> Add at 27": "leads over it are never the least",
    "theorems/canary/checksum.py: if sign * terms.sum() <= (2**-12 + 2 * unit) * np.abs(terms).sum() + summing: "
    "| 12 -> 11 at 30": "the sums of the three types are above both",
    'theorems/canary/_qwen_run.py: return norm(hidden, 1 + weights["model.norm.weight"], epsilon) @ weights["lm_head.weight"]'
    ".T | Add -> Sub at 20": "the weights of this norm are zero",
    "theorems/positions/_rotary_gap.py: TABLE = 1 << 10 | 1 -> 2 at 8": "the greatest distance that may be asked for",
    'theorems/positions/rotary_previous_token.py: Base = Annotated[int, Range(100, 10**9), "The base of the angles: rope_theta '
    'in a config.json."] | 9 -> 8 at 37': "the greatest base that may be asked for",
    "theorems/state_tracking/delta_parity_in_floats.py: words = [np.random.default_rng(seed).integers(0, 2, length).tolist(), "
    "[1] * length] | 2 -> 1 at 49": INPUTS,
    "theorems/canary/_look_up.py: missed = length * math.exp(-max(0.0, match * (1 - error) - sink * (1 + error))) "
    "| 1 -> 0 at 67": "the term is below 1e-10 either way",
    "theorems/positions/no_positions.py: readout_bias=whole([0]), | 0 -> 1 at 20": (
        "all numbers move alike, and only their differences count"
    ),
    "theorems/state_tracking/_parity_recall.py: for pairs in sorted({1, (length + 1) // 2, max(1, length - 1), length}): "
    "| 1 -> 2 at 59": INPUTS,
    "theorems/state_tracking/_parity_recall.py: return max([pairs for pairs in range(1, min(length, 12) + 1) if "
    "alphabet**pairs <= MOST_LISTS], default=1) | 1 -> 0 at 37": INPUTS,
    "theorems/state_tracking/modular_count_attention.py: blocks = [places < length // 2, places >= length // 2, places >= 0, "
    "places < 0] | comparison 0 GtE -> Lt at 32": INPUTS,
    "maths/arithmetic/grid.py: np.putmask(quotient, estimate < -(2.0**61), -(1 << 61)) | 61 -> 62 at 51": (
        "products of 2^61 to 2^62 do not wrap, and saturate either way"
    ),
    "maths/arithmetic/grid.py: if not (is_small and in_steps * self.steps >= 1 and self.steps**3 < 1 << 60): "
    "| comparison 0 Lt -> LtE at 52": SAME_RESULT,
    "maths/automata/_refinement.py: if front - first[c] <= last[c] - front: | comparison 0 LtE -> Lt at 3": SAME_RESULT,
    "maths/communication/partition_search.py: MOST_WHOLE = 1 << 14  # inputs up to which a partition is tried on all of them "
    "| 14 -> 15 at 18": "beyond it a sample is tried; what a search finds is verified",
    "maths/communication/partition_search.py: cuts = {1 + round(step * (length - 2) / 15) for step in range(16)} - {half} "
    "| 15 -> 14 at 40": "which prefixes a search beyond all partitions begins with; what it finds is verified",
}
