"""Write docs/api.md from docstrings and the table of options: `make api`."""

import ast
import inspect
import re
import sys
import textwrap
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "api.md"

package = types.ModuleType("bleu")  # the modules import each other as modules of a package
package.__path__ = [str(ROOT)]
sys.modules.setdefault("bleu", package)

from bleu import bleu_metric  # noqa: E402
from bleu.bleu_core import (  # noqa: E402
    DESCRIPTIONS,
    OPTIONS,
    BufferedMetric,
    Report,
    TrainerMetric,
)

HEAD = """\
# API reference

The methods belong to the object that [`evaluate.load`](#loading) returns. Methods with `**options` accept the
[options](#options) by name. Unless a method says otherwise, the last four (`segments`, `confidence`, `n_resamples`,
`seed`) are not accepted. Arguments that a method does not list are the same as for [compute](#compute). Invalid input
is a `TypeError` or a `ValueError`. Until version 2, releases only add to [the
contract](../tests/contract/contract.md).
"""
AS_COMPUTE = (  # descriptions that are left out
    "as for `compute`.",
    "as `compute`.",
    "any option of `compute` except `segments`, `confidence`, `n_resamples` and `seed`.",
)
EXAMPLES = {  # pages that show a method at work, instead of the example of its docstring
    "total": "recipes.md#millions-of-rows",
    "compare": "recipes.md#comparing-systems",
    "rank": "recipes.md#ranking-systems",
    "diff": "recipes.md#where-two-systems-differ",
    "pairwise": "recipes.md#choosing-among-samples",
    "self_bleu": "recipes.md#diversity-self-bleu",
    "check": "check.md",
    "reconcile": "reconcile.md",
    "compute_metrics": "training.md#seq2seqtrainer",
    "restore": "recipes.md#saving-a-result",
    "warm_up": "speed.md#compiling",
}
USUAL_ERRORS = (  # the message says what else is wrong
    "as `compute`; or",
    "as `compare`; or",
    "the input or an option is invalid.",
)
SECTION = re.compile(r"(Args|Returns|Raises|Examples):\n")
ENTRY = re.compile(
    r"([\w*`]+(?:, [\w*`]+)*): "
)  # the names of arguments, keys or errors, before their description
PARTS_OF_REPORTS = ("copy", "repair", "list_found")  # users need not call them
PLOTS = "Plot the result, and return the Axes. `help(result.plot)` describes the plot."

Method = Callable[..., object]


def make_document() -> str:
    """Return the text of docs/api.md."""
    metric = bleu_metric.BleuMetric
    methods = {name: getattr(metric, name) for name in ("compute", "add", "add_batch")}
    methods |= _public_methods(metric, base=BufferedMetric)
    parts = [HEAD, _fill(", ".join(f"[{name}](#{name})" for name in methods))]
    parts += [
        "## Loading",
        _signature("evaluate.load", metric.__init__, "path, "),
        _arguments_and_errors(metric),
    ]
    meanings = {name: re.sub(r"'([\w-]+)'", r'`"\1"`', text) for name, text in DESCRIPTIONS.items()}
    entries = [
        (_code(f"{name}={default!r}"), f"{meanings[name]}.") for name, default in OPTIONS.items()
    ]
    parts += ["## Options", "With their defaults:", _list(entries)]
    for name, method in methods.items():
        parts += [
            f"## {name}",
            _signature(f"bleu.{name}", method),
            _replace_example(format_docstring(method.__doc__), name),
        ]
        if name == "compute":
            parts.append(format_docstring(bleu_metric.INPUTS_DESCRIPTION, without=OPTIONS))
    calls = _list_calls("result", _public_methods(Report, base=dict))
    parts += ["## Results", _summary(Report), _list([*calls, *_list_results(methods)])]
    parts += ["## Callback", _summary(TrainerMetric)]
    call = f"`callback({_arguments(TrainerMetric.__call__)})`"
    calls = _list_calls("callback", _public_methods(TrainerMetric, base=object))
    parts.append(_list([(call, _summary(TrainerMetric.__call__)), *calls]))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _arguments_and_errors(owner: object) -> str:
    """Return a docstring in Markdown, from its section of arguments on."""
    _before, heading, after = format_docstring(owner.__doc__).partition("**Args**")
    return heading + after


def _replace_example(written: str, name: str) -> str:
    """Return the text about a method with a link instead of its example, if another page shows the method."""
    if name not in EXAMPLES:
        return written
    text, _, _ = written.partition("```pycon")
    return f"{text.rstrip()}\n\n[Example]({EXAMPLES[name]})"


