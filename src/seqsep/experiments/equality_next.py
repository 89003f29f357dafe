"""Who copies? Equality as next-character prediction: figure 4, right, of Bhattamishra et al. 2024 (Eq-ncp, section H.2).

Presets: `paper` is two layers of width 64 at lengths 100 to 800; `paper-grid` everything that appendix H lists (`_paper`);
`quick` has 8 symbols and lengths 4 and 10 on two cores (`_equality`), `reach` 8 symbols and weights of
deviation 0.09 too, at N = 20, 50 and 100 (`_reach`).
"""

from dataclasses import replace
from functools import partial

from seqsep.experiments._equality import equality_experiment
from seqsep.experiments._reach import LONG_STEPS, SCALES, Level, Reach, contenders
from seqsep.tasks import Equality

TASK = partial(Equality, variant="next")

READING = """N counts both halves, so N / 2 symbols are to be copied, and an example is right only if each of them is. At N =
4 all six reach 100 % under every seed. At N = 10 they part: attention and linear attention stay above 99 % under every seed,
retention and Mamba reach it but not under every seed, DSS stops below 99 % and the LSTM at 60 %.

Attention and linear attention learn both lengths under every seed, over 8 symbols where the paper has 1,024; at N = 10 two
seeds of three pass 99 % for Mamba (the third has 10 %) and one for retention. In the paper the LSTM, linear attention and
retention fail from N = 400 on, DSS and Mamba from 600. Our lengths are short enough for 1,000 steps, so they show who learns
to copy early, not where copying ends.

Nor does `reach` as far as it is there: N = 20, ten symbols to copy, of 8 too; two layers of width 64, at most 1,500 steps,
embedding scale 0.3, the better of two rates, one seed. With learned positions six reach 99.9 %: the gated delta rule after
250 steps, sliding attention after 500 (each symbol stands 10 tokens back, within its window of 16), attention after 750,
Mamba-2 after 1,000, retention after 1,250 and RWKV-7 after 1,500. Mamba ends at 98.7 %, linear attention at 92.1, DSS at 41.6
and the LSTM at 4.4 %. Without positions none of the seven that may do without passes 99 %: the gated delta rule has 92.4 %,
RWKV-7 87.1, Mamba-2 85.4, retention 77.7, Mamba 38.9, DSS 33.7 and the LSTM 0.7 %. So positions help all seven here too, and
the LSTM and DSS are last both ways; but none that stays below 99 % had ceased to rise, and more steps, the scales 0.1 and
0.02, larger models, N = 50 and 100 were not tried.
"""

EIGHT = partial(TASK, alphabet=8)
"""Eight symbols: of 1,024 a model that knows nothing has a loss of 0.004 nats already."""

REACH = Reach(
    contenders(EIGHT(20), depth=2, weight_scale=0.09),
    levels=(
        Level(EIGHT(20), steps=1500, longer=6000, scales=SCALES),
        Level(EIGHT(50), steps=1500, longer=6000),
        Level(EIGHT(100), steps=1500, longer=6000),
    ),
    rates=(1e-3, 3e-3),
    outer_rates=(3e-4,),
)

EXPERIMENT = equality_experiment(
    name="equality-next",
    question="Who copies, up to which length?",
    title="Copying, every next symbol right: accuracy, %",
    task=TASK,
    quick_task=EIGHT,
    quick_lengths=(4, 10),
    width=64,
    lengths=(100, 200, 400, 600, 800),
    paper_figure="figure4_eq_ncp",
    reading=READING,
    reaches={"reach": lambda: REACH, "reach-long": lambda: replace(REACH, long_steps=LONG_STEPS)},
)
