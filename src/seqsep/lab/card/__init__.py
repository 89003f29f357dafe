"""A layer's card: what a layer can hold, follow, recall and learn, measured by one fixed battery.

Files:
    battery      twelve ladders of tasks, and the recipe by which every layer is trained
    subject      the layers that a card is about
    climb        how far up each ladder the layer gets
    probe        what is measured without training, in a process of its own
    size         numbers of the state over the length
    speed        training and decoding steps beside three peers, in turns
    transition   eigenvalues of the state's transition
    limits       the lengths from which the state proves failure
    card         the record of all of it, as JSON
    make         the parts of a card, one after another
    comparison   cards compared: drops, seeds, and how alike two budgets order layers
"""
