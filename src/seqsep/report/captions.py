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
    "Across: the bits of a model's state after all symbols. Up: the least number of bits about the symbols that the state must "
    "hold, computed from the model's accuracy by Fano's inequality. It may hold more. Each mark is a model, and a wider model "
    "has a larger mark. The top line is the number of bits that all answers need, and the lowest strip is below 1 bit. Curves "
    "are shares of the state, and no model can be in the grey part. The right axis is the accuracy that proves each number of "
    f"bits. All runs have the same number of steps, learning rate and seed. {TABLE}"
)
SWEPT = (
    "Line: mean over the seeds; band: least to greatest. Of the other settings, each point has the best. Chance is the "
    "accuracy of a guess that does not read the input."
)
GRID = "Mean over the seeds in percent, and below it least to greatest. Of the other settings, each cell has the best."
