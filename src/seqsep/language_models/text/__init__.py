"""Retrieval in text: any causal language model of `transformers` answers questions in plain words.

    question        a question in words, how its answer is read, and whether it is right
    word_lists      the names and words that questions are made of
    lookup          what phonebook and index lookup share: draws, examples in the prompt, chance
    phonebook       names and numbers, then: what is the number of this name?
    index           words, then: which word is at this place?
    hotpotqa_file   HotpotQA's official JSON, read and checked
    hotpotqa        n paragraphs before a question, in random order or those needed last
    hotpotqa_run    the models' common subset, then more paragraphs
    exact_match     exact match as the benchmark defines it
    model_folder    the folder of a model, or its name on the hub
    tokenizer       the tokenizer of a folder, asked in another process
    tokenizer_process  that process, which has limits of memory and time
    language_model  greedy completion by a model of `transformers`
    evaluation      questions asked one by one, each reply stored before the next is asked
    reply           what a model wrote, as a row of the store
    accuracy        replies as accuracies over length, and the subset that every model answers from what it needs

`transformers` is imported by `language_model`, when a model is loaded, and by `tokenizer_process`; `pip install '.[hf]'`
brings it.
"""
