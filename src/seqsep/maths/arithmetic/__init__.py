"""Integers and the numbers of p bits.

integers       ceil(log2), binary digits, and exact products of integer arrays
grid           the numbers of p bits of appendix B.2, with their two rounding rules
softmax        exponentials and softmax, correctly rounded to the grid
lookup_length  the least number of items that no state of B bits can list
"""
