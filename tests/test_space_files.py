"""The demo's files: how they are read, what is rejected or fixed, and runs known by their names."""

import csv
import gzip
import importlib
import json
import random
import re
import tracemalloc
from functools import cache
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import mistakes
import pytest
from helpers import run_apart

gradio = pytest.importorskip("gradio")

pytestmark = pytest.mark.usefixtures("space_can_be_imported")


@pytest.mark.parametrize("name", ["a.parquet", "a.PARQUET"])
def test_parquet_is_not_accepted(tmp_path, name):
    """By its name, before anything of it is read."""
    (tmp_path / name).write_bytes(b"PAR1")
    files = importlib.import_module("space.files")
    with pytest.raises(
        ValueError, match=f"^{name}: Parquet is not accepted. Upload text, CSV, TSV or JSONL.$"
    ):
        files.describe_file(str(tmp_path / name))


def submit(folder, uploads, columns=(), reference_columns=(), labels=None, documents=None):
    """Read a submission of a system and of references, each from uploads; or return the error."""
    files, paths = importlib.import_module("space.files"), []
    for number, (name, data) in enumerate(uploads):
        (folder / f"{number}").mkdir(exist_ok=True)
        paths.append(folder / f"{number}" / name)
        paths[-1].write_bytes(data)
    first, *others = map(str, paths)
    others = others or [first] * 4
    try:
        return files.read_submission(
            [
                files.FROM_FILES,
                [first],
                columns,
                others,
                reference_columns,
                "",
                "",
                "",
                labels,
                documents,
            ]
        )
    except ValueError as error:
        return str(error.__cause__ or error)  # that of a file stands below the file


LINES = b"a\n" * 100_000
PART = "Upload a part of it, or use the metric in Python (see About)."


@pytest.mark.parametrize(
    ("files", "columns", "message"),
    [
        ([("a.txt", b"a" * 99_999 + b"\n") for _ in range(2)], (), 6),  # fields of a submission within the limits
        ([("a.txt", (b"a" * 99_999 + b"\n") * 100)] * 3, (), f"The files have 30 MB together; the limit is 25. {PART}"),
        ([("a.txt", (b"a" * 99_999 + b"\n") * 100)], (), f"The files have 50 MB together; the limit is 25. {PART}"),  # one, five times
        ([("a.txt", LINES)] * 6, (), f"The files have 600,000 texts; the limit is 500,000. {PART}"),
        ([("a.txt", b"a\n"), ("r.csv", b",".join(b"c%d" % i for i in range(100)) + b"\n" + b"," * 99)], [f"c{i}" for i in range(100)], "There are 100 columns of references; the limit is 20."),
        ([("a.txt", b"a\n"), *[("r.csv", b"x,y\nb,c\n")] * 11], ["x", "y"], "There are 22 columns of references; the limit is 20."),
        ([("a.txt", b"a\n"), ("r.csv", b"x,y\n" + b"," * 2_100_000)], ["x"], "r.csv has a line of over 400,000 bytes. Write one segment per line."),
        ([("a.txt", b"a\n"), ("r.tsv", b"\t" * 50 + b"\n" + (b"\t" * 50 + b"\n") * 41_000)], ["x"], "r.tsv has more than 2,000,000 cells or values. Leave out columns, or upload a part of it."),
        ([("a.txt", b"a\n"), ("r.jsonl", (b'{"r": [' + b"[]," * 100_000 + b"[]]}\n") * 20)], ["r"], "r.jsonl has more than 2,000,000 cells or values. Leave out columns, or upload a part of it."),
        ([("a.txt", b"a\n"), ("r.jsonl", b'{"r": [' + b"[]," * 100_000 + b"[]]}\n")], ["r"], "r.jsonl, line 1: expected a text or up to 20 texts."),
        ([("a.txt", b"a\n"), ("r.jsonl", b'{"r": [[]]}\n')], ["r"], "r.jsonl, line 1: expected a text or up to 20 texts."),
        ([("a.txt", b"a\n"), ("r.jsonl", b'{"r": {"a": 1}}\n')], ["r"], "r.jsonl, line 1: expected a text or up to 20 texts."),
    ],
)  # fmt: skip
def test_the_total_of_a_request_is_limited_before_it_is_parsed(tmp_path, files, columns, message):
    answer = submit(tmp_path, files, reference_columns=columns)
    assert (len(answer) if isinstance(message, int) else answer) == message


TABLE = b"mt\tdomain\na b c d\tnews\na b c e\tchat\n"


@pytest.mark.parametrize(
    ("table", "column", "expected"),
    [
        (TABLE, "domain", ["news", "chat"]),
        (TABLE, ["domain"], ["news", "chat"]),
        (TABLE, [], None),
        (TABLE, None, None),
        (TABLE, ["domain", "mt"], "Choose one column of labels."),
        (TABLE, "topic", "None of the files has a column 'topic'."),
        (b"mt\tdomain\n" + b"".join(b"a\t%d\n" % i for i in range(101)), "domain", "The column 'domain' has 101 different labels; the limit is 100."),
    ],
)  # fmt: skip
def test_labels_are_a_column_of_the_table(tmp_path, table, column, expected):
    files = [("a.tsv", table), ("r.txt", b"a b c d\n" * (table.count(b"\n") - 1))]
    answer = submit(tmp_path, files, ["mt"], (), column)
    assert (answer if isinstance(answer, str) else answer.labels) == expected


ORGANIZERS = {
    "organizer.tsv": b"domain\tdoc\treference\tsystem 1\tOnline-B\nnews\td1\ta b c d\ta b c e\ta x c d\nchat\td2\te f g h\te f g i\te y g h\n",
    "organizer.csv": b'Domain,doc_id,ref.A,ref.B,src,Facebook-AI,HuaweiTSC,chars\n"news, local",1,a b,b a,x y,a c,b c,3\nchat,1,e f,f e,z,e g,f g,3\n',
    "organizer.jsonl": b'{"lp": "en-is", "docid": "d", "id": 1, "reference": ["a", "b"], "Mideind": "a", "Allegro.eu": "c"}\n',
}


