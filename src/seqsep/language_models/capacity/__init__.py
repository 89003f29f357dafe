"""Capacity: what a published model keeps between tokens, from its config.json alone, and what follows from that.

answer        the public function and what it returns
attention     what an attention layer keeps of each token
by_hand       models that are described by hand
by_rule       a model_type that is not known, by the general rule
compare       several models in one table: text, CSV, LaTeX
config        config.json, read strictly where a field is used
crossings     where two models change places
declare       from a config.json to what each layer keeps
drafts        lists with further entries, for layers that predict further tokens
families      the families that are known: rules and defaults
flash_linear  the families of flash-linear-attention
gguf          the header of a .gguf file
limits        the limits of every model with a state of B bits
named         the text model inside a configuration, and its family
notes         how a file was read: defaults, spellings, fields that are not read
one_layer     from which length on one attention layer is too narrow
one_layer_text  the same of one model, as plain values and in words
own_layers    families whose files describe their layers in ways of their own
part          what one layer keeps, in numbers
patterns      which layer is of which kind
published     31 published models with the status of each fact
quantized     the method by which weights are quantized, and if it is known
read          a model's file, whatever its kind
sharing       layers that keep less than their neighbours, or more
sizes         numbers, bits and bytes, under the widths and the deployment that are asked for
spellings     depth, width and heads under the names of other libraries
state_spaces  original files of state-spaces, without a model_type
states        fixed states
text          the answer in words
weights       the bytes of a model's weights
widths        bits of a number, and the names of formats
"""

from seqsep.language_models.capacity.answer import Capacity, capacity

__all__ = ["Capacity", "capacity"]
