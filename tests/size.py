"""Print the statements of the metric and of the demo, by file: `python tests/size.py`.

A statement is one of Python's (`ast.stmt`), docstrings aside; a definition counts as one, and its body by itself.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
METRIC = [ROOT / "bleu_metric.py", *sorted((ROOT / "bleu_core").rglob("*.py"))]
DEMO = [ROOT / "app.py", *sorted((ROOT / "space").rglob("*.py"))]


def count_statements(source: str) -> int:
    """Count the statements of a source, docstrings aside."""
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = sum(_is_text(node) for node in nodes)
    return sum(isinstance(node, ast.stmt) for node in nodes) - docstrings


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def print_table(title: str, paths: list[Path]) -> None:
    counts = {path: count_statements(path.read_text()) for path in paths}
    print(f"{sum(counts.values()):6,} {title}")
    for path, count in counts.items():
        print(f"{count:6,}     {path.relative_to(ROOT)}")


if __name__ == "__main__":
    print_table("the metric", METRIC)
    print_table("the demo", DEMO)
