"""Communication between two parties: costs, bounds and their witnesses.

communication     one-way and two-way costs of a function, with bounds from below and above
witnesses         what proves such a bound: rows, minors, fooling sets, rectangles; each re-checks itself
witness_search    the algorithms that find these witnesses
protocol_trees    the exact two-way cost, by search over rectangles
partition_search  the best lower bound over the partitions of the positions between the two parties
rank_by_counting  a lower bound of the rank of matrices too large to write down, counted by an automaton
one_layer_message  the bits that pass through one attention layer, and the length at which they become too few
channel           a channel between two running parties that counts the bits sent
_elimination      Gaussian elimination modulo a prime and over GF(2)
"""
