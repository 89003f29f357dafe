"""IsTree as a problem on tokens: what a tree is, how a graph is written, and the thoughts that decide it, from the definition.

Theorems and the task `is_tree` share these. A thought here is written for one graph, slowly and plainly.

Files:

    graphs         the definition of a tree, and the edges that a user writes
    tokens         tokens of a prompt and of the answer
    tour           the thought of Algorithm 1, a depth-first tour: the paper's, and with the vertex that closes a cycle
    algorithm_two  the printed thought with a retriever, which writes parents down
    peeling        the thought that peels leaves, and why it decides
    walk           the walk with its queries, and why it decides
    live           answers the queries of a thought while a model writes it
    partitions     how many partitions vertices have, and the state that simple graphs need
"""
