"""llama.cpp (llama-cpp-python 0.3.36): a copy of a sequence, saved before the next decode, is saved with wrong keys and values.

Run `python late_copy.py MODEL.gguf [unified]` with a model with attention, such as the canary `llama`. The script reads two
tokens in sequence 0, copies it to 1, saves 1, loads the bytes as 2, and reads the same token in 0 and in 2. The logits should
be equal. With kv_unified = False they differ: llama.cpp marks the cells of the copy as used at once, but copies the keys and
values at the next decode. The status is 1 if they differ. With `unified` they are equal. This does not show other versions.
"""

import ctypes
import sys

import llama_cpp as lib
import numpy as np


def read(tokens: list[int], start: int, sequence: int) -> np.ndarray:
    """Return the logits after the last token."""
    batch = lib.llama_batch_init(len(tokens), 0, 1)
    batch.n_tokens = len(tokens)
    for i, token in enumerate(tokens):
        batch.token[i] = token
        batch.pos[i] = start + i
        batch.n_seq_id[i] = 1
        batch.logits[i] = True
        batch.seq_id[i][0] = sequence
    if lib.llama_decode(context, batch):
        raise RuntimeError("llama_decode fails")
    return np.array(lib.llama_get_logits_ith(context, -1)[:size])


lib.llama_backend_init()
model = lib.llama_model_load_from_file(sys.argv[1].encode(), lib.llama_model_default_params())
size = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
settings = lib.llama_context_default_params()
settings.n_seq_max = 4
settings.n_ctx = 1024
settings.kv_unified = sys.argv[2:] == ["unified"]
context = lib.llama_init_from_model(model, settings)
read([1, 14], 0, 0)
lib.llama_memory_seq_cp(lib.llama_get_memory(context), 0, 1, -1, -1)
data = (ctypes.c_uint8 * lib.llama_state_seq_get_size(context, 1))()
written = lib.llama_state_seq_get_data(context, data, len(data), 1)
lib.llama_state_seq_set_data(context, data, written, 2)
difference = np.abs(read([9], 2, 0) - read([9], 2, 2)).max()
print("saved bytes", written, "difference", float(difference))
sys.exit(bool(difference > 1e-3))
