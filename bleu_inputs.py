"""Readers of any container to a `Corpus`, `Texts` or labels; errors name the column and the row.

Plain lists of strings, tokens or ids, which most calls pass, take a fast path. All other containers
are converted to Arrow columns and then checked; texts that are in Arrow already are not copied.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import sys
from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
    Sized,
    ValuesView,
)
from contextlib import suppress
from itertools import accumulate, chain
from operator import length_hint
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import bleu_messages as messages
from .bleu_corpus import (
    IDS,
    STRINGS,
    TOKENS,
    TYPES,
    Corpus,
    Int64,
    Label,
    SmallCorpus,
    SystemName,
    Texts,
    checksum_texts,
    evenly_spaced,
    evenly_spaced_rows,
    innermost_type,
    is_array,
    is_list,
    is_missing,
    is_string,
    join_corpora,
    kind_of,
    list_items,
    make_corpus,
    make_lists,
    plain_label,
    slices,
    to_numpy,
)
from .bleu_messages import (
    LONE_SURROGATE,
    Notice,
    RunOfSystem,
    count_things,
    describe_references,
    describe_type,
    invalid,
    list_systems,
    name_value,
    one_of,
    show_system,
    show_value,
    warn,
    within_system,
    wrong_item,
)
from .bleu_tokenizers import ChosenTokenizer, choose_tokenizer

if TYPE_CHECKING:
    from .bleu_options import Options

_MOST_SMALL = 256  # predictions and references; with more texts, Arrow is faster
_SAMPLE_ROWS = 100  # rows, evenly spread, inspected for a mistake that affects a whole column
_FEW_ROWS = 8  # with more rows, the caller has surely read the files
_FEWEST_BREAKS = 20  # line breaks of a text that may be a whole file
# From this many references per segment, they may be the tokens of a single reference.
_FEWEST_TOKENS = 4
_INNER_SPACE = r"\S\s+\S"
# Columns of a table of systems that are not systems: "reference", "ref_A", "refs", "source_en",
# "docid".
_COLUMN_NAMES = (
    "src|source|doc|document|domain|label|seg|segment|sent|sentence|line|row|index|idx|unnamed|id"
    "|lang|lp"
)
_END_OF_NAME = r"s?([\W_]*(id|name|text|no|nr|num|number|[a-z]|\d+)|[\W_]+[a-z]{2})?"
_NOT_A_SYSTEM = re.compile(
    f"(ref|reference|tgt|target|gold|{_COLUMN_NAMES}){_END_OF_NAME}", re.IGNORECASE
)
_NOT_A_REFERENCE = re.compile(
    f"(mt|hyp|hypothesis|pred|prediction|output|{_COLUMN_NAMES}){_END_OF_NAME}", re.IGNORECASE
)
# A text of one word with a suffix that files with one segment per line have.
_FILE_NAME = re.compile(r"\S+\.(txt|text|tsv|csv|jsonl?|hyp|ref|out|gz|bz2|xz|sgml?|xml)\s*")
_NO_LABELS = (bytes, list, tuple, dict, set, frozenset)
_PLAIN = (str, int, list, tuple, type(None))  # Arrow converts them, and lists of them, correctly
_DEPTHS = {messages.EXPECTED_TEXT: 1, messages.REFERENCES: 2}  # the levels of lists in a row
_MOST_FIELDS = 5  # of a dict that a message lists


class Call(NamedTuple):
    """The texts of a call, with all that counting and the look need.

    corpus: the segments.
    options: the options of the call.
    tokenizer: the tokenizer of all segments; None if labels have tokenizers of their own.
    labels, documents: the label and the document of each segment, or None.
    """

    corpus: Corpus
    options: Options
    tokenizer: ChosenTokenizer | None
    labels: Sequence[Label] | None = None
    documents: Sequence[Label] | None = None


def read(
    predictions: object,
    references: object,
    by: object,
    documents: object,
    options: Options,
    *,
    added: Sequence[Corpus] = (),
    allow_empty: bool = False,
) -> Call:
    """Read what a user passes to a call.

    Args:
        predictions, references, by, documents: the arguments of `compute`.
        options: the options of the call.
        added: the rows added before, all of one kind.
        allow_empty: False to raise an error for zero rows.

    >>> read(["a b"], ["a b"], ["news"], None, Options()).tokenizer.name
    '13a'
    """
    corpus = read_segments(predictions, references, added)
    if not allow_empty and not len(corpus):
        raise ValueError(messages.NO_SEGMENTS)
    if by is None and documents is None:
        return make_call(corpus, options)
    warn_if_reordered(
        {"predictions": predictions, "references": references}, by=by, documents=documents
    )
    document_of = read_documents(documents, len(corpus))
    labels = read_labels(by, len(corpus))
    if labels is not None:
        check_labels(options, labels)
    return make_call(corpus, options, labels, document_of)


def make_call(
    corpus: Corpus,
    options: Options,
    labels: Sequence[Label] | None = None,
    documents: Sequence[Label] | None = None,
) -> Call:
    """Return a corpus as a call, with its tokenizer; labels and documents are read already."""
    tokenizer = None
    if labels is None or options.tokenize_by is None:
        tokenizer = choose_tokenizer(options, corpus.kind)
    return Call(corpus, options, tokenizer, labels, documents)


def read_segments(predictions: object, references: object, added: Sequence[Corpus]) -> Corpus:
    """Return the rows added before, followed by those of a call, which may have none."""
    if predictions is None and references is None:
        return join_corpora(added)
    corpus = read_corpus(predictions, references, allow_empty=True)
    return join_corpora([*added, corpus] if len(corpus) else added)


def read_corpus(predictions: object, references: object, allow_empty: bool = False) -> Corpus:
    """Read predictions and references; zero rows are an error unless `allow_empty` is True.

    >>> read_corpus(["a b"], [["a", None]]).references.to_pylist()
    [['a']]
    """
    corpus = _read_plain(predictions, references)
    if corpus is not None:
        return corpus
    for name, data in (("predictions", predictions), ("references", references)):
        if data is None:
            raise _missing_column(name)
    reject_dicts(predictions, references)
    warn_if_reordered({"references": references}, predictions=predictions)
    prediction_column = read_column("predictions", predictions, messages.EXPECTED_TEXT)
    reference_column = read_column("references", references, messages.REFERENCES)
    if allow_empty and len(prediction_column) == len(reference_column) == 0:
        return join_corpora([])
    _check_row_counts(prediction_column, reference_column)
    texts = _check_elements("predictions", prediction_column, reference_column.type, predictions)
    lists = _check_references(reference_column, texts)
    # The columns may have different chunks; the batches of a table cut both at the same rows.
    parts = []
    for batch in pa.table({"predictions": texts, "references": lists}).to_batches():
        if len(batch):
            batch_references, bounds = list_items(batch.column("references"))
            parts.append((batch.column("predictions"), batch_references, bounds))
    corpus = make_corpus(parts)
    warn_about_rows(corpus)
    return corpus


_OTHER_ORDER = Notice(
    "order of rows",
    "{name}: its pandas index has the labels of the index of {other} in another order, but rows are"
    " paired by position",
    ". Pass {name}.loc[{other}.index], or {name}.tolist() if the rows correspond",
)


def warn_if_reordered(texts: Mapping[str, object], **columns: object) -> None:
    """Warn of columns whose pandas index is that of texts in another order.

    `texts` are columns by name; the first one with an index counts.
    """
    indices = ((name, _find_index(data)) for name, data in texts.items())
    other, index = next((found for found in indices if found[1] is not None), ("", None))
    for name, data in columns.items():
        labels = _find_index(data)
        if labels is None or index is None or len(labels) != len(index) or labels.equals(index):
            continue
        if labels.is_unique and index.is_unique and labels.isin(index).all():
            warn(_OTHER_ORDER, name=name, other=other)


def _find_index(data: object) -> Any:
    """Return the index of a Series or DataFrame of pandas; None for anything else."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is None or not isinstance(data, (pandas.Series, pandas.DataFrame)):
        return None
    return data.index