@pytest.mark.parametrize("name", ORGANIZERS)
@pytest.mark.parametrize(
    "fields", [("systems",), ("references",), ("systems", "references")], ids="+".join
)
def test_an_organizers_table_works_at_once(tmp_path, name, fields):
    """In either field or in both; what is preselected is what is scored."""
    files = importlib.import_module("space.files")
    (tmp_path / name).write_bytes(ORGANIZERS[name])
    path = str(tmp_path / name)
    guessed = files.guess_columns(files.describe_file(path))
    uploads = [[path] if role in fields else None for role in ("systems", "references")]
    values = [uploads[0], guessed["systems"], uploads[1], guessed["references"], "", "", ""]
    found = files.read_submission(
        [files.FROM_FILES, *values, guessed["labels"][0], guessed["documents"][0]]
    )
    assert found[:4] == {
        "organizer.tsv": ({"system 1": ["a b c e", "e f g i"], "Online-B": ["a x c d", "e y g h"]}, [["a b c d"], ["e f g h"]], ["news", "chat"], ["d1", "d2"]),
        "organizer.csv": ({"Facebook-AI": ["a c", "e g"], "HuaweiTSC": ["b c", "f g"]}, [["a b", "b a"], ["e f", "f e"]], ["news, local", "chat"], ["1", "1"]),
        "organizer.jsonl": ({"Mideind": ["a"], "Allegro.eu": ["c"]}, [["a", "b"]], ["en-is"], ["d"]),
    }[name]  # fmt: skip


@pytest.mark.processes
def test_files_are_read_without_gradio():
    run_apart("""
import sys
sys.modules["gradio"] = None
from space.files import split_lines
assert split_lines("a\\nb") == ["a", "b"]
""")


ROLES = [
    # Roles are told by whole names.
    (["target-finetuned", "ref-tuned", "gold-mix", "reference"], ["reference"], ["target-finetuned", "ref-tuned", "gold-mix"]),
    (["source", "refA", "Online-B"], ["refA"], ["Online-B"]),
    (["prompt", "response", "expected"], ["expected"], ["response"]),
    (["question", "pred", "ground_truth"], ["ground_truth"], ["pred"]),
    (["input_text", "model-1", "tgt"], ["tgt"], ["model-1"]),
    (["src_en", "mt_de", "ref_de"], ["ref_de"], ["mt_de"]),
    (["hypothesis", "label"], ["label"], ["hypothesis"]),
]  # fmt: skip


@pytest.mark.parametrize(("names", "references", "systems"), ROLES)
def test_roles_are_told_by_whole_names(names, references, systems):
    files = importlib.import_module("space.files")
    guessed = files.guess_columns(files.Description(Path("a.tsv"), names, 9, names))
    assert (guessed["references"], guessed["systems"]) == (references, systems)


def submit_tables(tmp_path, system, reference, columns=(["mt"], ["ref"]), labels=(None, None)):
    """Return the submission of a table of a system and one of references."""
    files = importlib.import_module("space.files")
    paths = []
    for name, data in (("system.tsv", system), ("refs.tsv", reference)):
        (tmp_path / name).write_text(data, encoding="utf-8")
        paths.append(str(tmp_path / name))
    values = [files.FROM_FILES, paths[0], columns[0], paths[1], columns[1], "", "", "", *labels]
    return files.read_submission(values)


def test_tables_in_another_order_are_joined_by_their_ids(tmp_path):
    system = "id\tmt\n" + "".join(f"{row}\tsystem {row}\n" for row in (3, 1, 2))
    reference = "id\tref\n" + "".join(f"{row}\treference {row}\n" for row in (1, 2, 3))
    submission = submit_tables(tmp_path, system, reference)
    assert list(submission.systems.values()) == [["system 1", "system 2", "system 3"]]
    assert submission.remarks == ["lines joined by their ids"]
    submission = submit_tables(tmp_path, system.replace("3\tsystem 3", "9\tsystem 9"), reference)
    assert submission.references == [["reference 1"], ["reference 2"]]
    assert submission.remarks == ["lines joined by their ids, 2 of 3 are in all files"]
    assert submit_tables(tmp_path, reference.replace("ref\n", "mt\n"), reference).remarks == ()


@pytest.mark.parametrize("table", ["system", "references"])
def test_groups_and_documents_are_joined_with_their_rows(tmp_path, table):
    rows = {"system": (3, 1, 2), "references": (1, 2, 3)}
    data = {}
    for name, text in (("system", "mt"), ("references", "ref")):
        further = "\tdomain\tdoc" if name == table else ""
        lines = [f"id\t{text}{further}\n"]
        for row in rows[name]:
            cells = f"\tdomain {row}\tdoc {row}" if name == table else ""
            lines.append(f"{row}\t{name} {row}{cells}\n")
        data[name] = "".join(lines)
    joined = submit_tables(tmp_path, data["system"], data["references"], labels=("domain", "doc"))
    assert joined.references == [["references 1"], ["references 2"], ["references 3"]]
    assert joined.labels == ["domain 1", "domain 2", "domain 3"]
    assert joined.documents == ["doc 1", "doc 2", "doc 3"]


def test_swapped_roles_and_sources_are_told_by_their_names(tmp_path):
    table = "ref\tmt\tsource\na b\tc d\te f\n"
    submission = submit_tables(tmp_path, table, table, (["ref"], ["mt"]))
    assert submission.notes == [
        "“ref” looks like one of the references, and is among the systems.",
        "“mt” looks like one of the systems, and is among the references.",
    ]
    submission = submit_tables(tmp_path, table, table, (["source"], ["ref"]))
    assert submission.notes == ["“source” looks like a source, and is among the systems."]


