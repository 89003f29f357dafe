"""An adapter of llama.cpp, by the package `llama-cpp-python`: a .gguf file as an engine that keeps several sequences.

A state is a sequence of the memory of one context. Weights keep the type of the file, and all else is float32. Flash attention
is off, since it rounds keys and values to float16.
"""

import ctypes
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from seqsep.core.names import BadInput, excerpt, install, printable

NEEDED = "needs llama-cpp-python 0.3.36 or later"
NEWEST_CALL = "llama_memory_seq_rm"
"""A function that older releases do not have."""
SEQUENCES = 32
"""Of one context; the first is that of `generate`."""
TOKENS = 4096
"""That all sequences of a context may have read, counted together."""
ERROR = 4
"""The level of an error in what llama.cpp logs."""
TO_THE_END = -1
ALL = (TO_THE_END, TO_THE_END)
"""The first and the last position of all tokens of a sequence."""


class LlamaMissing(OSError):
    """The package `llama-cpp-python` is not installed, or too old; the message has the command that installs it."""


def llama_cpp() -> Any:
    """Return the library. Raises LlamaMissing if it is not installed, or too old."""
    try:
        library: Any = import_module("llama_cpp")
    except ImportError as error:
        raise LlamaMissing(f"{NEEDED}, which is not installed; {install('llama')}") from error
    if not hasattr(library, NEWEST_CALL):
        raise LlamaMissing(f"{NEEDED}, found {excerpt(printable(str(library.__version__)))}; {install('llama')}")
    return library


@dataclass
class Place:
    """A sequence of the memory, and the number of tokens that it has read."""

    sequence: int
    length: int