_SAME_PREDICTIONS = Notice(
    "same predictions",
    "Systems {systems} have the same predictions",
    ". Check which files were read",
)


def read_corpora(
    systems: Mapping[SystemName, object], references: object
) -> Iterator[tuple[SystemName, Corpus]]:
    """Yield a corpus for each system; the references are read once.

    >>> systems = {"A": ["a b"], "B": ["a c"]}
    >>> [corpus.predictions.to_pylist() for _, corpus in read_corpora(systems, ["a b"])]
    [['a b'], ['a c']]
    """
    shared: Corpus | None = None
    texts = {"references": references}
    names_of: dict[Hashable, list[SystemName]] = {}  # by the checksum of their texts
    for name, predictions in systems.items():
        with within_system(name):
            try:
                if shared is None:
                    corpus = read_corpus(predictions, references)
                    shared = corpus
                    texts[f"systems[{show_value(name)}]"] = predictions
                else:
                    warn_if_reordered(texts, predictions=predictions)
                    corpus = _replace_predictions(shared, predictions)
            except (TypeError, ValueError) as error:
                found = _explain_runs(predictions, references, str(error))
                if found is None:
                    raise
                raise TypeError(found) from None
        names_of.setdefault(checksum_texts(corpus.predictions), []).append(name)
        yield name, corpus
    for names in names_of.values():
        if len(names) > 1:
            warn(_SAME_PREDICTIONS, systems=list_systems(names))


def _replace_predictions(corpus: Corpus, predictions: object) -> Corpus:
    """Return a corpus with other predictions, whose references are not read again."""
    # 1. Read the predictions, on the fast path if they are a plain list.
    plain_texts = None
    if type(predictions) is list and predictions:
        plain_texts = _read_plain_texts(list(predictions))
    if plain_texts is not None:
        texts = pa.chunked_array([plain_texts])
    elif predictions is None:
        raise _missing_column("predictions")
    else:
        column = read_column("predictions", predictions, messages.EXPECTED_TEXT)
        _check_row_counts(column, corpus.references)
        texts = _check_elements("predictions", column, corpus.references.type, predictions)
    # 2. Put them instead of the predictions that the references fit.
    if len(texts) != len(corpus) or texts.type != TYPES[corpus.kind]:
        return read_corpus(texts, corpus.references)  # which raises
    (batch,) = corpus.combine().batches
    replaced = make_corpus([(texts.combine_chunks(), batch.references, batch.bounds)])
    warn_about_rows(replaced)
    return replaced


def reject_dicts(predictions: object, references: object) -> None:
    """Raise if predictions are a dict of columns; or both are dicts, such as captions by image.

    Rows of dicts, and of their values, are never paired by position, because the keys may be in
    different orders.
    """
    if is_result(predictions) or is_result(references):
        return
    kinds = (Mapping, ValuesView)
    if isinstance(predictions, kinds) and isinstance(references, kinds):
        found = "dicts" if isinstance(predictions, Mapping) else "the values of dicts"
        raise TypeError(
            f"predictions and references: got {found}, whose order is not known to be the same."
            " Pair them by key: ids = list(references), then"
            f" predictions=[predictions[id]{_first_item(predictions)} for id in ids] and"
            " references=[references[id] for id in ids]."
        )
    if isinstance(predictions, Mapping) and _are_columns(predictions, references):
        raise TypeError(
            f"predictions: got a dict of {len(predictions)} columns. Pass one of them,"
            f" predictions[{show_value(next(iter(predictions)))}]; or compare systems:"
            " compare(predictions, references)."
        )


def _are_columns(data: Mapping[Any, Any], references: object) -> bool:
    """Return True for a dict of two or more columns that are as long as the references."""
    if len(data) < 2 or not isinstance(references, Sized):
        return False
    lengths = [length_hint(column, -1) for column in data.values() if not isinstance(column, str)]
    return lengths == [len(references)] * len(data)


def _first_item(captions: object) -> str:
    """Return `"[0]"` if the values of a dict are lists, such as the only caption of an image."""
    values = captions.values() if isinstance(captions, Mapping) else captions
    first = next(iter(values), None) if isinstance(values, Iterable) else None
    return "[0]" if isinstance(first, (list, tuple)) else ""


def _missing_column(name: str) -> ValueError:
    """Build the error for a column that is None."""
    return ValueError(
        f"{name}: expected one item per segment, got None. Pass predictions and references."
    )


_SENTENCES_AS_TOKENS = Notice(
    "sentences",
    "Most tokens in the {name} contain a space, so they look like sentences,"
    " but each list is scored as one tokenized segment",
    ". Pass one str per segment, and use `add_batch` or `compute` for several segments",
)
_FILE_AS_TEXT = Notice(
    "file name",
    "{name}[0] looks like the name of a file, and the name itself was scored",
    ". For a file with one segment per line, pass open(path, encoding='utf-8')",
)


def read_texts(**columns: object) -> Texts:
    """Read columns of any length with one text per row, all of one kind.

    The keywords are the names of the columns in errors.
    """
    arrays = {
        name: read_column(name, data, messages.EXPECTED_TEXT) for name, data in columns.items()
    }
    # A column of empty lists has no kind, and takes that of the first column that has one.
    types = [array.type for array in arrays.values()]
    has_kind = (type_ for type_ in types if not pa.types.is_null(innermost_type(type_)))
    other_type = next(has_kind, pa.null())
    texts: dict[str, pa.ChunkedArray] = {}
    for name, array in arrays.items():
        if not len(array):
            raise ValueError(f"{name}: expected one item or more, got 0. Pass at least one text.")
        texts[name] = _check_elements(name, array, other_type, columns[name])
    first_name = next(iter(texts))
    first_type = texts[first_name].type
    for name, column in texts.items():
        if column.type != first_type:
            expected = f"{describe_type(first_type)} like the {first_name}"
            raise wrong_item(name, 0, describe_type(column.type), expected)
    kind = kind_of(first_type)
    if kind == "text":
        _warn_about_names(
            {name: column[0].as_py() for name, column in texts.items() if len(column) == 1}
        )
    for name, column in texts.items():
        if kind == "tokens" and are_sentences(column):
            warn(_SENTENCES_AS_TOKENS, name=name)
            break
    return Texts(texts, kind)


def fingerprint_references(references: object) -> str:
    """Return a hash of references that is equal for equal references in any container.

    It is the SHA-256 of `text` or `lists`, followed by netstrings (a length in bytes, a colon, the
    bytes, a comma): a segment is the netstring of its references, and a reference that of its text,
    or of its tokens or ids.
    """
    column = read_column("references", references, messages.REFERENCES)
    if pa.types.is_integer(innermost_type(column.type)):
        text_type = IDS
    elif is_list(column.type) and is_list(column.type.value_type):
        text_type = TOKENS
    else:
        text_type = STRINGS
    lists = _check_references(column, pa.chunked_array([], text_type))
    digest = hashlib.sha256(b"text" if text_type == STRINGS else b"lists")
    for piece in slices(lists):
        for texts in piece.to_pylist():
            digest.update(_make_netstring(b"".join(_frame_text(text) for text in texts)))
    return digest.hexdigest()


def _frame_text(text: str | list[str] | list[int]) -> bytes:
    """Return the netstring of a text, or of the netstrings of its tokens or ids."""
    if isinstance(text, str):
        return _make_netstring(text.encode())
    return _make_netstring(b"".join(_make_netstring(str(token).encode()) for token in text))


