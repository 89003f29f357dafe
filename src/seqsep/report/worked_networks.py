"""The networks of the worked example, in words: what each does, and what each of its heads looks for.

The words are ours; which tokens a head attends to is measured (`worked_example`).
"""

from dataclasses import dataclass

from seqsep.theorems.is_tree.figure_3 import HYBRID, ONE_LAYER, PEELING, TOUR, WALK, Writer


@dataclass(frozen=True)
class HeadInWords:
    """The tokens that a head attends to, and what they give."""

    name: str
    gives: str


@dataclass(frozen=True)
class NumberInWords:
    """A number that a recurrence remembers: a column's title, and where in the residual stream it is read."""

    name: str
    space: str
    coordinate: int = 0


@dataclass(frozen=True)
class NetworkInWords:
    """A network's title, what its thought does, its heads in the order of the layers, and numbers that it remembers."""

    writer: Writer
    title: str
    idea: str
    heads: tuple[HeadInWords, ...] = ()
    remembered: tuple[NumberInWords, ...] = ()


LAST_POINTER = HeadInWords("the last pointer", "how many pointers there are; [BOS]: none yet")
COUNTING = (
    HeadInWords("edges whose larger end is x", "and climbs, which take them away, and [BOS]"),
    HeadInWords("edges whose smaller end is x", "both together: is x a leaf, and of which vertex"),
)
PEEL = (
    "Pointers 1' 2' .. go through the vertices. Whenever the vertex x written last has one edge left, the next token "
    "is that edge's other end, a climb, which takes the edge away. All edges gone: a tree."
)

NETWORKS = (
    NetworkInWords(
        PEELING,
        title="Two attention layers peel leaves",
        idea=f"{PEEL} Layer 1 puts each edge together, layer 2 counts those of x: their signs add up to its degree, "
        "their other ends to its only neighbour.",
        heads=(
            HeadInWords("the token before", "x of a climb x y, as seen from y"),
            HeadInWords("the token two before", "u of an edge u ~ v, as seen from v"),
            LAST_POINTER,
            HeadInWords("the first pointer", "how long the prompt is; [BOS]: not yet known"),
            *COUNTING,
        ),
    ),
    NetworkInWords(
        TOUR,
        title="Three attention layers walk the paper's tour",
        idea="Algorithm 1 of the paper: at v, coming from y, go along v's edge after the one to y, in the order of "
        "the prompt, and back to the parent if there is none. Every edge gone along both ways without closing a "
        "cycle: a tree. Layers 1 and 2 tell each edge's end in the prompt which edge of that vertex came before "
        "it, and each vertex of the tour its parent; layer 3 finds the next vertex.",
        heads=(
            HeadInWords("the token before", "y, where the tour comes from; v of an edge u ~ v just read"),
            HeadInWords("the token two before", "u of an edge u ~ v, as seen from v"),
            HeadInWords("the token three before", "u of an edge u ~ v, as seen from the place after it"),
            HeadInWords("the token four before", "the same, one place later"),
            HeadInWords("the last ~", "how many edges there are"),
            HeadInWords("v's edge before this one", "in the prompt: its other end; not used in the thought"),
            HeadInWords("v, where first written", "its parent stands before; [BOS]: v = 1"),
            HeadInWords("y, where first written", "y's parent stands before; [BOS]: y = 1 or none"),
            HeadInWords("v's edge after that to y", "its other end, the next vertex; [BOS]: there is none"),
            HeadInWords("v's edge after that to its parent", "its other end, next if the head before finds the parent"),
        ),
    ),
    NetworkInWords(
        ONE_LAYER,
        title="One attention layer with tokens for pairs",
        idea="The edges are copied first, each as one token; then leaves are peeled as above, a climb from x to y "
        "being one token. So what layer 1 had to put together stands in the embedding, at the price of "
        "2 n (n - 1) tokens more in the vocabulary.",
        heads=(
            HeadInWords("first end of the next edge", "where an edge is to be copied; else [BOS]"),
            HeadInWords("second end of the next edge", "where an edge is to be copied; else [BOS]"),
            LAST_POINTER,
            HeadInWords("edges whose larger end is x", "copies and climbs, and [BOS]; all without edge if x is missing"),
            COUNTING[1],
        ),
    ),
    NetworkInWords(
        HYBRID,
        title="A linear recurrence and one attention layer",
        idea=f"{PEEL} The same thought: what layer 1 looked up is remembered in eight numbers, these six and two squares.",
        heads=COUNTING,
        remembered=(
            NumberInWords("vertex before", "before"),
            NumberInWords("two before", "two_before"),
            NumberInWords("pointers", "last"),
            NumberInWords("has 1'", "has"),
            NumberInWords("~ read", "edges"),
            NumberInWords("climbs, less edges", "excess"),
        ),
    ),
    NetworkInWords(
        WALK,
        title="A linear recurrence with a retriever",
        idea="No attention: the model asks. At v, coming from y, it writes the query [ v y ], and the retriever puts "
        "the neighbour of v after y, in the order of the prompt, after it. FAILED says that y was the last one; "
        "then it asks [ v ] for the first. At vertex 1 FAILED ends the walk: a tree if each of the 6 vertices "
        "failed once.",
        remembered=(
            NumberInWords("1 back", "back", 0),
            NumberInWords("3 back", "back", 1),
            NumberInWords("4 back", "back", 2),
            NumberInWords("5 back", "back", 3),
            NumberInWords("FAILED, less ~", "balance"),
        ),
    ),
)
"""The networks of the page, in its order."""
