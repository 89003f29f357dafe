"""docs/reference/audit.md and docs/audit.svg: the bits that trained models store, need and carry, from committed rows."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pages._markdown import table
from seqsep.lab.audit.answer import Audit
from seqsep.lab.audit.sizes import LENGTHS, rows
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, picture_svg
from seqsep.report.page.audit_charts import sizes_chart
from seqsep.report.page.audit_record import audit_of_record
from seqsep.report.sized_model import STYLES as MIXERS

HEAD = """# Audit: how much of the input a trained model stores

You need this page if you trained a model and want to know how much its state contains, or on which inputs it fails.
`seqsep audit FILE` prints the numbers below for your own model, and `seqsep audit STORE KEY` for a run that was trained with
`--keep-weights`. `--page FILE.html` draws them, and `--json` prints every point. From Python: `seqsep.audit`.

The tasks are index lookup, associative recall, multi-query recall, equality of random halves, your own task with a method
`questions` ([how to](../how-to/own-task.md#5-audit-a-model)), and phonebooks for [language
models](#language-models). A prefix is the part of an input before the query. `make pages` writes this page from
`results/audit/sizes.jsonl`.

## Three numbers

* **Stored**: the number of bits in the tensors of one example's state after the prefix.
* **Needs at most**: an upper limit on the bits that the rest of the model needs from the state. The state is rounded to a
  codebook, and the layers after it read the rounded state. This number is the fewest bits for which the accuracy falls by at
  most one point.
* **Carries at least**: a lower limit on the information about the prefix in the state. It follows by Fano's inequality from
  the accuracy of the questions about each position of the prefix. With a confidence of 95 %, the limits of all positions hold
  together. For equality, the lower limit is instead -log2(2 e + 2^-h). Here e is the upper limit of the error rate, and h is
  the number of bits of a half.

Two kinds of codebook are tested. The first is a Lloyd-Max quantiser for each coordinate. The second quantises along principal
axes of the states, and gives most bits to the axes with the greatest weight. There are two choices of the weight. One is the
variance along the axis. The other also takes into account how much the answers depend on the axis: it is the variance times
the mean square of a derivative. The derivative is that of the [margin](../explanation/glossary.md#margin) along the axis.
Here the margin is the logit of the right answer minus the greatest other logit. A codebook is fitted on 1,024 other prefixes
and then fixed. With b bits it has at most 2^b entries.

The examples are new: none was used in training or evaluation. Another codebook, or another model that reads the state, may
need fewer bits than "needs at most".

The table below has a further column, **all right**, which does not depend on the trained model. It is the fewest bits with
which some model answers every question rightly. With fewer bits, every model answers some question wrongly.

Tests check the numbers in three ways:

* A proof gives the highest accuracy that b state bits allow. For every mixer and every codebook of b bits, the lower
  confidence limit of the measured accuracy is at most this proved accuracy.
* A model that is built by hand remembers 500 bits of the prefix. Both limits are then from 450 to 500.
* Another model that is built by hand never reads its state. Both limits are then 0.

## Six mixers at three widths

![Bits stored, needed at most and carried at least by six mixers over width, and the least state without errors](../audit.svg)

Each model has one layer and learned positions. Its task is index lookup over 16 symbols. The lengths are {lengths}: for each
mixer and width, we chose one that this model learns. Each model is trained once, so the numbers are not
properties of an architecture. This does not compare other mixers or longer inputs.

"""
TAIL = """
Training took {training:,.0f} CPU seconds in all. An audit took at most {audit:,.1f}.

## Language models

`seqsep audit FOLDER` (`seqsep.audit_language_model`) reads a causal language model of `transformers` with its weights as
safetensors. In a clone, `pip install '.[hf]'` installs what it needs. It downloads nothing and runs no code of the folder.

A phonebook is a list of names, each with a number. If the folder has a tokenizer, the model reads it as text, as in `seqsep
text phonebook --shots 0`. Otherwise the model reads tokens: each name is one token, and each digit is one token. `--entries`
and `--digits` set the size of a phonebook. All phonebooks have the same names. Their numbers are drawn uniformly and
independently.

The state is the one after the last number of the phonebook. From this state the model is asked for every number, token by
token, in float32. An answer is right if greedy decoding writes the number. Stored, needs at most and carries
at least are computed as above: a phonebook of N entries with D digits counts as N symbols from an alphabet of 10^D. They count
neither the names nor what the weights know.

Questions take at most half of the time `--seconds`. The first line of the output gives the number of questions. The other half
is for codebooks: they are tested from few bits to more, until one lowers the accuracy by at most one point. They are fitted on
256 other phonebooks. The weights of axes are variances only, without derivatives. There are two limits:

* For a state of more than 32,768 numbers, only principal axes are tried.
* For a state of more than 1,048,576 numbers, or if a tokenizer gives phonebooks different numbers of tokens, no codebook is
  tried. Then "needs at most" is missing.

A model may answer no better than by guessing: the lower limit of its accuracy is then at most the accuracy of a guess. In this
case, these questions show nothing about the state, and the output says so. Such a model may still store the numbers, for
example if it writes numbers in another form.

seqsep refuses a model that does not return its complete state with its logits. To test this, seqsep saves the state of one
phonebook and puts it in the place of another phonebook's state. The model must then continue as after the first phonebook.

`tests/long_text.py` trains a hybrid of a convolution and attention on phonebooks with 6 entries of 3 digits. An audit shows
that its state carries at least three quarters of the bits of such a phonebook ([its
row](../../results/verify/text-trained.json)).
`tests/language_models/audit/test_language_models.py` has a model that learned three digits. It also has models with
random weights, for which an audit shows nothing.

## Accuracy by position and by field

`--by position` (`seqsep.lab.audit.accuracy_by`) prints the accuracy of one trained model at each queried position. If the task
queries no position, each answer is counted at the place of its token. More than 20 positions are divided into 20 ranges.
`--by pairs=2,4,8` prints the accuracy for each of these values of a field. The model stays the same, so the field must leave
the tokens and the answers of the task as they are. This works for every task. Each accuracy has a 95 % confidence interval by
itself.

## The worst case

`--worst` (`seqsep.worst_case`) searches for inputs that a model answers wrongly, with a limited number of questions. The right
answers are those of the task's definition. If there are no more inputs than questions, every input is asked. With `--worst
all` this is done for up to 2^20 inputs. Then the result is exact, also if no answer is wrong. Otherwise the search uses these
attacks, in this order:

| attack | inputs |
|---|---|
| closest | pairs of prefixes with the closest states: 256 random prefixes, and 32 of them again with another first token |
| swaps | a random prefix, and the same with two unequal neighbours exchanged |
| edits-1, edits-2 | a random prefix, and the same with one or two values changed |
| climb | inputs of low margin, changed step by step so that the margin falls |
| drawn | inputs as the task draws them, for comparison |

If the inputs of an attack are independent, its share of wrong answers has the interval of Clopper and Pearson. The other
attacks choose their inputs, so they have no interval. Then the search takes the smallest input that the model answers wrongly,
and makes it smaller step by step, as long as the model is still wrong. The result is asked by itself, in one pass and token by
token.

The search also looks for two prefixes with bit-equal states. Such a pair proves that the model fails: if a question has
different right answers after the two prefixes, the model is wrong after one of them, whatever it answers. If no wrong answer is
found, this proves nothing, unless every input was asked.

In multi-query recall, a question is the first query of an example, and a changed prefix has the same keys. In the form zoology,
its values differ, so a change keeps them different. For your own task, right answers are those of its method `solve`. If its
method `alphabets` gives a range for each token of an input, the search changes tokens within them. Otherwise it uses only the
attacks closest and drawn, and makes no counterexample smaller.

`--worst --equal-states FILE.json` writes two such prefixes and a question that distinguishes them.
`seqsep audit MODEL --recheck FILE.json` checks the file. The model must be the one whose SHA-256 is in the file. Each prefix is
read by itself, and the right answers are those of the task. This file is not a certificate: `seqsep_check.py` does not run
models, so it could check only half of the proof.

Two trained models are in the repository. [results/audit/lstm.safetensors](../../results/audit/lstm.safetensors) has two layers
of width 64, and [results/audit/mamba.safetensors](../../results/audit/mamba.safetensors) has two layers of width 32. They are
right on more than 99.7 % and 98 % of random inputs of equality (variant `random`) at N = 20. For each, the attack "closest"
finds a wrong answer within ten questions (`tests/lab/audit/test_worst.py`).
"""


def audits(results: Path) -> list[tuple[Mapping[str, Any], Audit]]:
    """Return the committed rows, each with its audit."""
    return [(row, audit_of_record(row["audit"])) for row in rows(results)]


def audit_page(results: Path) -> str:
    """Return docs/reference/audit.md as text."""
    known = audits(results)
    names = ["mixer", "width", "N", "accuracy", "stored", "needs at most", "carries at least", "all right"]
    lengths = sorted({length for each in LENGTHS.values() for length in each})
    tail = TAIL.format(
        training=sum(row["training_seconds"] for row, _ in known),
        audit=max((row["audit_seconds"] for row, _ in known), default=0.0),
    )
    return HEAD.format(lengths=f"N = {', '.join(map(str, lengths))}") + table([names, *(_line(*one) for one in known)]) + tail


def _line(row: Mapping[str, Any], found: Audit) -> list[str]:
    (mixer,) = row["run"]["layers"]
    needed = "-" if found.needs_at_most_bits is None else f"{found.needs_at_most_bits:,}"
    return [
        MIXERS[mixer].title,
        str(row["run"]["width"]),
        str(found.task.length),
        f"{found.accuracy:.1%}",
        f"{found.stored_bits:,}",
        needed,
        f"{found.carries_at_least_bits:.1f}",
        str(found.all_right_bits),
    ]


def audit_picture(results: Path) -> str:
    """Return docs/audit.svg as text: a panel for each mixer, the numbers over width."""
    by_mixer: dict[str, list[tuple[int, Audit]]] = {}
    for row, found in audits(results):
        by_mixer.setdefault(row["run"]["layers"][0], []).append((row["run"]["width"], found))
    every = [found for known in by_mixer.values() for _, found in known]
    highest = math.ceil(math.log10(max(one.stored_bits for one in every)))
    picture = ChartPicture(
        title="What a state stores is not what its reader needs, nor what it carries",
        subtitle=(
            "Bits of one example's state over the width of a model. The length N changes with the width: each tick has both."
        ),
        caption=(
            "Index lookup over 16 symbols, one layer, learned positions, one trained model a point. Stored: bits of the "
            "state's tensors. Needs at most: the fewest bits from which the model's own reader is within one point of its "
            "accuracy. All right: the least state of a model that answers every question at this N. Carries at least: bits "
            "that the accuracy proves. N changes with the width, so a rising line does not show what width does at one N."
        ),
        panels=tuple(_panel(mixer, by_mixer[mixer], highest) for mixer in LENGTHS if mixer in by_mixer),
    )
    return picture_svg(picture)


def _panel(mixer: str, known: Sequence[tuple[int, Audit]], highest: int) -> PicturePanel:
    title = MIXERS[mixer].title
    return PicturePanel(title, "", sizes_chart(title, known, 0, highest))