def _make_netstring(data: bytes) -> bytes:
    return b"%d:%b," % (len(data), data)


# --- Labels and systems ---------------------------------------------------------------------------


def read_labels(labels: object, rows: int | None = None) -> list[Label] | None:
    """Read one label per row as plain Python values; None for no labels.

    They are str, numbers and None, and anything else as its text. Equal labels have one form:
    integral floats become int, and NaN becomes None.

    Raises:
        TypeError, ValueError: this is not a column of labels, or not one of `rows` labels (None
            allows any number); or two labels would be one key in JSON.

    >>> read_labels(np.array([3.0, 4.5]), 2), read_labels(["news", None, float("nan")], 3)
    ([3, 4.5], ['news', None, None])
    """
    if labels is None:
        return None
    labels_read = list_labels("by", labels, rows)
    # With their types, because True equals 1.
    keys = dict.fromkeys((type(label), label) for label in labels_read)
    same_key = _find_same_key([label for _, label in keys])
    if same_key:
        raise ValueError(
            f"by: the labels {same_key} would be one key in JSON."
            " Rename one, or pass labels of one type."
        )
    return labels_read


def _find_same_key(labels: Iterable[Label]) -> str | None:
    """Return the first two labels that would be one key in JSON or in Python, as text.

    Return None if there are no such labels.

    >>> _find_same_key(["a", 1, "1"])
    "1 and '1'"
    """
    label_of_key: dict[str, Label] = {}
    for label in labels:
        keys = [label if isinstance(label, str) else json.dumps(label)]
        if isinstance(label, bool):
            keys.append(str(int(label)))  # True and 1 are also one key in Python
        for key in keys:
            if key in label_of_key:
                return f"{show_value(label_of_key[key])} and {show_value(label)}"
            label_of_key[key] = label
    return None


def read_documents(documents: object, rows: int | None = None) -> list[Label] | None:
    """Read the document of each row, as `read_labels` does; 1 and "1" are two documents.

    Raises:
        TypeError, ValueError: as for `read_labels`; or a row has no document.
    """
    if documents is None:
        return None
    document_labels = list_labels("documents", documents, rows)
    if None in document_labels:
        row = document_labels.index(None)
        raise ValueError(
            f"documents[{row}]: got {_name_missing(documents, row)}."
            " Pass a label of its own for a segment that belongs to no document."
        )
    return document_labels


def _name_missing(data: object, row: int) -> str:
    """Name the missing value in a row of a column: Arrow reads all of them as null."""
    values: Any = data.iloc if hasattr(data, "iloc") else data
    if isinstance(data, (list, tuple, np.ndarray)) or hasattr(data, "iloc"):
        return name_value(values[row])
    return "None"


def list_labels(name: str, labels: object, rows: int | None) -> list[Label]:
    """Read labels for the argument of this name, as `read_labels` does."""
    if _is_lazy(labels):
        raise TypeError(messages.NOT_COLLECTED.format(name=name))
    labels = open_stream(labels)
    if is_file(labels):
        labels = read_lines(name, labels)
    if not _has_rows(labels):
        fix = "Pass one label per segment."
        text = labels if isinstance(labels, str) else ""
        if isinstance(labels, (bytes, os.PathLike)) or "\n" in text or _FILE_NAME.fullmatch(text):
            fix = f"{fix} For a file with one label per line, pass {messages.OPEN_FILE}."
        raise TypeError(
            f"{name}: expected a list, array or Series, got {name_value(labels)}. {fix}"
        )
    values: Iterable[object] = read_array(name, labels)
    if not isinstance(labels, (list, tuple)) and hasattr(labels, "__len__"):
        # Labels of several types, and integers beyond int64, are not converted; an error below
        # names lists.
        with suppress(
            pa.ArrowException, TypeError, OverflowError, RecursionError, UnicodeEncodeError
        ):
            column = _to_chunks(to_arrow(values, convert_flat))
            _check_utf8(name, column)
            values = column.to_pylist()
    plain_labels: list[Label] = []
    for row, label in enumerate(values):
        if type(label) is str:  # the usual case
            plain_labels.append(label)
            continue
        # An array, a tensor or a Series has axes.
        if getattr(label, "ndim", 0) or isinstance(label, (bytes, list, tuple, dict, set)):
            raise wrong_item(name, row, name_value(label), "a str or a number")
        plain_labels.append(plain_label(label))
    for label in dict.fromkeys(plain_labels):
        if isinstance(label, str) and LONE_SURROGATE.search(label):
            raise ValueError(messages.SURROGATE.format(name=name, row=plain_labels.index(label)))
    if rows is not None:
        check_label_count(name, plain_labels, rows)
    return plain_labels


def check_labels(options: Options, labels: Iterable[Label]) -> None:
    """Raise if a tokenizer was chosen for a name that is not a label."""
    present = set(labels)
    for label in options.tokenize_by or ():
        if label not in present:
            raise ValueError(
                f"tokenize: {show_value(label)} is not among the labels of `by`. Remove it, or"
                " correct the label."
            )


def check_label_count(name: str, labels: Sequence[object], rows: int) -> None:
    """Raise unless there is one label per row; `name` is the argument."""
    if len(labels) != rows:
        raise ValueError(
            messages.LABEL_COUNT.format(
                name=name,
                labels=count_things(len(labels), "label"),
                predictions=count_things(rows, "prediction"),
            )
        )


def read_names(place: str, names: Iterable[object], noun: str) -> list[Label]:
    """Read the names of systems or of training runs as plain Python values, as labels are read.

    Args:
        place: the beginning of errors.
        names: the keys of a dict, or the columns of a table.
        noun: `"system"` or `"run"`.

    Raises:
        TypeError, ValueError: a name is NaN or bytes; or two names would be one key in JSON.

    >>> read_names("systems", [np.int64(1), "B"], "system")
    [1, 'B']
    """
    plain_names: list[Label] = []
    for name in names:
        plain = plain_label(name)
        is_missing = plain is None and name is not None
        if is_missing or isinstance(name, bytes):
            error = ValueError if is_missing else TypeError
            raise error(f"{place}: got {name_value(name)} as the name of a {noun}. Pass a str.")
        if isinstance(plain, str) and LONE_SURROGATE.search(plain):
            raise ValueError(
                f"{place}: got a lone surrogate (U+D800 to U+DFFF) in the name"
                f" {show_value(plain)} of a {noun}. Rename it."
            )
        plain_names.append(plain)
    same_key = _find_same_key(plain_names)
    if same_key:
        raise ValueError(f"{place}: the names {same_key} would be one key in JSON. Rename one.")
    return plain_names


def find_name(argument: str, name: object, names: Collection[SystemName]) -> SystemName:
    """Return the name in `names` that equals the value of an argument, or raise.

    >>> find_name("baseline", np.int64(1), [1, "B"])
    1
    """
    is_name = isinstance(name, Hashable) and (name is None or plain_label(name) is not None)
    for known in names:
        if is_name and known == plain_label(name):
            return known
    raise invalid(argument, name, one_of(names))