HEADLESS = "The cat sat on the mat.\tA cat sat on the mat.\nDogs bark at night.\tAt night dogs bark.\nIt rains.\tRain falls.\n"


def test_a_table_without_names_of_columns_is_asked_about(tmp_path):
    files = importlib.import_module("space.files")
    path = tmp_path / "a.tsv"
    path.write_text(HEADLESS)
    table = files.describe_file(str(path))
    assert (table.has_odd_head, table.segments) == (True, 2)
    values = [files.FROM_FILES, str(path), table.columns[:1], None, table.columns[1:], "", "", ""]
    with pytest.raises(ValueError, match=r"^Line 1 of a\.tsv looks like the lines below it\. "):
        files.read_submission([*values, None, None])
    table = files.describe_file(str(path), files.Reading(first_line=files.HEAD_TEXTS))
    assert (table.columns, table.segments) == (["column 1", "column 2"], 3)
    values[2], values[4] = ["column 1"], ["column 2"]
    answer = files.read_submission([*values, None, None, False, False, files.HEAD_TEXTS])
    assert answer.references[0] == ["A cat sat on the mat."]
    path.write_text(f"mt\tref\n{HEADLESS}")
    assert not files.describe_file(str(path)).has_odd_head


def test_lines_that_end_in_carriage_returns_are_lines(tmp_path):
    files = importlib.import_module("space.files")
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\rtwo\rthree\r")
    described = files.describe_file(str(path))
    assert (described.segments, described.remarks) == (3, ["lines end in CR"])
    assert files._read_columns(described, []) == {"a": ["one", "two", "three"]}


