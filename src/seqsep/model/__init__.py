"""The one model, from its blocks to its file: trained, hand-built or read back, it is the same class.

Files:

    model    `Model`: embed, blocks, read out; in parallel, one token at a time, and built to train
    design   what a model has around its mixers: norm, MLP, biases, embeddings
    blocks   a mixer with its norm, residual connection and MLP
    built    the parts of a model from a hand-built network
    weights  trained models in safetensors files
    network_file    hand-built networks in files, exactly
    tabular_network  a hand-built network that prints as a table of its arrays
    network_shapes  whether the arrays of a hand-built network fit together
    decode   greedy decoding, with a retriever that answers queries live
    thought_accuracy  how often written answers are right: live, and behind the right thought
"""

from seqsep.model.decode import Generated, GenerationFails, generate, generate_by_forward
from seqsep.model.design import LLAMA, Design
from seqsep.model.model import Model, ModelState
from seqsep.model.thought_accuracy import ThoughtAccuracy, thought_accuracy
from seqsep.model.weights import describe, load_model

__all__ = [
    "LLAMA",
    "Design",
    "Generated",
    "GenerationFails",
    "Model",
    "ModelState",
    "ThoughtAccuracy",
    "describe",
    "generate",
    "generate_by_forward",
    "load_model",
    "thought_accuracy",
]