def read_systems(systems: object, references: object = None) -> dict[SystemName, object]:
    """Return the data of each system, by name.

    Systems are a dict by name, or a table of texts with one column per system. The values of dicts
    are never paired with those of other dicts, so `references` that are a dict raise an error.

    >>> read_systems(pa.table({"A": ["a b"], "B": ["a c"]}))["B"].to_pylist()
    ['a c']
    """
    if isinstance(systems, Mapping):
        if is_result(systems):
            raise TypeError(messages.A_RESULT.format(name="systems"))
        for name, data in systems.items():
            if is_result(data):
                raise TypeError(messages.A_RESULT.format(name=f"System {show_value(name)}"))
        if isinstance(references, Mapping) and not is_result(references):
            captions = next(iter(systems.values()), None)
            raise TypeError(
                "references: got a dict, such as captions by image. Pair its values with those of"
                " each system by key: ids = list(references), then"
                f" {{'A': [captions[id]{_first_item(captions)} for id in ids], ...}} and"
                " [references[id] for id in ids]."
            )
        return dict(zip(read_names("systems", systems, "system"), systems.values()))
    if _is_lazy(systems):
        raise TypeError("The LazyFrame is not in memory. Pass frame.collect().")
    names = _list_columns(systems)
    if names is None or not hasattr(systems, "columns"):
        raise TypeError(
            "systems: expected a dict from names to predictions, or a DataFrame,"
            f" got {type(systems).__name__}. Pass {{'A': [...], 'B': [...]}}."
        )
    table: Any = systems
    if len(set(names)) < len(names):
        raise ValueError("systems: the table has two columns of one name. Rename one.")
    for name in names:
        if _NOT_A_SYSTEM.fullmatch(str(name)) or not _may_be_texts(table[name]):
            raise ValueError(
                f"systems: the column {show_value(name)} does not look like the texts of a system."
                " Drop it first, or pass a dict of columns: {'A': frame['A'], 'B': frame['B']}."
            )
    return dict(zip(read_names("systems", names, "system"), (table[name] for name in names)))


def are_runs(data: object) -> bool:
    """Return True for the training runs of a system: a dict that is not a statistics table.

    >>> are_runs({"seed 1": ["a b"], "seed 2": ["a c"]}), are_runs({"prediction_length": [2]})
    (True, False)
    """
    return isinstance(data, Mapping) and "prediction_length" not in data


def list_runs(systems: Mapping[SystemName, object]) -> dict[SystemName | RunOfSystem, object]:
    """Return the data of each training run, and of each system that is not a dict of runs.

    Where predictions are expected, a dict is taken for a result, then a table, then runs;
    `read_systems` has rejected results.

    >>> list_runs({"base": ["a b"], "new": {"seed 1": ["a c"]}})
    {'base': ['a b'], RunOfSystem(system='new', run='seed 1'): ['a c']}
    """
    listed: dict[SystemName | RunOfSystem, object] = {}
    for name, data in systems.items():
        if not are_runs(data):
            listed[name] = data
            continue
        assert isinstance(data, Mapping)
        if not data:
            raise ValueError(
                f"System {show_value(name)}: expected one or more runs, got an empty dict."
                " Pass {'seed 1': [...], 'seed 2': [...]}."
            )
        runs = read_names(f"System {show_value(name)}", data, "run")
        for run, run_data in zip(runs, data.values()):
            key = RunOfSystem(name, run)
            if is_result(run_data):
                raise TypeError(messages.A_RESULT.format(name=f"System {show_system(key)}"))
            if are_runs(run_data):
                raise TypeError(
                    f"System {show_system(key)}: expected predictions or a table, got"
                    f" {name_value(run_data)}. Pass one dict of runs per system."
                )
            listed[key] = run_data
    return listed


def check_single_runs(systems: Mapping[SystemName, object], method: str) -> None:
    """Raise if a system is a dict of training runs, for methods that take one run per system."""
    for name, data in systems.items():
        if are_runs(data):
            raise ValueError(
                f"System {show_value(name)}: {method}() takes one run per system, got a dict of"
                " runs. Pass the predictions or the table of one run; compare() takes several."
            )


def _explain_runs(predictions: object, references: object, error: str) -> str | None:
    """Describe training runs in a container other than a dict; None if there are no runs.

    Call it for predictions that can't be read, because tokens of n segments may have n tokens each.

    >>> _explain_runs([["a b", "c"], ["a", "c"], ["b", "c"]], ["a b", "c"], "")[:65]
    'expected the predictions of one run, got 3 runs in one list. Pass'
    """
    if _list_columns(predictions) is not None:
        return f"{error} If they are runs, compare() takes them {messages.RUNS_BY_NAME}"
    if not _has_rows(predictions):
        return None
    if not isinstance(predictions, Sized) or not isinstance(references, Sized):
        return None
    # 1. Each run has a text per segment.
    try:
        segments = len(references)
        rows = [
            row.as_py() if isinstance(row, pa.Scalar) else to_numpy(row)
            for row in to_numpy(predictions)
        ]
    except (TypeError, RuntimeError, UnicodeDecodeError):  # of arrays without rows, for example
        return None
    if not rows or not segments:
        return None
    for row in rows:
        if is_array(type(row)) and (not row.ndim or row.dtype.kind not in "OUTiu"):
            return None
        has_texts = isinstance(row, Sized) and not isinstance(row, (str, bytes, Mapping))
        if not has_texts or len(row) != segments:
            return None
    # 2. As many rows as segments may also be the tokens of one run.
    if len(rows) == segments and all(_is_token(item) for row in rows for item in row):
        return None
    found = f"{count_things(len(rows), 'run')} in one {name_value(predictions)}"
    return f"expected the predictions of one run, got {found}. {messages.ONE_RUN_EACH}"


def _is_token(item: object) -> bool:
    """Return True for an id, and for a str without a space between its words."""
    is_id = isinstance(item, (int, np.integer))
    return is_id or (isinstance(item, str) and not re.search(_INNER_SPACE, item))


def _may_be_texts(column: Any) -> bool:
    """Return True if a column has a str, or no rows."""
    values = (value.as_py() if isinstance(value, pa.Scalar) else value for value in column)
    return len(column) == 0 or any(isinstance(value, str) for value in values)


def is_result(data: object) -> bool:
    """Return True for a result of `compute` or another method, which has scores and no rows."""
    if not isinstance(data, Mapping):
        return False
    score = data.get("score", data.get("bleu"))
    return isinstance(data.get("signature"), str) or isinstance(score, float)


# --- The fast path: plain lists -------------------------------------------------------------------


class _FlatLists(NamedTuple):
    """The items of several lists as one list, and the length of each list."""

    items: list[object]
    lengths: list[int]


_SQUARE = Notice(
    "square",
    "There are {rows} predictions with {rows} references each,"
    " which were read as one list per prediction",
    ". If they are in sacreBLEU's layout, one list per reference set,"
    " pass references=list(zip(*references))",
)


def _read_plain(predictions: object, references: object) -> Corpus | None:
    """Read plain lists on the fast path.

    Return None for all other containers and for invalid rows, which take the general path.
    """
    if type(predictions) is not list or type(references) is not list or not references:
        return None
    # 1. Copy the lists, because another thread may change them, and join the references.
    texts = list(predictions)
    rows = list(references)
    if type(rows[0]) is str:
        rows = [(row,) for row in rows]
    lists = _flatten(rows)
    if lists is None or len(texts) != len(rows) or 0 in lists.lengths:
        return None
    # 2. Keep few strings as they are, and convert all other texts.
    bounds = _find_bounds(lists.lengths)
    strings: list[Any] = texts + lists.items
    if len(strings) <= _MOST_SMALL and set(map(type, strings)) == {str}:
        try:
            corpus: Corpus = SmallCorpus(strings, "".join(strings).encode(), bounds)
        except UnicodeEncodeError:  # a lone surrogate: the general path names the row
            return None
    else:
        prediction_array = _read_plain_texts(texts)
        reference_array = _read_plain_texts(lists.items)
        if prediction_array is None or reference_array is None:
            return None
        if prediction_array.type != reference_array.type:
            return None
        corpus = make_corpus([(prediction_array, reference_array, bounds)])
    # 3. Warn.
    if corpus.kind == "text" and len(rows) > 1 and set(lists.lengths) == {len(rows)}:
        warn(_SQUARE, rows=len(rows))
    warn_about_rows(corpus)
    return corpus


