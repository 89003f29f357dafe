"""Configurations for `seqsep capacity`, and what it prints."""

from seqsep.commands.cli import main

MAMBA = {"model_type": "falcon_mamba", "hidden_size": 4096, "intermediate_size": 8192, "num_hidden_layers": 64}
MAMBA |= {"state_size": 16, "vocab_size": 65024}
LLAMA = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
WINDOWED = {**LLAMA, "model_type": "mistral", "num_key_value_heads": 4, "sliding_window": 9}


def text_of(capsys, *words):
    """The output of the command when it answers."""
    assert main(["capacity", *words]) == 0
    return capsys.readouterr().out


def error_of(capsys, *words):
    """The one line that refuses the words."""
    assert main(["capacity", *words]) == 2
    output = capsys.readouterr()
    assert not output.out
    assert output.err.count("\n") == 1
    return output.err