def check_rejection(file, data, pattern):
    """Check why a file with these bytes is rejected when it is uploaded."""
    file.write_bytes(data)
    with pytest.raises(ValueError, match=pattern):
        importlib.import_module("space.files").describe_file(str(file))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", b'{"p": "a"}\n' * 99_999 + b"{", "a.jsonl, line 100,000 is not JSON"),
        ("a.jsonl", b'{"p": "a"}\n' * 9 + b'{"q": "a"}', "a.jsonl, line 10 has other keys than line 1."),
        ("a.csv", b"p,q\n" + b"a,b\n" * 99_000 + b"a\n", "a.csv: line 99,002 has 1 cell, and line 1 has 2."),
        ("a.tsv", b"p\tq\n" + b"a\tb\n" * 99_000 + b"a\n", "a.tsv: line 99,002 has 1 cell, and line 1 has 2."),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_rejected_when_it_is_uploaded(tmp_path, name, data, message):
    check_rejection(tmp_path / name, data, f"^{re.escape(message)}")


def test_two_files_of_one_name_stay_apart(tmp_path):
    files = importlib.import_module("space.files")
    answer = submit(tmp_path, [("mt.txt", b"a\nb\n"), ("mt.txt", b"c\nd\n"), ("mt.txt", b"e\nf\n")])
    assert answer[:4] == ({"mt": ["a", "b"]}, [["c", "e"], ["d", "f"]], None, None)
    uploads = [files.describe_file(str(tmp_path / f"{number}" / "mt.txt")) for number in range(3)]
    assert {name: lines[0] for name, lines in files._read_systems([files.ChosenColumns(one, []) for one in uploads]).items()} == {
        "mt": "a", "mt (2)": "c", "mt (3)": "e"
    }  # fmt: skip


def test_the_common_prefix_of_long_names_is_cut_before_their_ends_are(tmp_path):
    files, scored = (importlib.import_module(f"space.{name}") for name in ("files", "scored"))
    paths = [tmp_path / f"{'newstest2021.' * 5}{name}{'x' * 70}.de" for name in ("A", "B")]
    for path in paths:
        path.write_text("a\n")
    systems = files._read_systems(
        [files.ChosenColumns(files.describe_file(str(path)), []) for path in paths]
    )
    submission, _, prefix = scored.prepare_submission(files.Submission(systems, [["a"]]), "all", [])
    assert list(submission.systems) == [f"{name}{'x' * 29}…{'x' * 29}" for name in "AB"]
    assert prefix.startswith("newstest2021.")
    assert prefix.endswith("newstest2021.")


def test_names_that_become_equal_stay_apart():
    scored, files = (importlib.import_module(f"space.{name}") for name in ("scored", "files"))
    submission = files.Submission({"x" * 70 + "a": ["a"], "x" * 70 + "b": ["b"]}, [["a"]])
    systems = scored.prepare_submission(submission, "all", [])[0].systems
    assert systems == {
        "x" * 30 + "…" + "x" * 28 + "a": ["a"],
        "x" * 30 + "…" + "x" * 28 + "b": ["b"],
    }


SPOKEN = ['He said "no".', "tab\there", "plain", 'two\nlines "a"', '"quoted"']


def write_table(path, written_by):
    """Write a table of `SPOKEN` as pandas or Python's csv does."""
    columns = {"mt": SPOKEN, "ref": ["r"] * len(SPOKEN)}
    if written_by == "pandas":
        pytest.importorskip("pandas").DataFrame(columns).to_csv(path, sep="\t", index=False)
        return
    with open(path, "w", encoding="utf-8", newline="") as file:
        quoting = csv.QUOTE_ALL if written_by == "csv, all" else csv.QUOTE_MINIMAL
        writer = csv.writer(file, delimiter="\t", quoting=quoting)
        writer.writerows([list(columns), *zip(*columns.values())])


@pytest.mark.parametrize("written_by", ["pandas", "csv", "csv, all"])
def test_a_tsv_with_quoted_cells_is_read_as_it_was_written(tmp_path, written_by):
    """Tabs, line feeds and quotation marks within cells included; and it is told below the name."""
    files, sources = (importlib.import_module(f"space.{name}") for name in ("files", "sources"))
    path = tmp_path / "a.tsv"
    write_table(path, written_by)
    upload = files.describe_file(str(path))
    assert files._read_columns(upload, ["mt"]) == {"mt": SPOKEN}
    assert upload.segments == len(SPOKEN)
    assert "quoted as by pandas; quotes removed" in sources._describe_reading(upload)[1]


@pytest.mark.parametrize(
    ("rows", "is_quoted"),
    [
        (b'"a ""b"" c"\tr\n', True),
        (b'"a ""b"" c"\tr "q" r\n', False),  # a cell that is not quoted has quotation marks
        (b'"a ""b""\tr\n', False),  # a quoted cell has no end
        (b'"a"\tr\n', False),  # a text in quotation marks: without two in a row, this is not certain
        (b'""\t""\n', False),
        (b'a "" b\tr\n', False),
        (b"a\tr\n", False),
    ],
)  # fmt: skip
def test_quotation_marks_in_a_tsv_stay_unless_all_cells_with_them_are_quoted(
    tmp_path, rows, is_quoted
):
    """As for `cut`, and in the files of WMT; if the cells are quoted, they stay on request."""
    files = importlib.import_module("space.files")
    path = tmp_path / "a.tsv"
    path.write_bytes(b"mt\tref\n" + rows)
    first_cell = rows.split(b"\t")[0].decode()
    for keeps_quotes in (True, False):
        upload = files.describe_file(str(path), files.Reading(keeps_quotes))
        (cell,) = files._read_columns(upload, ["mt"])["mt"]
        removes_quotes = is_quoted and not keeps_quotes
        assert cell == ('a "b" c' if removes_quotes else first_cell)
        assert upload.has_quoted_cells == is_quoted


@pytest.mark.slow
@pytest.mark.processes
def test_quoted_cells_are_found_in_linear_time():
    """Also in 20 MB of cells that begin with a quotation mark and have no end."""
    run_apart('''
import tempfile, pathlib
from space.files import describe_file
path = pathlib.Path(tempfile.mkdtemp()) / "a.tsv"
for line in (b'"a""b' * 40 + b"\\tb", b'"a\\t' + b'"a"x' * 40, b'""x' * 60 + b"\\tb", b'"""x' * 60 + b"\\tb"):
    path.write_bytes(b"mt\\tref\\n" + (line + b"\\n") * 90_000)
    try:
        describe_file(str(path))
    except ValueError:
        pass
''')


@pytest.mark.parametrize(
    ("names", "references"),
    [
        (["domain", "doc", "refA", "GPT-4"], ["refA"]),  # as in the files of WMT
        (["ref_b", "ref-C", "refs", "ONLINE-B"], ["ref_b", "ref-C", "refs"]),
        (["tgt.de", "mt.de"], ["tgt.de"]),
        (["RefA", "REF", "refb", "humanReference", "OnlineA"], ["RefA", "REF", "refb", "humanReference"]),
        (["preference", "prefA", "reform", "goldenMT"], []),
    ],
)  # fmt: skip
def test_columns_of_references_are_known_by_their_names(names, references):
    files = importlib.import_module("space.files")
    table = files.Description(Path("a.tsv"), names, 9, names)
    assert files.guess_columns(table)["references"] == references


def test_a_missing_column_is_asked_for_first_and_at_its_field(tmp_path):
    """Eleven texts without a known reference are not "eleven systems, the limit is ten"."""
    files = importlib.import_module("space.files")
    names = [f"text{number}" for number in range(11)]
    path = tmp_path / "a.tsv"
    path.write_text("\t".join(names) + "\n" + "a\t" * 10 + "a\n")
    table = files.describe_file(str(path))
    assert list_columns([table])[0] == "Which column has the reference?"
    known = table._replace(columns=[*names, "refA"])
    assert list_columns([known])[0].startswith(
        "Columns: text0, text1, text2 and 8 more are systems"
    )
    values = [files.FROM_FILES, [str(path)], names, None, [], "", "", "", None, None]
    asked = r"^Which column has the {}\? Choose it in the list of columns\.$"
    with pytest.raises(ValueError, match=asked.format("reference")):
        files.read_submission(values)
    values[2], values[4] = ["text3", "text4"], ["text3"]
    with pytest.raises(
        ValueError,
        match=r"^The column 'text3' is chosen for systems and for references\. Remove it from one of them\.$",
    ):
        files.read_submission(values)
    values[2] = []
    with pytest.raises(ValueError, match=asked.format("system")):
        files.read_submission(values)


def list_columns(systems, references=()):
    """Return the sentence, the roles of the columns by owner and name, and whether names tell them."""
    columns = importlib.import_module("space.columns")
    chosen, is_certain = columns.guess_chosen(systems, references)
    listed = columns.list_columns(systems, references, chosen)
    roles = {f"{column.owner}.{column.name}": column.role for column in listed}
    return columns.tell_columns(listed), roles, is_certain


TABLES = {
    "doc\tdomain\tsource\tref\tA\tB\nd1\tnews\ts\tr\ta\tb\n": "all.tsv",
    "id\tmt\n1\ta\n": "system.tsv",
    "id\treference\n1\tr\n": "reference.tsv",
    "x\ty\na\tr\n": "odd.tsv",
    "domain\tmt\nnews\ta\n": "labeled.tsv",
    "r\n": "r.txt",
}


@pytest.mark.parametrize(
    ("systems", "references", "sentence", "is_certain"),
    [
        # A table with all.
        (["all.tsv"], [], "Columns: A and B are systems, ref is the reference, a score per domain, tests by doc; 1 is not used", True),
        # A table per role, each with its own list.
        (["system.tsv"], ["reference.tsv"], "Columns: mt is the system, reference is the reference; 2 are not used", True),
        (["system.tsv"], ["r.txt"], "Columns: mt is the system; 1 is not used", True),
        # No name tells.
        (["odd.tsv"], ["r.txt"], "Columns: x and y are systems", True),
        (["odd.tsv"], [], "Which column has the reference?", False),
        (["r.txt"], ["odd.tsv"], "Columns: y is the reference; 1 is not used", False),
        # Plain text has no columns.
        (["r.txt"], ["r.txt"], None, True),
        # A column of groups in both: the first one counts.
        (["labeled.tsv"], ["labeled.tsv"], "Columns: mt is the system, mt is the reference, a score per domain; 1 is not used", False),
    ],
)  # fmt: skip
def test_the_sentence_says_what_columns_are_for(
    tmp_path, systems, references, sentence, is_certain
):
    files = importlib.import_module("space.files")

    def describe(names):
        described = []
        for name in names:
            (text,) = [text for text, file in TABLES.items() if file == name]
            (tmp_path / name).write_text(text)
            described.append(files.describe_file(str(tmp_path / name)))
        return described

    told, roles, certain = list_columns(describe(systems), describe(references))
    assert told == sentence if roles else sentence is None
    assert certain == is_certain


def test_what_was_chosen_stays_with_its_files(tmp_path):
    """Also that no column has groups; another role's new files are guessed."""
    columns, files, sources = (
        importlib.import_module(f"space.{name}") for name in ("columns", "files", "sources")
    )
    described = {}
    for role, name in (("systems", "all.tsv"), ("references", "labeled.tsv")):
        (text,) = [text for text, file in TABLES.items() if file == name]
        (tmp_path / name).write_text(text)
        described[role] = [files.describe_file(str(tmp_path / name))]
    table = {"systems": described["systems"], "references": []}
    before = columns.Chosen(["A"], ["B"], [], ["domain"])

    def keep(described, kept):
        guessed, _ = columns.guess_chosen(described["systems"], described["references"])
        return sources._keep_chosen(before, guessed, described, kept)

    guessed = columns.Chosen(["A", "B"], ["ref"], ["domain"], ["doc"])
    assert keep(table, set()) == guessed
    assert keep(table, {"systems", "references"}) == before
    # References are uploaded besides.
    added = keep(described, {"systems"})
    assert added == columns.Chosen(["A"], ["mt"], ["domain"], ["domain"])


def test_the_list_has_the_first_text_of_each_column_and_only_roles_that_can_be(tmp_path):
    """A name is whatever a file has: it is text, and comes back as it was."""
    columns, files = (importlib.import_module(f"space.{name}") for name in ("columns", "files"))
    name = 'm"t<b>&\u200b'
    (tmp_path / "a.jsonl").write_text(json.dumps({name: "<i>" + "x" * 500, "ref": ["r", "s"]}))
    (tmp_path / "r.csv").write_text("ref,id\n,007\n")
    table, other = (files.describe_file(str(tmp_path / file)) for file in ("a.jsonl", "r.csv"))
    assert [len(table.examples[0]), *table.examples[1:]] == [200, "['r', 's']"]
    assert list(other.examples) == ["", "007"]

    def read(systems, references):
        chosen, _ = columns.guess_chosen(systems, references)
        rendered = columns.render_columns(columns.list_columns(systems, references, chosen))
        assert "<i>" not in rendered
        fields = re.findall(r'data-owner="(.*?)" data-name="(.*?)">(.*?)</select>', rendered)
        return [
            (owner, unescape(name), re.findall('value="(.*?)"', options))
            for owner, name, options in fields
        ]

    others = ["labels", "documents", ""]
    assert read([table], []) == [
        ("", name, ["systems", "references", *others]),
        ("", "ref", ["systems", "references", *others]),
    ]
    assert read([table], [other]) == [
        ("systems", name, ["systems", *others]),
        ("systems", "ref", ["systems", *others]),
        ("references", "ref", ["references", *others]),
        ("references", "id", ["references", *others]),
    ]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.tsv", b'p\tq\n"a\tb\na"\tb\na\tb\t"c\n', "a.tsv: line 4 has 3 cells, and line 1 has 2."),
        ("a.csv", b'p,q\n"a\nb",c\n"a,b",c,d\n', "a.csv: line 4 has 3 cells, and line 1 has 2."),
        ("a.csv", b"p,q\na,b\na\n", "a.csv: line 3 has 1 cell, and line 1 has 2."),
    ],
)  # fmt: skip
def test_a_line_with_another_number_of_cells_is_named(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        importlib.import_module("space.files").describe_file(str(tmp_path / name))


# The bytes of a file, the texts of its first column, and how the page says it read them.
READINGS = {
    "utf-16.txt": ("a\nñ\n".encode("utf-16"), ["a", "ñ"], "2 segments, UTF-16, one per line"),
    "utf-16-be.txt": (b"\xfe\xff" + "a\nñ\n".encode("utf-16-be"), ["a", "ñ"], "2 segments, UTF-16, one per line"),
    "Unicode text of Excel.txt": ("mt\tref\nñ\tb\n".encode("utf-16"), ["ñ"], "1 segment, UTF-16, columns: mt, ref"),
    "utf-16.csv": ("mt;ref\nñ;b\n".encode("utf-16"), ["ñ"], "1 segment, UTF-16, separated by semicolons, columns: mt, ref"),
    "semicolons.csv": (b"mt;ref\na, b;c\n", ["a, b"], "1 segment, separated by semicolons, columns: mt, ref"),
    "one column.csv": (b"mt\na; b\n", ["a; b"], "1 segment, columns: mt"),
    "zip.txt.gz": (gzip.compress(b"a\nb\n"), ["a", "b"], "2 segments, unpacked, one per line"),
    "zip.TSV.gz": (gzip.compress(b"mt\tref\na\tb\n"), ["a"], "1 segment, unpacked, columns: mt, ref"),
    "zip.jsonl.gz": (gzip.compress(b'{"mt": "a"}\n'), ["a"], "1 segment, unpacked, columns: mt"),
    "both.txt.gz": (gzip.compress("a\nñ\n".encode("utf-16")), ["a", "ñ"], "2 segments, unpacked, UTF-16, one per line"),
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
def test_a_file_is_read_and_the_page_says_how(tmp_path, name):
    files, sources = (importlib.import_module(f"space.{name}") for name in ("files", "sources"))
    data, texts, told = READINGS[name]
    (tmp_path / name).write_bytes(data)
    upload = files.describe_file(str(tmp_path / name))
    (column,) = files._read_columns(upload, upload.columns[:1]).values()
    assert column == texts
    assert sources._describe_reading(upload) == (name, told)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.docx", b"PK\x03\x04...", "a.docx is a Word file. Export it as text, CSV, TSV or JSONL."),
        ("a.xlsx", b"PK\x03\x04...", "a.xlsx is an Excel file. Export it as text, CSV, TSV or JSONL."),
        ("a.txt", b"PK\x03\x04...", "a.txt is a ZIP file. Export it as text, CSV, TSV or JSONL."),
        ("a.txt.gz", gzip.compress(b"a\n" * 500, mtime=0)[:-9], "a.txt.gz is damaged or incomplete. Pack it again, or upload it without packing."),
        ("a.txt.gz", gzip.compress(gzip.compress(b"a", mtime=0), mtime=0), "a.txt.gz is a gzip file within a gzip file. Export it as text, CSV, TSV or JSONL."),
        ("a.txt", "a\n".encode("utf-16") + b"\x00", "a.txt is not in UTF-16, though it begins so. Save it as UTF-8."),
    ],
)  # fmt: skip
def test_a_file_that_is_not_text_is_called_what_it_is(tmp_path, name, data, message):
    check_rejection(tmp_path / name, data, f"^{re.escape(message)}$")


