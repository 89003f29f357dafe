"""Canaries in folders, and the questions that they put to an engine.

Files:

    folder          write a canary as a folder that stock libraries load
    gguf_file       write a canary as a .gguf file
    questions       how a canary is asked, found out from its oracle
    scenarios       prompts across every border that an engine has
    exam            the prompts put to an engine, and its wrong answers counted
    operations      random operations on the states of an engine
    over_http       a server of the completions protocol, asked
    through_engine  an engine of the protocol of engines, asked
    in_vllm         vLLM in this process, asked
    smaller         a wrong prompt made small
    serving         a small server on `transformers`
    faults          faults that are injected into it
    state_faults    faults of recurrent states that are injected into it
    fault_rates     how many conversations see an injected fault
    diagnosis       the faults that give the answers of an engine
"""
