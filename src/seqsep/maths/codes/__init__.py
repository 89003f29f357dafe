"""Position codes: keys and queries such that each query finds its own position.

position_code  what a position code is: keys, queries, gap and leakage
codes          the codes by name: random signs, binary digits, parabola, one-hot
circle         points on a circle, two coordinates
linear_codes   duals of BCH codes, Kerdock's codes
toeplitz       linear codes from a seed of O(log N) bits
code_sizes     how many sign vectors can be nearly orthogonal: tails and classical bounds
correlations   words of linear codes and the exact distribution of their correlations
"""
