"""The audit of a causal language model of `transformers`: it reads phonebooks, and is asked for every number.

    answer   the public function and what it returns
    books    phonebooks as tokens: in words where the model has a tokenizer, else in tokens of its vocabulary
    reader   a language model from books to states, and from states to answers

`transformers` is imported when a model is read; in a clone, `pip install '.[hf]'` brings it.
"""
