"""The captions of an experiment's three figures. The numbers are in the figures and in their tables."""

TABLE = "Positions, scales, rates, steps, seeds and ceilings are in the table of the same name."
HEATMAP = (
    "Best of each cell's learning rates and, if there are several, sizes (depth, width). Open marks are other seeds of the "
    "best, crosses were pruned, dots are chance. The paper's numbers are of the size that it prints. A ceiling of 100 % means "
    f"that the state does not forbid what is missing; no weights exceed a lower one. {TABLE}"
)
CURVES = (
    "Accuracy on the evaluation examples at the best learning rate of each cell: line, median of the seeds; band, least to "
    f"greatest. A run that stopped, having converged, keeps its last accuracy; dots are chance. {TABLE}"
)
STATES = (
    "Bits of state once all N symbols are read. Mark: best of each cell's learning rates; bar: least to greatest seed. Black "
    f"line: the provable ceiling for that many bits, if one is known; no training reaches the grey. {TABLE}"
)
USED_BITS = (
    "Mark: the bits about the symbols that a model's accuracy proves to be in its state (Fano), over the bits of its state "
    "once all symbols are read; it may hold more. Top: all bits that the answers need; strip: under 1 bit. A wider model has a "
    "larger mark. Curves: shares of the state; grey: more than it has. Right: the accuracy that proves so many bits. All runs "
    f"have the same steps, rate and seed. {TABLE}"
)
