"""The law of packing: several documents in one row, with positions that begin again, do not see each other."""

import torch
from torch import Tensor

from seqsep.core.names import text_of
from seqsep.language_models.laws.refusals import is_refusal, refusals_not_tried
from seqsep.language_models.laws.trial import LawTrial, NotTried, PathDiffers


def packed(trial: LawTrial) -> None:
    """If documents are packed into one row and position_ids begin again at each, the logits are those of each document alone.

    The model gets no mask and keeps no state, as in training without padding. If the model refuses packed documents with an
    error, the law is not tested.
    """
    if not trial.reader.takes_positions:
        raise NotTried("its forward takes no position_ids")
    for sizes in packings(trial.time):
        rows = [(index % len(trial.tokens), size) for index, size in enumerate(sizes)]
        tokens = torch.cat([trial.tokens[row : row + 1, :size] for row, size in rows], 1)
        expected = torch.cat([trial.reference[row : row + 1, :size] for row, size in rows], 1)
        positions = torch.cat([torch.arange(size) for size in sizes])[None]
        with refusals_not_tried("it refuses packed documents"):
            found = trial.reader.whole(tokens, position_ids=positions)
        words = f"documents of {', '.join(map(str, sizes))} tokens packed into one row"
        try:
            trial.require_same(words, found, expected)
        except PathDiffers as failure:
            if not trial.reader.takes_marks:
                raise
            marked = _with_marks(trial, tokens, positions, expected)
            raise PathDiffers(f"{failure}; {marked}", failure.token, failure.difference, failure.allowed) from None


def packings(time: int) -> list[list[int]]:
    """Return the numbers of tokens of documents that fill one row: two documents, and four with a single token among them.

    >>> packings(12)
    [[6, 6], [4, 1, 2, 5]]
    """
    half = time // 2
    third = max(1, time // 3)
    return [[half, time - half], [third, 1, 2, time - third - 3]]


def _with_marks(trial: LawTrial, tokens: Tensor, positions: Tensor, expected: Tensor) -> str:
    """Return how the model answers if it gets the further arguments that the library's collator gives to packed rows."""
    documents = (positions == 0).cumsum(1).int() - 1
    borders = torch.cat([(positions[0] == 0).nonzero()[:, 0], torch.tensor([tokens.shape[1]])]).int()
    longest = int(positions.max()) + 1
    marks = {"seq_idx": documents, "cu_seq_lens_q": borders, "cu_seq_lens_k": borders}
    lengths = {"max_length_q": longest, "max_length_k": longest}
    try:
        found = trial.reader.whole(tokens, position_ids=positions, **marks, **lengths)
        trial.require_same("", found, expected)
    except PathDiffers as failure:
        return f"with seq_idx and cu_seq_lens it differs by {failure.difference:.1e}"
    except Exception as error:
        does = "refuses" if is_refusal(error) else f"raises {type(error).__name__}"
        return f"with seq_idx and cu_seq_lens it {does}: {text_of(error)}"
    return "with seq_idx and cu_seq_lens it is right"