class LlamaEngine:
    """A causal language model in a .gguf file.

    Arguments:
        path: the file.
        unified: True if all sequences share one buffer of keys and values, False if each has a buffer for an equal share of
            the tokens.
        tokens: number of tokens that all sequences may have read, counted together.
        threads: number of threads that compute.
    """

    dtype = "float32"

    def __init__(self, path: Path | str, *, unified: bool = True, tokens: int = TOKENS, threads: int = 1) -> None:
        if not Path(path).is_file():
            raise BadInput(f"{path}: expected a .gguf file, found none")
        self.library = llama_cpp()
        self._errors = _logged(self.library)[0]
        self.library.llama_backend_init()
        model = self._loaded(path)
        self._context = self._new_context(model, unified, tokens, threads)
        weakref.finalize(self, partial(_release, self.library, model, self._context))
        if self._context is None:
            raise BadInput(f"{path}: llama.cpp makes no context of {tokens} tokens; {self._last_error()}")
        self._memory = self.library.llama_get_memory(self._context)
        if not self._memory:
            raise BadInput(f"{path}: the model keeps no state between calls")
        self.vocabulary = int(self.library.llama_vocab_n_tokens(self.library.llama_model_get_vocab(model)))
        self._unused = list(range(SEQUENCES - 1, 0, -1))

    def prefill(self, tokens: Sequence[int]) -> tuple[Any, Place]:
        """Read a new sequence."""
        logits, states = self.batch([tokens], [None])
        return logits[0], states[0]

    def decode(self, token: int, state: Place) -> tuple[Any, Place]:
        """Read one token after a state."""
        return self.extend([token], state)

    def extend(self, tokens: Sequence[int], state: Place) -> tuple[Any, Place]:
        """Read tokens after a state."""
        logits, states = self.batch([tokens], [state])
        return logits[0], states[0]

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Place | None]) -> tuple[Any, list[Place]]:
        """Read the tokens of all sequences in one call of `llama_decode`. If it fails, the states are lost."""
        places = [self._new() if state is None else state for state in states]
        logits = self._read(list(map(list, tokens)), places)
        after = [Place(place.sequence, place.length + len(row)) for place, row in zip(places, tokens, strict=True)]
        return np.split(logits, np.cumsum([len(row) for row in tokens])[:-1]), after

    def fork(self, state: Place) -> Place:
        """Copy a sequence of the memory."""
        other = self._new()
        self.library.llama_memory_seq_cp(self._memory, state.sequence, other.sequence, *ALL)
        return Place(other.sequence, state.length)

    def save(self, state: Place) -> bytes:
        """Return the number of tokens, and the bytes of the sequence."""
        size = self.library.llama_state_seq_get_size(self._context, state.sequence)
        data = (ctypes.c_uint8 * size)()
        written = self.library.llama_state_seq_get_data(self._context, data, size, state.sequence)
        return state.length.to_bytes(8, "little") + bytes(data[:written])

    def load(self, data: bytes) -> Place:
        """Put the bytes into a new sequence."""
        place = self._new()
        given = (ctypes.c_uint8 * (len(data) - 8)).from_buffer_copy(data, 8)
        if not self.library.llama_state_seq_set_data(self._context, given, len(given), place.sequence):
            self.free(place)
            raise RuntimeError(f"llama.cpp does not load a state of {len(data)} bytes; {self._last_error()}")
        return Place(place.sequence, int.from_bytes(data[:8], "little"))

    def crop(self, state: Place, count: int) -> Place:
        """Remove the last tokens. Raises NotImplementedError if llama.cpp cannot, as with a recurrent state."""
        left = state.length - count
        if not self.library.llama_memory_seq_rm(self._memory, state.sequence, left, TO_THE_END):
            self.free(state)
            raise NotImplementedError(f"llama.cpp does not remove the last {count} of {state.length} tokens")
        return Place(state.sequence, left)

    def reset(self, state: Place) -> Place:
        """Remove all tokens of a sequence."""
        self.library.llama_memory_seq_rm(self._memory, state.sequence, *ALL)
        return Place(state.sequence, 0)

    def free(self, state: Place) -> None:
        """Remove all tokens of a sequence, whose number is then given to another one."""
        self.reset(state)
        self._unused.append(state.sequence)

    def generate(self, tokens: Sequence[int], count: int) -> tuple[list[int], Any]:
        """Write tokens as the examples of llama.cpp do: it counts positions itself, and its greedy sampler chooses."""
        library = self.library
        sampler = library.llama_sampler_init_greedy()
        written: list[int] = []
        found = []
        new = list(tokens)
        try:
            for _ in range(count):
                given = (library.llama_token * len(new))(*new)
                self._decoded(library.llama_batch_get_one(given, len(new)))
                found.append(self._logits(1)[0])
                new = [int(library.llama_sampler_sample(sampler, self._context, -1))]
                written += new
        finally:
            library.llama_sampler_free(sampler)
            self.reset(Place(0, 0))
        return written, np.stack(found)

    def _loaded(self, path: Path | str) -> Any:
        settings = self.library.llama_model_default_params()
        model = self.library.llama_model_load_from_file(str(path).encode(), settings)
        if not model:
            raise BadInput(f"{path}: llama.cpp does not load it; {self._last_error()}")
        return model

    def _new_context(self, model: Any, unified: bool, tokens: int, threads: int) -> Any:
        settings = self.library.llama_context_default_params()
        settings.n_seq_max = SEQUENCES
        settings.n_ctx = tokens
        settings.n_batch = tokens
        settings.n_threads = threads
        settings.n_threads_batch = threads
        settings.type_k = self.library.GGML_TYPE_F32
        settings.type_v = self.library.GGML_TYPE_F32
        settings.flash_attn_type = self.library.LLAMA_FLASH_ATTN_TYPE_DISABLED
        settings.kv_unified = unified
        return self.library.llama_init_from_model(model, settings)

    def _new(self) -> Place:
        if not self._unused:
            raise RuntimeError(f"all {SEQUENCES - 1} sequences of the context are in use")
        return Place(self._unused.pop(), 0)

    def _read(self, rows: list[list[int]], places: list[Place]) -> Any:
        """Return the logits of all tokens, one row after the other."""
        count = sum(map(len, rows))
        batch = self.library.llama_batch_init(count, 0, 1)
        each = chain.from_iterable(
            ((token, place, at) for at, token in enumerate(row)) for row, place in zip(rows, places, strict=True)
        )
        for index, (token, place, at) in enumerate(each):
            batch.token[index] = token
            batch.pos[index] = place.length + at
            batch.n_seq_id[index] = 1
            batch.seq_id[index][0] = place.sequence
            batch.logits[index] = True
        batch.n_tokens = count
        try:
            self._decoded(batch)
        except Exception:
            for place in places:
                self.free(place)
            raise
        finally:
            self.library.llama_batch_free(batch)
        return self._logits(count)

    def _decoded(self, batch: Any) -> None:
        status = self.library.llama_decode(self._context, batch)
        if status == 1:
            raise RuntimeError(f"llama_decode finds no place for {batch.n_tokens} more tokens in the memory of the context")
        if status:
            raise RuntimeError(f"llama_decode of {batch.n_tokens} tokens returns {status}; {self._last_error()}")

    def _logits(self, count: int) -> Any:
        rows = [self.library.llama_get_logits_ith(self._context, index) for index in range(-count, 0)]
        return np.array([row[: self.vocabulary] for row in rows], dtype=np.float32)

    def _last_error(self) -> str:
        return self._errors[-1] if self._errors else "it logs no error"


@cache
def _logged(library: Any) -> tuple[list[str], Any]:
    """Return a list of the errors that llama.cpp logs from now on, and the function that it calls, which must not be freed."""
    found: list[str] = []

    def keep(level: int, text: bytes, data: Any) -> None:
        if level == ERROR:
            found.append(excerpt(printable(text.decode(errors="replace").strip()), 200))

    callback = library.llama_log_callback(keep)
    library.llama_log_set(callback, None)
    return found, callback


def _release(library: Any, model: Any, context: Any) -> None:
    if context is not None:
        library.llama_free(context)
    library.llama_model_free(model)
