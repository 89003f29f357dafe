"""Networks written down weight by weight, and their exact runs.

network         a hand-built Transformer as frozen integer arrays, and its size in bits
recurrent       recurrent layers on the grid, and the range of every number they remember
executor        runs a network on its grid and counts what was rounded or saturated
generation      greedy decoding of a network, token by token or proved in one pass
word_automaton  the exact automaton of causal attention without positions
_embedding      from the inputs of a network to its residual stream
"""
