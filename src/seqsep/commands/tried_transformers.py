"""Whether the installed `transformers` names what a model keeps as the laws of state expect it."""

FIRST_UNKNOWN = (5, 24)
"""From this release on the state is the argument `cache`, and some models drop it in silence under its former names."""


def require_tried_transformers() -> None:
    """Raise TransformersMissing if the package is not installed, or newer than the laws have been tried with."""
    from seqsep.laws.language_model.source import INSTALL, TransformersMissing, version

    found = version()
    if tuple(map(int, found.split(".")[:2])) >= FIRST_UNKNOWN:
        least = ".".join(map(str, FIRST_UNKNOWN))
        raise TransformersMissing(
            f"transformers {found} names a model's state otherwise than the releases below {least}, which were tried; {INSTALL}"
        )