def test_packed_files_have_the_same_limit_unpacked(tmp_path):
    """Each of 10 files of 20 kB has 20 MB unpacked; no more than the limit is unpacked to see it."""
    files = importlib.import_module("space.files")
    bomb = gzip.compress((b"a" * 99 + b"\n") * 200_000)
    paths = []
    for number in range(10):
        paths.append(tmp_path / f"{number}.txt.gz")
        paths[-1].write_bytes(bomb)
    tracemalloc.start()
    with pytest.raises(
        ValueError, match=r"^The files have more than 25 MB together\. Upload a part of it"
    ):
        files.check_files([str(path) for path in paths])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_different_numbers_of_lines_say_where_it_probably_begins():
    """Line 41 of 100 is missing, or doubled; the lengths of all others agree."""
    files = importlib.import_module("space.files")
    generator = random.Random(0)
    references = [["x" * generator.randrange(5, 200)] for _ in range(100)]
    texts = [row[0] for row in references]
    equal = ["x" * 50] * 99  # equal lengths
    cases = {
        "From line 41 on, the lines look shifted.": [*texts[:40], *texts[41:]],
        "From line 42 on, the lines look shifted.": [*texts[:41], texts[40], *texts[41:]],
        "The end is missing: line 100.": texts[:99],
        "The end is missing: lines 91 to 100.": texts[:90],
        "There is more at the end: line 101.": [*texts, "x" * 9],
    }
    for told, lines in cases.items():
        with pytest.raises(ValueError, match=rf" {re.escape(told)} They must correspond"):
            files._check_lengths("A", lines, references)
    with pytest.raises(ValueError, match=r"there are references for 100\. They must correspond"):
        files._check_lengths("A", equal, [["x" * 50]] * 100)