def format_docstring(text: str | None, without: Iterable[str] = ()) -> str:
    """Return a docstring in Markdown, with sections as lists and examples as code, without some arguments."""
    text = re.sub(rf"\n+(?={SECTION.pattern})", "\n\n", inspect.cleandoc(text or ""))
    parts = []
    for block in re.split(r"\n\n+(?=\S)", text):
        name = ""
        if section := SECTION.match(block):
            name, block = section.group(1), textwrap.dedent(block[section.end() :])
        if block.startswith(">>>"):
            written = f"```pycon\n{block.replace('<BLANKLINE>', '').strip()}\n```"
        else:
            written = _format_entries(block, 0 if name in ("Args", "Raises") else 4, without)
        if written:
            parts += [f"**{name}**", written] if name else [written]
    return "\n\n".join(parts)


def _format_entries(block: str, level: int, without: Iterable[str]) -> str:
    """Return the paragraphs and lists of a section.

    Args:
        block: the lines of the section.
        level: the indentation of entries. Names in backticks also begin an entry if they are not indented.
        without: names of entries to leave out, beside those that are described as in `compute`.
    """
    found: list[
        tuple[str, list[str]]
    ] = []  # the names of an entry, "" for a paragraph; and its lines
    joins, entry_level = False, 0
    for line in block.splitlines():
        text, indentation = line.strip(), len(line) - len(line.lstrip())
        entry = ENTRY.match(text)
        if entry and (indentation == level or (line.startswith("`") and level)):
            found.append((entry.group(1), [text[entry.end() :]]))
            entry_level = indentation
        elif (
            text
            and joins
            and (
                not found[-1][0] or indentation > entry_level or indentation == entry_level < level
            )
        ):
            found[-1][1].append(text)
        elif text:
            found.append(("", [text]))
        joins = bool(text)
    result, before = "", ""
    for names, lines in found:
        text = " ".join(lines)
        is_usual = text in AS_COMPUTE or text.startswith(USUAL_ERRORS)
        if names not in without and not is_usual:
            result += ("\n" if names and before else "\n\n") if result else ""
            result += _fill(f"- {_code(names)}: {text}", indent="  ") if names else _fill(text)
            before = names
    return result


def _public_methods(owner: type, base: type) -> dict[str, Method]:
    """Return the methods of a class that its base does not have, in the order of the source."""
    found = (
        item for part in owner.__mro__ for item in vars(part).items() if inspect.isfunction(item[1])
    )
    return {name: method for name, method in found if name[0] != "_" and not hasattr(base, name)}


def _list_calls(owner: str, methods: dict[str, Method]) -> Iterator[tuple[str, str]]:
    for name, method in methods.items():
        if name not in PARTS_OF_REPORTS:
            yield f"`{owner}.{name}({_arguments(method)})`", _summary(method)


def _list_results(methods: dict[str, Method]) -> Iterator[tuple[str, str]]:
    """Yield the methods that only the results of some methods have, each once."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, method in methods.items():
        # The result of `compute` is another one for drop-in replacements, as its annotation says.
        result = "Result" if name == "compute" else method.__annotations__.get("return", "")
        result = result.rpartition(" | ")[2]  # of `reconcile`
        owner = getattr(bleu_metric, result, Report)
        if inspect.isclass(owner) and issubclass(owner, Report):
            calls = _list_calls("result", _public_methods(owner, base=Report))
            for call, purpose in calls:
                is_plot = call.startswith("`result.plot(")
                shown = ("`result.plot(ax=None)`", PLOTS) if is_plot else (call, purpose)
                found.setdefault(shown, []).append(name)
    for (call, purpose), names in found.items():
        yield f"{call} of {_code(', '.join(names))}", purpose


def _signature(call: str, function: Method, first: str = "") -> str:
    return f"```text\n{_fill(f'{call}({first}{_arguments(function)})', indent='    ')}\n```"


def _arguments(function: Method) -> str:
    """Return the arguments as in the source, but without types; `inspect.signature` lists every option."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    arguments = definition.args  # type: ignore[attr-defined]
    for argument in filter(
        None, [*arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    ):
        argument.annotation = None
    del arguments.args[0]  # self
    if arguments.vararg:
        arguments.vararg.arg = ""  # positional arguments are accepted for an error only
    return ast.unparse(arguments).replace("'", '"')


def _summary(owner: object) -> str:
    return " ".join((inspect.getdoc(owner) or "").partition("\n\n")[0].split())


def _code(names: str) -> str:
    return ", ".join(f"`{name.strip('`')}`" for name in names.replace("'", '"').split(", "))


def _fill(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _list(entries: Iterable[tuple[str, str]]) -> str:
    return "\n".join(_fill(f"- {name}: {text}", indent="  ") for name, text in entries)


if __name__ == "__main__":
    DOCUMENT.write_text(make_document(), encoding="utf-8")
