"""A user's own retriever, FILE.py:FUNCTION, which replaces a task's.

`FUNCTION(tokens, prompt)` is called after each generated token. It gets all tokens so far as a reader sees them, texts and
numbers, of which the first `prompt` are the prompt, and returns the tokens to insert, or None.
"""

from collections.abc import Sequence
from pathlib import Path

from seqsep.models.plugins.load import attribute, run_file
from seqsep.tasks.base import GeneratedTask, LiveRetriever


def own_retriever(text: str, task: GeneratedTask) -> LiveRetriever:
    """Return the retriever of FILE.py:FUNCTION; the file is run.

    Raises ValueError in one line if it names no function, FileNotFoundError, and PlugInFails for a file that does not load.
    The retriever raises ValueError for a token that the task has not.
    """
    place, _, name = text.rpartition(":")
    if not place.endswith(".py") or not name.isidentifier():
        raise ValueError(f"{text}: expected FILE.py:FUNCTION, as in {place or text}:find")
    find = attribute(run_file(Path(place)), Path(place), name)
    if not callable(find):
        raise ValueError(f"{text}: expected a function {name}(tokens, prompt) in {place}, found {type(find).__name__}")
    shown = [task.shown(token) for token in range(task.vocabulary)]
    token_of = {str(word): token for token, word in enumerate(shown)}

    def retrieve(tokens: Sequence[int], prompt: int) -> list[int] | None:
        found = find([shown[token] for token in tokens], prompt)
        if found is None:
            return None
        if isinstance(found, str) or not isinstance(found, Sequence):
            raise ValueError(f"{text} returns {found!r:.80}; expected a list of tokens, or None")
        unknown = [word for word in found if str(word) not in token_of]
        if unknown:
            raise ValueError(f"{text} returns {unknown[0]!r:.80}, which is not a token of {task.name}")
        return [token_of[str(word)] for word in found]

    return retrieve