@pytest.mark.parametrize(
    ("names", "systems"),
    [
        (["base.seed1.txt", "base.seed2.txt"], {"base": 2}),
        (["base.seed1.de", "base.seed2.de", "big.seed1.de", "other.de"], {"base.de": 2, "big.de": 1, "other.de": 1}),
        (["mt_run-1", "mt_run-2", "mt_run-10"], {"mt": 3}),
        (["base-s42.txt", "base-s43.txt"], {"base": 2}),
        (["seed=1.base.txt", "seed=2.base.txt"], {"base": 2}),
        (["run1/out.txt", "run2/out.txt"], {"out": 2}),
        (["Base Seed 1", "Base Seed 2"], {"Base": 2}),
        # These differ in more than a run.
        (["gpt-3.txt", "gpt-4.txt"], {"gpt-3": 1, "gpt-4": 1}),
        (["system 1", "system 2"], {"system 1": 1, "system 2": 1}),
        (["reruns2", "brun3"], {"reruns2": 1, "brun3": 1}),
        (["seed1.txt", "seed2.txt", "base.txt"], {"seed": 2, "base": 1}),  # no other name is left
        (["s1.txt", "s2.txt"], {"s1": 1, "s2": 1}),
    ],
)  # fmt: skip
def test_runs_are_known_by_their_names(names, systems):
    found = importlib.import_module("space.files").group_runs(names)
    assert {system: len(runs) for system, runs in found.items()} == systems
    assert [name for runs in found.values() for name in runs] == names


def test_the_choice_of_runs_stays_while_other_files_are_uploaded(tmp_path):
    sources = importlib.import_module("space.sources")
    runs = [
        tmp_path / f"{name}.txt" for name in ("a.seed1", "a.seed2", "b.seed1", "b.seed2", "ref")
    ]
    for path in runs:
        path.write_text("a b c\n")
    *systems, reference = map(str, runs)
    with gradio.Blocks():
        roles = {role: sources._add_role(role) for role in ("systems", "references")}
        fields = sources._UploadFields(
            described=gradio.State(),
            roles=roles,
            chosen=[gradio.JSON() for _ in range(4)],
            fold=gradio.Accordion(),
            columns=gradio.HTML(),
            keep_quotes=gradio.Checkbox(),
            joins_runs=gradio.Checkbox(),
            first_line=gradio.Radio(),
        )

    def show(before, *uploads):
        update = sources._show_uploads(fields, before, False, None, *[[]] * 4, *uploads)
        return update[fields.joins_runs]

    uploaded = show({}, systems, [])
    assert uploaded["value"]
    assert uploaded["label"] == "Score the mean of runs: a (2 runs), b (2 runs)"
    assert "value" not in show({"systems": systems, "references": []}, systems, [reference])
    assert show({"systems": systems, "references": []}, systems[:3], [])["value"]


