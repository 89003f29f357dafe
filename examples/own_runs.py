"""Does a gated moving average look symbols up as well as an LSTM? Runs of your own: any Python file with runs(preset).

    seqsep run examples/own_runs.py --preset quick --dry-run
    seqsep run examples/own_runs.py --preset quick --label mine

The path of a layer is relative to this file, from whatever folder the command is called.
"""

from seqsep import IndexLookup, Run

PRESETS = ("quick", "seeds")


def runs(preset):
    """Return the runs of a preset: two layers, each with one seed or three."""
    seeds = {"quick": (0,), "seeds": (0, 1, 2)}[preset]
    return [
        Run(IndexLookup(length=10, alphabet=8), (layer,), width=32, steps=1000, learning_rate=3e-3, seed=seed)
        for layer in ("own_layer.py:MovingAverage", "lstm")
        for seed in seeds
    ]