def _read_plain_texts(texts: list[object]) -> pa.Array | None:
    """Convert strings, lists of str, or lists of non-negative ids to an array.

    Return None for items of any other type.
    """
    try:
        if set(map(type, texts)) == {str}:
            return pa.array(texts, STRINGS)
        lists = _flatten(texts)
        if lists is None:
            return None
        item_types = set(map(type, lists.items))
        if item_types == {str}:
            items = pa.array(lists.items, STRINGS)
        elif item_types == {int}:
            # Through NumPy, because Arrow takes twice as long.
            ids = np.fromiter(lists.items, np.int64, len(lists.items))
            if ids.min() < 0:
                return None
            items = pa.array(ids)
        else:
            return None
        return make_lists(_find_bounds(lists.lengths), items)
    except (UnicodeEncodeError, OverflowError):
        # A lone surrogate, or an id of more than 64 bits: the general path names the row.
        return None


def _flatten(lists: list[Any]) -> _FlatLists | None:
    """Join lists; return None if a row is not a list, or if another thread changes a list."""
    if not set(map(type, lists)) <= {list, tuple}:
        return None
    lengths = list(map(len, lists))
    items = list(chain.from_iterable(lists))
    if list(map(len, lists)) != lengths or sum(lengths) != len(items):
        return None
    return _FlatLists(items, lengths)


def _find_bounds(lengths: list[int]) -> Int64:
    return np.fromiter(accumulate(lengths, initial=0), np.int64, len(lengths) + 1)


# --- The general path, 1: from any container to an Arrow column -----------------------------------


def read_column(name: str, data: object, expected: str) -> pa.ChunkedArray:
    """Read a container as an Arrow column.

    Its items are large_string, int64 or null, or large lists of these at any depth. Errors name the
    column and the rows that are `expected` there: `messages.TEXT` or `messages.REFERENCES`.
    """
    # 1. Reject what is not a column.
    if isinstance(data, (str, bytes, os.PathLike)):
        raise TypeError(
            f"{name}: expected a list, array or Series with one item per segment,"
            f" got {name_value(data)}. For a file with one segment per line, pass"
            f" {messages.OPEN_FILE}; for the lines of a str,"
            r" text.removesuffix('\n').split('\n'); for a single text, [text]."
        )
    if is_result(data):
        raise TypeError(messages.A_RESULT.format(name=name))
    if _is_lazy(data):
        raise TypeError(messages.NOT_COLLECTED.format(name=name))
    rows: Any = open_stream(data)
    if expected == messages.REFERENCES and _is_frame(rows):
        rows = _list_rows(name, rows)
    columns = _list_columns(rows)
    if columns is not None:
        raise TypeError(
            f"{name}: expected a column, got {name_value(data)}."
            f" Pass one of its columns: {', '.join(map(str, columns))}."
        )
    if not _has_rows(rows):
        fix = f"For each segment, pass {expected}."
        if is_array(type(rows)) and isinstance(read_array(name, rows).item(), str):
            fix = f"For a single text, pass [{name}.item()]."
        raise TypeError(
            f"{name}: expected a list, array or Series with one item per segment,"
            f" got {name_value(data)}. {fix}"
        )
    # 2. Convert it to Arrow.
    if is_file(rows):
        rows = read_lines(name, rows)
    if not hasattr(rows, "__len__") and not hasattr(rows, "__arrow_c_stream__"):
        rows = list(rows)  # an iterator can be read only once
    values = read_array(name, rows)

    def convert(items: list[Any]) -> pa.Array:
        is_plain = _are_plain(items, _DEPTHS[expected])
        return pa.array(items if is_plain else _read_items(name, items, expected))

    problem = None
    try:
        column = _to_chunks(to_arrow(values, convert))
    except (pa.ArrowException, TypeError, ValueError, OverflowError, RecursionError) as error:
        problem = type(error).__name__  # without its message, which may contain a text
    # Outside of the `except`, or the traceback would begin with Arrow's error.
    if problem is not None:
        _read_items(name, rows, expected)
        raise TypeError(f"{name}: not convertible to an Arrow column ({problem}). Pass a list.")
    # 3. Cast it to one of the few types that the checks know.
    canonical_type = _find_canonical_type(name, column.type)
    if canonical_type is None:
        if pa.types.is_struct(innermost_type(column.type)):
            _check_utf8(name, column)
            rows = column.to_pylist()  # dicts
        _read_items(name, rows, expected)
        raise wrong_item(name, 0, str(column.type), expected)
    _check_utf8(name, column)
    if column.type == canonical_type:
        return column
    try:
        return column.cast(canonical_type)
    except pa.ArrowException:  # unsigned ids beyond int64
        _read_items(name, column.to_pylist(), expected)
        raise wrong_item(name, 0, str(column.type), expected) from None


def is_file(data: object) -> bool:
    """Return True for an open file, in text or in binary mode, of any library."""
    return isinstance(data, io.IOBase) or (hasattr(data, "readline") and hasattr(data, "close"))


def read_lines(name: str, file: Any) -> list[str]:
    """Return the lines that are left in a file opened as text, without their line breaks.

    >>> read_lines("predictions", io.StringIO("a dog\\n\\na cat"))
    ['a dog', '', 'a cat']
    """
    if getattr(file, "closed", False):
        raise ValueError(f"{name}: got a file that is closed. Open it again.")
    lines: list[str] = []
    is_binary = isinstance(file, (io.BufferedIOBase, io.RawIOBase))
    try:
        if isinstance(file, io.TextIOBase):
            lines = list(file)
        elif not is_binary:
            # A file of another library may iterate over lines that end at U+2028, too.
            text = file.read()
            is_binary = not isinstance(text, str)
            if text and not is_binary:
                lines = text.removesuffix("\n").split("\n")
    except io.UnsupportedOperation:
        raise ValueError(
            f"{name}: got a file that is open for writing only. Pass {messages.OPEN_FILE}."
        ) from None
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name}: the file is not text in {error.encoding} ({error.reason})."
            " Open it with its encoding, such as encoding='utf-16', or decompress it."
        ) from None
    if is_binary:
        as_text = messages.OPEN_FILE
        module = type(file).__module__
        if module in ("gzip", "bz2", "lzma"):  # a compressed file
            as_text = f'{module}.open(path, "rt", encoding="utf-8")'
        raise TypeError(
            f"{name}: got a file opened in binary mode, whose lines are bytes. Pass {as_text}."
        )
    with suppress(OSError, AttributeError):  # a pipe has no position
        if not lines and file.tell():
            raise ValueError(
                f"{name}: got a file that was read to its end before, so it has no lines left."
                " Open it again for each use."
            )
    return [line.removesuffix("\n").removesuffix("\r") for line in lines]


def _has_rows(data: Any) -> bool:
    """Return True for a container of rows in an order.

    Python takes an array or tensor without axes for an iterable, too, but it has no rows.
    """
    if is_array(type(data)):
        return bool(data.ndim)
    return isinstance(data, Iterable) and not isinstance(data, (str, bytes, Mapping, Set))


def read_array(name: str, data: Any) -> Any:
    """Return an array or tensor of any library as an array of NumPy; anything else as it is.

    Raise if NumPy has no form for it; errors name the column.
    """
    try:
        return to_numpy(data)
    except TypeError:
        is_nested = getattr(data, "is_nested", False)  # of torch
        fix = f"[row.tolist() for row in {name}]" if is_nested else "lists or a NumPy array"
    raise TypeError(f"{name}: got {name_value(data)}, which NumPy cannot read. Pass {fix}.")


def _is_lazy(data: object) -> bool:
    """Return True for polars' LazyFrame, which is not in memory."""
    return type(data).__name__ == "LazyFrame"