# --- Uploads that aren't what was meant, or can't be read -----------------------------------------
# The ways through the page are in integration/space_tests. All sentences are invented.

TEXTS, REFERENCES = mistakes.make_pairs(120)
REFERENCES = [text for (text,) in REFERENCES]


def drop_words(share, seed):
    """Return the texts of a system that leaves words out."""
    generator = random.Random(seed)
    return [" ".join(w for w in text.split() if generator.random() > share) for text in TEXTS]


BETTER = drop_words(0.1, 2)
SHUFFLED = sorted(BETTER)


def curl(text):
    return f"“{text[:-1]}”, he’s said."


def number(texts):
    return [f"{row}. {text}" for row, text in enumerate(texts, 1)]


FRENCH = (mistakes.FRENCH_OUTPUT * 6, mistakes.FRENCH * 6)
RIGHT = (BETTER, REFERENCES)  # the texts that were meant

# What was meant where it is something else than `RIGHT`, and the options of its score.
MEANT = {
    "curly quotes in the references": (([f'"{t[:-1]}", he\'s said.' for t in BETTER], [f'"{t[:-1]}", he\'s said.' for t in REFERENCES]), {}),
    "mojibake": (FRENCH, {}),
    "accents apart": (FRENCH, {}),
    "Chinese": ((mistakes.CHINESE_OUTPUT * 6, mistakes.CHINESE * 6), {"tokenize": "zh"}),
}  # fmt: skip

# Uploads, the finding, the button and whether the verdict waits.
UPLOADS = {
    "curly quotes in the references": ([f'"{t[:-1]}", he\'s said.' for t in BETTER], [curl(t) for t in REFERENCES], "typographic quotes on one side", "Make quotes straight", False),
    "rows sorted by text": (SHUFFLED, REFERENCES, "lines in another order", "Put them in order", True),
    "BPE": ([mistakes.split_bpe(t) for t in BETTER], REFERENCES, "pieces of words", "Join them", True),
    "SentencePiece": ([mistakes.split_sentencepiece(t) for t in BETTER], REFERENCES, "pieces of words", "Join them", True),
    "WordPiece": ([re.sub(r"(?<=\w)(ing|ers|ary|ket)", r" ##\1", t) for t in BETTER], REFERENCES, "pieces of words", "Join them", True),
    "ends of sentences": ([f"{t} </s> <pad> <pad>" for t in BETTER], REFERENCES, "special tokens of a model", "Remove them", True),
    "fairseq's log": ([f"H-{n}\t-0.5\t{t}" for n, t in enumerate(BETTER)], REFERENCES, "several fields per line", "Keep the text", True),
    "an n-best list": ([f"{n} ||| {t} ||| LM= -1.5 ||| -3.1" for n, t in enumerate(BETTER)], REFERENCES, "several fields per line", "Keep the text", True),
    "SGML": (BETTER, [f'<seg id="{n}">{t}</seg>' for n, t in enumerate(REFERENCES, 1)], "lines of SGML or JSON", "Read the texts in them", True),
    "JSON lines": ([f'{{"id": "{n}", "en": "{t}"}}' for n, t in enumerate(BETTER)], REFERENCES, "lines of SGML or JSON", "Read the texts in them", True),
    "numbered lines": (number(BETTER), REFERENCES, "numbers before the texts", "Remove them", True),
    "quotes around each line": ([f'"{t}"' for t in BETTER], REFERENCES, "quotation marks around whole texts", "Remove them", True),
    "mojibake": (mistakes.FRENCH_OUTPUT * 6, [t.encode().decode("cp1252", "ignore") for t in mistakes.FRENCH] * 6, "text in a wrong encoding", "Decode it again", True),
    "accents apart": ([mistakes.unicodedata.normalize("NFD", t) for t in mistakes.FRENCH_OUTPUT] * 6, mistakes.FRENCH * 6, "letters and accents in two characters", "Compose them", True),
    "zero-width spaces": ([t.replace(" ", " \u200b") for t in BETTER], REFERENCES, "invisible characters", "Remove them", True),
    "entities": ([t.replace(",", "&#44;").replace(" at ", " &#97;t ") for t in BETTER], REFERENCES, "HTML entities", "Replace them", True),
    "Chinese": (mistakes.CHINESE_OUTPUT * 6, mistakes.CHINESE * 6, "text without spaces", "Score as Chinese", True),
    "tokenized": ([mistakes.detach(t) for t in BETTER], REFERENCES, "detached punctuation marks", "Detokenize", False),
    "an introduction": ([f"Sure! Here is the translation: {t}" for t in BETTER], REFERENCES, "introductions by a language model", "Remove them", True),
    "answers": ([mistakes.ANSWER, *BETTER[1:]], REFERENCES, "answers in place of a text", "", False),
    "empty references": (BETTER, ["", "", *REFERENCES[2:]], "empty texts", "", False),
    "a reference as a system": (REFERENCES, REFERENCES, "texts equal to a reference", "", False),
}  # fmt: skip


