"""One change of a node of a syntax tree, as mutants of the checker and of the package are made of."""

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.BitOr: ast.BitAnd,
}


class Change(NamedTuple):
    """Another value of a field of a node, in words and as it is."""

    what: str
    field: str
    value: Any

    def make(self, node: ast.AST) -> None:
        """Change the node in place."""
        setattr(node, self.field, self.value)


def common_changes(node: ast.AST) -> Iterator[Change]:
    """Of comparisons, `and`, `or`, `not`, arithmetic, truth values, and whole numbers one more."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                new = [*node.ops[:place], other(), *node.ops[place + 1 :]]
                yield Change(f"comparison {place} {type(operator).__name__} -> {other.__name__}", "ops", new)
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield Change(f"{type(node.op).__name__} -> {type(swapped).__name__}", "op", swapped)
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        other_operator = ARITHMETIC[type(node.op)]
        yield Change(f"{type(node.op).__name__} -> {other_operator.__name__}", "op", other_operator())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Change("not dropped", "operand", ast.UnaryOp(ast.Not(), node.operand))
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield Change(f"{node.value} -> {not node.value}", "value", not node.value)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield Change(f"{node.value} -> {node.value + 1}", "value", node.value + 1)
