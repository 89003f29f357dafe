"""The one model: embed, blocks, read out."""

from seqsep.model.model import Model, ModelState

__all__ = ["Model", "ModelState"]