def open_stream(data: object) -> object:
    """Import an object that only speaks Arrow's C interface as a column or table.

    Anything else is returned as it is.
    """
    if isinstance(data, (pa.Table, pa.RecordBatch, Iterable)) or _is_lazy(data):
        return data
    if hasattr(data, "__arrow_c_stream__"):
        column = pa.chunked_array(data)
    elif hasattr(data, "__arrow_c_array__"):
        column = pa.chunked_array([pa.array(data)])
    else:
        return data
    return pa.Table.from_struct_array(column) if pa.types.is_struct(column.type) else column


def list_references(references: object) -> object:
    """Return the references of one segment, in any container, as a list; one str as it is.

    >>> list_references(pa.array(["a", "b"])), list_references("a")
    (['a', 'b'], 'a')
    """
    rows = open_stream(references)
    if isinstance(rows, (str, list, tuple, Mapping)) or not isinstance(rows, Iterable):
        return references  # what is not a list is rejected later
    return read_column("references", rows, messages.EXPECTED_TEXT).to_pylist()


def _list_columns(data: object) -> list[object] | None:
    """Return the names of a table's columns; None for anything else."""
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return None
    columns: Any = getattr(data, "column_names", None)  # of a table of datasets or Arrow
    if columns is None and isinstance(data, Iterable):
        # Of a table of pandas or polars; polars' LazyFrame has columns, too, but is not iterable.
        columns = getattr(data, "columns", None)
    return None if columns is None else list(columns)


def _is_frame(data: object) -> bool:
    """Return True for a table in memory of Arrow, pandas or polars."""
    has_rows = hasattr(data, "iloc") or hasattr(data, "rows")
    return isinstance(data, (pa.Table, pa.RecordBatch)) or (
        has_rows and _list_columns(data) is not None
    )


def _list_rows(name: str, frame: Any) -> list[list[object]]:
    """Return the references of each segment, given a table with one column per reference."""
    for column in _list_columns(frame) or ():
        if _NOT_A_REFERENCE.fullmatch(str(column)):
            raise ValueError(
                f"{name}: the column {show_value(column)} does not look like references. Pass a"
                " table of their columns only, such as frame[['ref1', 'ref2']]."
            )
    if hasattr(frame, "iloc"):
        return list(frame.to_numpy(dtype=object).tolist())
    if hasattr(frame, "rows"):
        return [list(row) for row in frame.rows()]
    columns = []
    for column in frame.columns:
        _check_utf8(name, _to_chunks(column))
        columns.append(column.to_pylist())
    return [list(row) for row in zip(*columns)]


