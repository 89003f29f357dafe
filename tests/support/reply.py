"""The result of a language model's reply that a row may have."""

from typing import Any

REPLY: dict[str, Any] = {
    "status": "finished",
    "accuracy": 1.0,
    "right": True,
    "expected": "12",
    "written": "12",
    "tokens": 2,
    "tokens_right": 2,
    "prompt_tokens": 30,
    "state_bits": None,
    "chance": 0.1,
}
