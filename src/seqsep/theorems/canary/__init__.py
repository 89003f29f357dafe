"""Canaries: weights of stock classes whose every greedy answer is known, to test serving engines.

Files:

    llama          Llama: recall of keyed bits, and of the token 64 places back
    conversations  random conversations that have an answer after every token
    vocabulary     the tokens that all canaries share
    _llama_run     the forward of a Llama in NumPy
"""
