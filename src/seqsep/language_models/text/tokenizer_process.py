"""The process that tokenizers run in, with limits of memory and time: a tokenizer's file can ask for any amount of both.

It reads a JSON object a line and answers each with one. What goes beyond the memory ends it, most likely in the middle of a
library; what takes too long is ended by a signal. It never imports torch.

    {"load": FOLDER}                       {"end": ..., "unknown": ..., "unknown_text": ...}
    {"encode": TEXT}                       {"tokens": [...]}
    {"decode": [...], "plain": true}       {"text": ...}, without special tokens if `plain`
    anything that raises                   {"error": ...}
"""

import json
import os
import resource
import signal
import sys
from typing import Any, BinaryIO

from seqsep.core.interrupts import watch_parent_in_thread


def serve(received: BinaryIO, sent: BinaryIO, seconds: float) -> None:
    """Answer requests until there are no more; a request that takes more than `seconds` ends the process."""
    sys.modules["torch"] = None  # type: ignore[assignment]
    from transformers import AutoTokenizer, logging

    logging.set_verbosity_error()
    tokenizer: Any = None
    while line := received.readline():
        request = json.loads(line)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            if "load" in request:
                tokenizer = AutoTokenizer.from_pretrained(request["load"], local_files_only=True, trust_remote_code=False)
            answer = json.dumps(_answered(tokenizer, request))
        except MemoryError:
            os._exit(1)
        except BaseException as error:  # a panic of the library is not an Exception
            answer = json.dumps({"error": f"{type(error).__name__}: {error}"})
        signal.setitimer(signal.ITIMER_REAL, 0)
        sent.write(answer.encode() + b"\n")
        sent.flush()


def _answered(tokenizer: Any, request: dict[str, Any]) -> dict[str, Any]:
    if "encode" in request:
        return {"tokens": list(tokenizer(request["encode"])["input_ids"])}
    if "decode" in request:
        options = {"skip_special_tokens": request["plain"], "clean_up_tokenization_spaces": False}
        return {"text": tokenizer.decode(request["decode"], **options)}
    return {"end": tokenizer.eos_token_id, "unknown": tokenizer.unk_token_id, "unknown_text": str(tokenizer.unk_token)}


def main() -> None:
    """Serve a process on the standard streams; what libraries print goes to stderr.

    Arguments are the number of that process, bytes of memory, and seconds.
    """
    parent, memory, seconds = sys.argv[1:]
    watch_parent_in_thread(int(parent))
    hardest = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = int(memory) if hardest == resource.RLIM_INFINITY else min(int(memory), hardest)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process is interrupted, and closes the stream
    sent = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, sent, float(seconds))


if __name__ == "__main__":
    main()