class Visit:
    """The tab Corpus as the server has it: the values of its fields, and its last answer."""

    def __init__(self):
        self.scoring, self.describing = find_events()
        self.tab = self.scoring.fn.__self__
        inputs = [*self.scoring.inputs, *self.describing.inputs]
        self.values = {component: component.value for component in inputs}

    def upload(self, role, path):
        """Upload a file, and return what the page says about it."""
        self.values[getattr(self.tab.sources, role)] = [str(path)]
        self.take(self.describing.fn(*self.list_values(self.describing.inputs)))
        _described, *notes = self.describing.outputs
        note = self.values[notes[("systems", "references").index(role)]]
        return unescape(re.sub("<.*?>", "", note))

    def score(self):
        """Press Score, and return the message of an error."""
        values = self.list_values(self.scoring.inputs)
        answer = self.tab.show_score(*values, progress=lambda *_, **__: None)
        self.take(answer)
        return unescape(re.sub("<.*?>", "", answer[self.tab.message]))

    def read(self, part):
        """Return the result, or another part of the last answer, as HTML."""
        return self.values[getattr(self.tab, part)]

    def press(self, name, within):
        """Press a button of an answer, after which the page scores again."""
        (data,) = (data for text, data in list_buttons(within) if text == name)
        values = self.list_values([*self.tab.inputs(), self.tab.decided])
        self.take(self.tab.apply(SimpleNamespace(_data=data), *values))
        self.score()

    def list_values(self, components):
        return [self.values[component] for component in components]

    def take(self, answer):
        """Put the values of an answer into the fields."""
        for component, value in answer.items():
            is_update = isinstance(value, dict) and "__type__" in value
            if not is_update:
                self.values[component] = value
            elif "value" in value:
                self.values[component] = value["value"]


@cache
def find_events():
    """Return the event that scores, and the one that describes uploads."""
    demo = importlib.import_module("space.page").build_demo()
    events = [event for event in demo.fns.values() if event.fn]
    scoring = next(event for event in events if event.name == "show_score")
    columns = scoring.fn.__self__.sources.system_columns
    return scoring, next(event for event in events if columns in event.outputs)


def list_buttons(page):
    """Return the text of each button with its data, as the browser sends them."""
    return [
        (text, {name: unescape(value) for name, value in re.findall('data-([a-z]+)="(.*?)"', data)})
        for data, text in re.findall('<button type="button" class="bleu-button"(.*?)>(.*?)<', page)
    ]


def list_found(visit, words):
    """Return the ticks of findings in some words."""
    items = re.findall('<li class="no">.*?</li>', visit.read("ticks"))
    return [item for item in items if words in item]


@pytest.mark.filterwarnings("ignore")  # the page says them
@pytest.mark.parametrize("name", UPLOADS)
def test_an_upload_that_misleads_is_told_and_has_the_right_score_after_the_fix(
    bleu, tmp_path, name
):
    system, references, found, button, waits = UPLOADS[name]
    visit = Visit()
    for role, file, lines in (("systems", "mt", system), ("references", "ref", references)):
        path = tmp_path / f"{file}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        visit.upload(role, path)
    assert visit.score() == ""
    assert len(list_found(visit, found)) == 1
    assert visit.read("summary").count('class="bleu-undecided"') == waits
    if not button:
        assert 'class="bleu-doubtful"' in visit.read("summary")
        (first_copied, *_) = re.findall('data-copy="(.*?)"', visit.read("summary"))
        assert found in first_copied
        return
    visit.press(button, visit.read("summary" if waits else "ticks"))
    assert ", your choice<" in visit.read("ticks")
    assert list_found(visit, found) == []
    (predictions, meant), options = MEANT.get(name, (RIGHT, {}))
    right = bleu.compute(predictions=predictions, references=meant, **options)["score"]
    (score, *_) = re.findall("<strong>(.*?)</strong>", visit.read("summary"))
    assert score == f"{right:.2f}"


WRONG = {
    "latin-1": ("a.txt", "na\nnaïve\n".encode("latin-1"), "a.txt is not in UTF-8 (line 2, byte 0xEF). Save it as UTF-8."),
    "empty": ("a.txt", b"", "a.txt is empty. Upload another file."),
    "text that is Parquet": ("a.txt", b"PAR1....PAR1", "a.txt is a Parquet file. Export it as text, CSV, TSV or JSONL."),
    "text that is Excel": ("a.csv", b"PK\x03\x04....", "a.csv is a ZIP file. Export it as text, CSV, TSV or JSONL."),
    "Parquet": ("a.parquet", b"PAR1....PAR1", "a.parquet: Parquet is not accepted. Upload text, CSV, TSV or JSONL."),
    "JSONL that is text": ("a.jsonl", b'{"prediction": "a"}\nb\n', "a.jsonl, line 2 is not JSON"),
    "JSON": ("a.json", b'[{"prediction": "a"}]', "a.json: JSON is accepted as JSONL only, one object per line."),
    "JSONL without keys": ("a.jsonl", b"{}\n{}\n", "a.jsonl, line 1: expected an object such as"),
    "JSONL, too deep": ("a.jsonl", b'{"p": ' + b"[" * 100_000, "a.jsonl, line 1 has a number that is too large, or is nested too deeply."),
    "JSONL, a huge number": ("a.jsonl", b'{"p": ' + b"9" * 9000 + b"}", "a.jsonl, line 1 has a number that is too large, or is nested too deeply."),
    "JSONL with other keys": ("a.jsonl", b'{"p": "a"}\n{"q": "a"}\n', "a.jsonl, line 2 has other keys than line 1."),
    "CSV with a cell too many": ("a.csv", b"x,y\n1,2\n1,2,3\n", "a.csv: line 3 has 3 cells, and line 1 has 2."),
    "a line too long": ("a.txt", b"a" * 500_000, "a.txt has a line of over 400,000 bytes"),
    "too many lines": ("a.txt", b"\n" * 100_002, "a.txt has more than 100,000 lines"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_cannot_be_read_is_refused_at_once(tmp_path, name):
    """Beside its field, with what to do about it; and no result of it."""
    file, data, message = WRONG[name]
    (tmp_path / file).write_bytes(data)
    visit = Visit()
    note = visit.upload("systems", tmp_path / file)
    assert message in note
    assert not re.search(r"Traceback|Error|/tmp|\.py|pyarrow", note)
    assert visit.score() == f"{file} can’t be read. The message at Systems says why."
