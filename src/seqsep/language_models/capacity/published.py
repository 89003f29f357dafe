"""Published models: the configuration of each as far as it is known, where it was seen, and how sure that is.

`published.json` contains them. A status of "verified" means that a public file or page shows all sizes that are used.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from seqsep.language_models.capacity.answer import Capacity, capacity


@dataclass(frozen=True)
class Published:
    """A published model: its name, the fields of its config.json that are read, their source, how sure they are, and a note.

    >>> published()[2].name, published()[2].capacity().fixed_numbers
    ('tiiuae/falcon-mamba-7b', 9961472)
    """

    name: str
    config: dict[str, Any]
    source: str
    status: str
    note: str

    def capacity(self) -> Capacity:
        """Return the sizes that the model keeps."""
        return capacity(self.config)


@cache
def published() -> tuple[Published, ...]:
    """Return every published model in published.json."""
    records = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))
    return tuple(Published(**record) for record in records)