def _to_chunks(array: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """Return an array as a column of one chunk; columns and tables as they are."""
    return pa.chunked_array([array]) if isinstance(array, pa.Array) else array


def to_arrow(data: object, convert: Callable[[list[Any]], pa.Array]) -> Any:
    """Convert a container to an Arrow array, column or table; Arrow data is not copied.

    `convert` converts a list of Python's and other libraries' values.
    """
    # The first branch that a container fits converts it. The order matters: several containers also
    # fit a later branch.
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return data
    container = to_numpy(data)
    # Columns of a `datasets.Dataset`, unless a transform makes other values of the stored ones.
    source: Any = getattr(container, "source", None)
    is_of_dataset = hasattr(source, "data") and hasattr(source, "with_format")
    if is_of_dataset and source.format["type"] != "custom":
        return source.with_format("arrow")[container.column_name][:]
    # polars: its own conversion avoids string views, which old pyarrow cannot read.
    if hasattr(container, "to_arrow"):
        return container.to_arrow()
    # Columns of objects, such as lists.
    if str(getattr(container, "dtype", "")) == "object":
        return convert(container.tolist())
    # Other Arrow exporters.
    if hasattr(container, "__arrow_c_stream__"):
        return pa.chunked_array(container)
    # pandas.
    if hasattr(container, "iloc"):
        return pa.Array.from_pandas(container)
    # Other Arrow exporters, of one chunk.
    if hasattr(container, "__arrow_c_array__"):
        return pa.array(container)
    # Arrays of NumPy; Arrow misreads those of strings, and those without items.
    if isinstance(container, np.ndarray):
        if container.ndim == 1 and container.dtype.kind != "U" and container.size:
            return pa.array(container)
        return convert(container.tolist())
    # Lists, and anything else that has an iterator.
    return convert(list(container))


def convert_flat(values: list[Any]) -> pa.Array:
    """Convert labels or numbers; NaN, NaT and NA become null.

    Lists and dicts raise an error before Arrow recurses into them.
    """
    if _are_plain(values, depth=0):
        return pa.array(values)
    if any(is_array(type_) or issubclass(type_, _NO_LABELS) for type_ in set(map(type, values))):
        raise TypeError("expected str or numbers")
    return pa.array([None if is_missing(value) else value for value in values])


# --- One row after the other ----------------------------------------------------------------------


class _Item(NamedTuple):
    """A text, token or list as values of Python, and its type in words.

    An empty list and a missing value have no type, because they fit every type.
    """

    value: Any
    type_: str | None


def _read_items(name: str, rows: Iterable[object], expected: str) -> list[object]:
    """Read the rows of a column as values of Python, or raise for the first that is not valid.

    It is not valid if it differs in type from the rows before it, too. Arrow columns have a single
    type and are not read.

    >>> _read_items("references", [["a"], 0.5], messages.REFERENCES)
    Traceback (most recent call last):
    TypeError: references[1]: expected a list of references or one str, got float.
    """
    values: list[object] = []
    type_before = None
    for row, value in enumerate(() if isinstance(rows, (pa.Array, pa.ChunkedArray)) else rows):
        item = _read_item(name, row, value, expected)
        values.append(item.value)
        type_before = type_before or item.type_
        if item.type_ not in (None, type_before):
            found = f"{item.type_} after {type_before}"
            raise wrong_item(name, row, found, f"items of one type, each {expected}")
    return values


def _are_plain(rows: list[Any], depth: int) -> bool:
    """Return True for strs, ints, None, and at most `depth` levels of lists of these.

    Arrow accepts only arrays of one dimension, ends their strings at a NUL, and types empty ones
    float64. It takes bytes for strings, and recurses into nested lists and dicts until the stack
    overflows.
    """
    items = rows
    # Level by level, because a call per row would take as long as the conversion.
    for _ in range(depth + 2):  # one level more has its error from the type
        types = set(map(type, items))
        if not all(issubclass(type_, _PLAIN) for type_ in types):
            return False
        if not any(issubclass(type_, (list, tuple)) for type_ in types):
            return True
        lists = (item for item in items if isinstance(item, (list, tuple)))
        items = list(chain.from_iterable(lists))
    return False


def _read_item(name: str, row: int, value: Any, expected: str, depth: int = 0) -> _Item:
    """Read an item of a row, or raise if it is not valid.

    `depth` is the number of lists around the item.
    """
    if isinstance(value, str):
        if LONE_SURROGATE.search(value):
            raise ValueError(messages.SURROGATE.format(name=name, row=row))
        return _Item(value, "str")
    # 1. Arrays and scalars of Arrow, and arrays of other libraries.
    is_scalar = isinstance(value, pa.Scalar)
    if is_scalar or isinstance(value, (pa.Array, pa.ChunkedArray)):
        try:
            plain = value.as_py() if is_scalar else value.to_pylist()
        except UnicodeDecodeError as error:
            raise ValueError(
                messages.NOT_UTF8.format(name=name, row=row, reason=error.reason)
            ) from None
        item = _read_item(name, row, plain, expected, depth)
        # Arrow converts its scalars in a list, but not its arrays.
        return item if is_scalar else _Item(value, item.type_)
    if is_array(type(value)):
        try:
            values = to_numpy(value)
        except TypeError:
            raise TypeError(
                f"{name}[{row}]: got {name_value(value)}, which NumPy cannot read. Pass {expected}."
            ) from None
        if values.size and values.dtype.kind not in "OUTSiu":
            raise wrong_item(name, row, name_value(value), expected)
        return _read_item(name, row, values.tolist(), expected, depth)
    # 2. Missing values and lists.
    if is_missing(value):
        return _Item(None, None)
    if isinstance(value, (list, tuple)):
        if depth == _DEPTHS[expected]:
            raise wrong_item(name, row, "lists nested too deeply", expected)
        items = [_read_item(name, row, item, expected, depth + 1) for item in value]
        types = sorted({item.type_ for item in items if item.type_ is not None})
        if len(types) > 1:
            raise wrong_item(name, row, f"{' and '.join(types)} in one list", expected)
        return _Item([item.value for item in items], f"a list of {types[0]}" if types else None)
    # 3. Ids.
    if depth and isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        if abs(int(value)) >= 2**63:
            raise ValueError(
                f"{name}[{row}]: got the token id {value}. Pass ids from 0 to 2**63 - 1."
            )
        return _Item(int(value), "int")
    # 4. Anything else is not valid.
    if isinstance(value, Mapping):
        raise _row_of_fields(name, row, value, depth)
    if isinstance(value, os.PathLike) or hasattr(value, "readline"):
        fix = f"{name}={messages.OPEN_FILE}"
        if name == "references":  # of one or several files
            fix = f"references=list(zip(*[{messages.OPEN_FILE} for path in paths], strict=True))"
        raise TypeError(
            f"{name}[{row}]: expected a text, got {name_value(value)}."
            f" For files with one segment per line, pass {fix}."
        )
    raise wrong_item(name, row, name_value(value), expected)


def _row_of_fields(name: str, row: int, value: Mapping[Any, Any], depth: int = 0) -> TypeError:
    """Build the error for a dict in a row, instead of a text.

    `depth` is the number of lists around it.

    >>> print(str(_row_of_fields("predictions", 0, {"id": 7, "de": "a"})).rpartition("Pass ")[2])
    predictions=[row['de'] for row in predictions].
    """
    # 1. List the fields that are names. A key with a space may be a text of the corpus.
    names = list(filter(_is_name, value))
    if not names:
        return TypeError(f"{name}[{row}]: got a dict, expected a text.")
    listed = ", ".join(map(show_value, names[:_MOST_FIELDS]))
    if len(names) > _MOST_FIELDS:
        listed += ", ..."
    # 2. Write the call for each field that has text. Several dicts are the messages of a chat, the
    #    last of which is the answer; the references of a segment; or the only candidate of a
    #    pipeline.
    template = "row{}"
    keys = list(_list_texts(value))
    if {"role", "content"} <= set(names):
        keys = ["['content']"]
        template = "row[-1]{}" if depth else "row{}"
    elif depth:
        template = "[reference{} for reference in row]" if name == "references" else "row[0]{}"
    calls = [f"[{template.format(key)} for row in {name}]" for key in keys[:_MOST_FIELDS]]
    fix = f"{name}={' or '.join(calls)}" if calls else "one text per segment"
    return TypeError(
        f"{name}[{row}]: got a dict with the {'field' if len(names) == 1 else 'fields'} {listed},"
        f" expected its text. Pass {fix}."
    )


def _is_name(field: object) -> bool:
    return isinstance(field, str) and re.fullmatch("[!-~]+", field) is not None


def _list_texts(fields: Mapping[Any, Any], depth: int = 1) -> Iterator[str]:
    """Yield the subscripts of each text, or list of texts, in a dict and the dicts in it.

    `depth` is the number of levels of these dicts.

    >>> list(_list_texts({"id": 7, "translation": {"de": "a", "en": "b"}}))
    ["['translation']['de']", "['translation']['en']"]
    """
    for field in filter(_is_name, fields):
        content = fields[field]
        if isinstance(content, (list, tuple)) and content:
            content = content[0]
        key = f"[{show_value(field)}]"
        if isinstance(content, str):
            yield key
        elif depth and content is fields[field] and isinstance(content, Mapping):
            yield from (f"{key}{inner}" for inner in _list_texts(content, depth - 1))


def _find_canonical_type(name: str, type_: pa.DataType) -> pa.DataType | None:
    """Return the equivalent type of large_string, int64, null and large lists.

    Return None if the type has no equivalent.
    """
    if is_string(type_):
        return STRINGS
    if pa.types.is_null(type_):
        return type_
    if pa.types.is_integer(type_):
        return pa.int64()
    if pa.types.is_dictionary(type_):
        return _find_canonical_type(name, type_.value_type)
    if is_list(type_) or pa.types.is_fixed_size_list(type_):
        value_type = _find_canonical_type(name, type_.value_type)
        return None if value_type is None else pa.large_list(value_type)
    if "view" in str(type_) or "run_end" in str(type_):
        # Not a cast: pyarrow cannot cast runs, 16.1 cannot cast views of strings, and 26 loses
        # items of list views.
        raise TypeError(f"{name}: Arrow's type {type_} is not supported. Pass column.to_pylist().")
    return None


def _check_utf8(name: str, array: pa.ChunkedArray) -> None:
    """Raise if Arrow strings have bytes that are not UTF-8.

    Arrow does not check bytes that it receives.
    """
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as invalid:
        if "UTF8" not in str(invalid):
            raise
        for row, value in enumerate(array):
            try:
                value.as_py()
            except UnicodeDecodeError as error:
                raise ValueError(
                    messages.NOT_UTF8.format(name=name, row=row, reason=error.reason)
                ) from None
        # The invalid bytes belong to an item outside of the slice, which is not read.


# --- The general path, 2: from Arrow columns to the texts of a corpus -----------------------------


def _check_row_counts(predictions: pa.ChunkedArray, references: pa.ChunkedArray) -> None:
    rows = len(predictions)
    reference_rows = len(references)
    if rows == reference_rows == 0:
        raise ValueError(messages.NO_SEGMENTS)
    has_other_orientation = not is_list(predictions.type) and _all_lists_have(rows, references)
    if rows == reference_rows:
        if has_other_orientation and rows > 1:
            warn(_SQUARE, rows=rows)
        return
    if has_other_orientation:
        advice = (
            "The references are in sacreBLEU's layout,"
            f" {count_things(reference_rows, 'list')} of {rows:,}."
            " Pass one list per prediction: references=list(zip(*references))."
        )
    else:
        advice = "Pass one str or one list of references per prediction."
        if rows == 1 and reference_rows > 1:
            advice += (
                " If all of them belong to this prediction, pass a list of one list:"
                " references=[[...]]."
            )
    found = f"{count_things(rows, 'prediction')} and {count_things(reference_rows, 'reference')}"
    raise ValueError(f"Got {found}. {advice}")


def _all_lists_have(length: int, array: pa.ChunkedArray) -> bool:
    """Return True for a column of lists that all have this length."""
    if not is_list(array.type) or not len(array):
        return False
    for piece in slices(array):
        has_length = pc.equal(pc.list_value_length(piece), length)
        if not pc.all(has_length).as_py():
            return False
    return True


def _check_elements(
    name: str, array: pa.ChunkedArray, other_type: pa.DataType, data: object
) -> pa.ChunkedArray:
    """Check that all texts are strings, all token lists or all id lists, and return them.

    Empty lists alone take the kind of the other column. `data` is the container of the column.
    """
    if array.null_count:
        row = _first_null(array)
        if is_list(array.type):
            expected = describe_type(array.type)
            empty = "[]"
        else:
            expected = "a str"
            empty = '""'
        found = _name_missing(data, row)
        error = ValueError if found == "None" else TypeError
        raise error(
            f"{name}[{row}]: expected {expected}, got {found}."
            f" Pass {empty} for an empty {name.removesuffix('s')}."
        )
    texts = array
    if is_list(array.type) and pa.types.is_null(array.type.value_type):
        texts = array.cast(IDS if pa.types.is_integer(innermost_type(other_type)) else TOKENS)
    if texts.type not in TYPES.values():
        raise wrong_item(name, 0, describe_type(texts.type), messages.EXPECTED_TEXT)
    if is_list(texts.type):
        _check_tokens(name, texts)
    return texts


def _check_references(array: pa.ChunkedArray, predictions: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of lists of references that are of the predictions' type, or raise."""
    text_type = predictions.type
    # 1. Texts in token lists by mistake.
    if text_type == TOKENS and array.type in (STRINGS, TOKENS) and _all_lists_have(1, predictions):
        raise TypeError(
            "predictions[0]: got a list with one str."
            " A list of str is read as tokens, but the references are plain text."
            " If each list holds a sentence, pass predictions=[text for [text] in predictions]."
        )
    if pa.types.is_null(array.type):
        raise _no_reference(0)
    # 2. One reference per segment: wrap it. A list of str is not wrapped: its items are references.
    lists = array
    if array.type == text_type and text_type in (STRINGS, IDS):
        if array.null_count:
            raise _no_reference(_first_null(array))
        wrapped = [make_lists(np.arange(len(piece) + 1), piece) for piece in slices(array)]
        lists = pa.chunked_array(wrapped, pa.large_list(text_type))
    # 3. Lists of references: their texts must be of the predictions' type, or empty.
    if not is_list(lists.type) or not _fits(lists.type.value_type, text_type):
        raise wrong_item("references", 0, describe_type(array.type), describe_references(text_type))
    references = _drop_nulls(lists).cast(pa.large_list(text_type))
    if is_list(text_type):
        _check_tokens("references", references)
    return references


def _fits(reference_type: pa.DataType, text_type: pa.DataType) -> bool:
    """Return True if references of a type fit predictions of a type.

    References that are all None fit; each segment is checked later. Empty lists fit tokens and ids.
    """
    if reference_type == text_type or pa.types.is_null(reference_type):
        return True
    are_empty_lists = is_list(reference_type) and pa.types.is_null(reference_type.value_type)
    return are_empty_lists and is_list(text_type)


def _no_reference(row: int) -> ValueError:
    """Build the error for a segment without references."""
    return ValueError(
        f"references[{row}]: expected at least one reference, got none."
        ' Pass "" for an empty reference.'
    )


def _check_tokens(name: str, array: pa.ChunkedArray) -> None:
    """Raise for None among tokens or ids, and for negative ids, such as -100 of padded labels."""
    first_row = 0
    for piece in slices(array):
        items, bounds = list_items(piece)
        while is_list(items.type):
            items, inner_bounds = list_items(items)
            bounds = inner_bounds[bounds]
        is_bad = np.asarray(items.is_null())
        if pa.types.is_integer(items.type):
            is_bad = is_bad | np.asarray(pc.less(items, 0).fill_null(True))
        if is_bad.any():
            index = int(is_bad.argmax())
            row = first_row + int(np.searchsorted(bounds, index, side="right")) - 1
            if not items[index].is_valid:
                raise TypeError(
                    f"{name}[{row}]: got None among the tokens."
                    " Remove it: [token for token in row if token is not None]."
                )
            raise ValueError(
                f"{name}[{row}]: got the token id {items[index]}. Ids are never negative."
                " Remove label padding such as -100: [id for id in row if id >= 0]."
            )
        first_row += len(piece)


def _drop_nulls(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Remove None from the lists of references; raise for the first row that has no other item."""
    lists = []
    first_row = 0
    for piece in slices(array):
        items, bounds = list_items(piece)
        if items.null_count:
            has_value = np.asarray(items.is_valid())
            values_before = np.concatenate([[0], np.cumsum(has_value)])
            bounds = values_before[bounds]
            lists.append(make_lists(bounds, items.filter(pa.array(has_value))))
        else:
            lists.append(piece)
        rows_without = np.flatnonzero(np.asarray(piece.is_null()) | (np.diff(bounds) == 0))
        if len(rows_without):
            raise _no_reference(first_row + rows_without[0])
        first_row += len(piece)
    return pa.chunked_array(lists, array.type)


def _first_null(array: pa.ChunkedArray) -> int:
    is_valid = np.concatenate([np.asarray(chunk.is_valid()) for chunk in array.chunks])
    return int(np.argmin(is_valid))


_TOKEN_REFERENCES = Notice(
    "token references",
    "The references look like lists of tokens, but the predictions are text,"
    " so each token was read as a reference of one word",
    ". Pass text: references=[' '.join(tokens) for tokens in references],"
    " or the text from before it was split",
)


def warn_about_rows(corpus: Corpus) -> None:
    """Warn if predictions look like lists of sentences, or references like tokens.

    The tokens would be those of one reference, each of which was read as a reference.
    """
    if corpus.kind == "tokens" and are_sentences(corpus.predictions):
        warn(_SENTENCES_AS_TOKENS, name="predictions")
    if corpus.kind != "text":
        return
    size = len(corpus)
    if size <= _FEW_ROWS:
        _warn_about_files(corpus)
    if corpus.count_references() >= _FEWEST_TOKENS * size > 0:
        (batch,) = corpus.take(evenly_spaced(len(corpus), _SAMPLE_ROWS)).batches
        length = pc.sum(pc.utf8_length(batch.predictions)).as_py()
        references_length = pc.sum(pc.utf8_length(batch.references)).as_py()
        has_space = pc.any(pc.match_substring_regex(batch.references, _INNER_SPACE)).as_py()
        # All tokens together are about as long as the text: half to twice the length.
        if length <= 2 * references_length <= 4 * length and not has_space:
            warn(_TOKEN_REFERENCES)


def are_sentences(texts: pa.ChunkedArray) -> bool:
    """Return True if most tokens in a sample of lists contain a space.

    >>> are_sentences(pa.chunked_array([[["the cat sat", "a cat was"], ["it", "rains here"]]]))
    True
    """
    tokens = pc.list_flatten(evenly_spaced_rows(texts, _SAMPLE_ROWS).combine_chunks())
    has_space = pc.match_substring_regex(tokens, _INNER_SPACE)
    sentences = pc.sum(has_space).as_py() or 0
    return bool(2 * sentences > len(tokens))


_WHOLE_FILES = Notice(
    "whole files",
    "predictions[{row}] has {breaks:,} line breaks and its reference {references:,},"
    " and all their lines were scored as one segment",
    ". For files with one segment per line, pass open(path, encoding='utf-8') for each column",
)


def _warn_about_files(corpus: Corpus) -> None:
    """Warn of a row that is the name of a file, by its form; and of one that is two whole files."""
    predictions, references = corpus.list_texts()
    if len(corpus) == 1:
        _warn_about_names({"predictions": predictions[0], "references": references[0][0]})
    for row, prediction in enumerate(predictions):
        breaks = prediction.count("\n")
        if breaks < _FEWEST_BREAKS:
            continue
        reference_breaks = max(reference.count("\n") for reference in references[row])
        if reference_breaks >= _FEWEST_BREAKS:
            warn(_WHOLE_FILES, row=row, breaks=breaks, references=reference_breaks)
            return


def _warn_about_names(texts: Mapping[str, str]) -> None:
    """Warn of the only text of a column if it has the form of a file's name, and no other has."""
    for name, text in texts.items():
        if _FILE_NAME.fullmatch(text) and [*texts.values()].count(text) == 1:
            warn(_FILE_AS_TEXT, name=name)
            return
