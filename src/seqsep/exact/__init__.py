"""Exact finite mathematics on integers, in NumPy: automata, communication, hand-built networks, position codes.

Nothing is rounded unless the file says where. What a file offers without an underscore is public; import it from that file.

Automata
    automata          a DFA as a table, and `Recurrence`: a recurrent model with a counted number of state bits
    layered           automata whose table depends on the time step, and the least ones of functions of one length
    partial_automata  the least DFA that agrees with given words, found by search
    regular           regular expressions as minimal DFAs, by the positions of their symbols
    _pattern          the syntax of regular expressions, its sizes bounded
    monoids           the syntactic monoid of a DFA's language, and whether it is in the variety DA
    _refinement       partition refinement by Moore's and Hopcroft's algorithms

Least states of functions of N tokens
    enumeration       every answer of a function as one array
    least_state       the least state of a function that is defined on every input, with a witness
    partial_states    lower and upper bounds if some inputs have no answer
    diagrams          the least state of a Boolean formula too long to enumerate, by decision diagrams
    growth            how the least state grows with N: constant, logarithmic or linear

Communication between two parties
    communication     one-way and two-way costs of a function, with bounds from below and above
    witnesses         what proves such a bound: rows, minors, fooling sets, rectangles; each re-checks itself
    witness_search    the algorithms that find these witnesses
    protocol_trees    the exact two-way cost, by search over rectangles
    partition_search  the best lower bound over the partitions of the positions between the two parties
    rank_by_counting  a lower bound of the rank of matrices too large to write down, counted by an automaton
    one_layer_message  the bits that pass through one attention layer, and from which length on they are too few
    channel           a channel between two running parties that counts the bits sent
    _elimination      Gaussian elimination modulo a prime and over GF(2)

Numbers and networks
    integers          ceil(log2), binary digits, and exact products of integer arrays
    grid              the numbers of p bits of appendix B.2, with their two rounding rules
    softmax           exponentials and softmax, correctly rounded to the grid
    network           a hand-built Transformer as frozen integer arrays, and its size in bits
    recurrent         recurrent layers on the grid, and the range of every number they remember
    executor          runs a network on its grid and counts what was rounded or saturated
    generation        greedy decoding of a network, token by token or proved in one pass
    _embedding        from the inputs of a network to its residual stream

Position codes
    position_code     what a position code is: keys, queries, gap and leakage
    codes             the codes by name: random signs, binary digits, parabola, one-hot
    circle            points on a circle, two coordinates
    linear_codes      duals of BCH codes, Kerdock's codes
    toeplitz          linear codes from a seed of O(log N) bits
    code_sizes        how many sign vectors can be nearly orthogonal: tails and classical bounds
    correlations      words of linear codes and the exact distribution of their correlations

Programs
    registers         a memory whose bits are counted

Formulas
    formulas          thresholds of k-sparse features as data, and DIMACS files
"""
