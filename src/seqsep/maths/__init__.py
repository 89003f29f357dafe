"""Exact finite mathematics on integers, in NumPy: never torch.

Nothing is rounded unless the file says where. What a file offers without an underscore is public; import it from that file.

    arithmetic     integers and the numbers of p bits
    networks       networks written down weight by weight, and their exact runs
    automata       automata, and the least states of functions of N tokens
    communication  communication between two parties: costs, bounds and their witnesses
    codes          position codes: keys and queries such that each query finds its own position
    least_thought  the rank of a function: its least number of chain-of-thought steps with one hard-attention head
    formulas       thresholds of k-sparse features as data, and DIMACS files
"""
