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
from types import SimpleNamespace

import mistakes
import pytest
from helpers import run_apart

gradio = pytest.importorskip("gradio")

pytestmark = pytest.mark.usefixtures("space_can_be_imported")


def write_files(folder, uploads):
    """Write files of bytes or text, each in a folder of its own, and return their paths."""
    paths = []
    for number, (name, data) in enumerate(uploads):
        (folder / f"{number}").mkdir(exist_ok=True)
        path = folder / f"{number}" / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        paths.append(str(path))
    return paths


def submit(folder, uploads, roles=(), readings=(), **chosen):
    """Return the submission of files, or the message of the error.

    `roles` and `readings` are what a visitor chooses, a dict or None per file.
    """
    files = importlib.import_module("space.files")
    paths = write_files(folder, uploads)
    for kind, values in (("roles", roles), ("readings", readings)):
        chosen[kind] = {path: value for path, value in zip(paths, values) if value}
    try:
        return files.read_submission([files.FROM_FILES, paths, chosen, "", "", ""])
    except ValueError as error:
        return str(error)


def list_roles(folder, uploads):
    """Return the roles of all columns, and what is missing."""
    files = importlib.import_module("space.files")
    read = files.read_files(write_files(folder, uploads))
    assert not read.problems
    roles = [(column.name, column.role) for upload in read.uploads for column in upload.columns]
    return roles, tuple(read.missing)


def read_problem(folder, name, data):
    """Return what the line of a file that can't be read says."""
    files = importlib.import_module("space.files")
    (problem,) = files.read_files(write_files(folder, [(name, data)])).problems.values()
    return problem


CANNOT_BE_READ = "{} can’t be read: see the line of the file. Remove it, or upload another."
LINES = b"a b\n" * 100_000
PART = "Upload a part of it, or use the metric in Python (see About)."


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([("a.txt", (b"a" * 99_999 + b"\n") * 100)] * 3, f"The files have 30 MB together; the limit is 25. {PART}"),
        ([("a.txt", LINES)] * 5 + [("ref.txt", LINES)], f"The files have 600,000 texts; the limit is 500,000. {PART}"),
        ([("a.txt", b"a b\n"), ("ref.csv", b",".join(b"ref%d" % i for i in range(21)) + b"\n" + b"a b," * 20 + b"a b\n")], "There are 21 references; the limit is 20."),
        ([*[("a.txt", b"a b\n")] * 31, ("ref.txt", b"a b\n")], "There are 31 systems; the limit is 30."),
        ([("a.txt", b"a b\n"), ("ref.csv", b"x,y\n" + b"," * 2_100_000)], "ref.csv has more than 2,000,000 cells or values. Leave out columns, or upload a part of it."),
        ([("a.txt", b"a b\n"), ("ref.tsv", b"\t" * 50 + b"\n" + (b"a" + b"\t" * 50 + b"\n") * 41_000)], "ref.tsv has more than 2,000,000 cells or values. Leave out columns, or upload a part of it."),
        ([("a.txt", b"a b\n"), ("ref.jsonl", (b'{"r": [' + b"[]," * 100_000 + b"[]]}\n") * 20)], "ref.jsonl has more than 2,000,000 cells or values. Leave out columns, or upload a part of it."),
        ([("a.txt", b"a b\n"), ("ref.jsonl", b'{"r": [' + b"[]," * 100_000 + b"[]]}\n")], "ref.jsonl, line 1: expected a text or up to 20 texts."),
        ([("a.txt", b"a b\n"), ("ref.jsonl", b'{"r": [[]]}\n')], "ref.jsonl, line 1: expected a text or up to 20 texts."),
    ],
)  # fmt: skip
def test_the_total_of_a_request_is_limited_before_it_is_parsed(tmp_path, files, message):
    answer = submit(tmp_path, files)
    if answer.startswith("ref.") and "can’t be read" in answer:
        answer = read_problem(tmp_path, *files[-1])
    assert answer == message


@pytest.mark.parametrize("origin", ["a.txt", "r.txt"])
def test_texts_without_a_word_have_no_score(tmp_path, origin):
    """200 empty lines, in a file or in a column, or pasted."""
    files = importlib.import_module("space.files")
    texts = {"a.txt": "a b\n" * 200, "r.txt": "a b\n" * 200, origin: "\n" * 200}
    roles = [{"": "systems"}, {"": "references"}]
    assert submit(tmp_path, texts.items(), roles) == CANNOT_BE_READ.format(origin)
    assert (
        read_problem(tmp_path, origin, "\n" * 200) == f"{origin} has no text. Upload another file."
    )
    column = "".join(f"{line},\n" for line in ["a b"] * 9)
    told = submit(tmp_path, [("a.csv", f"mt,ref\n{column}")])
    assert told == "The references have no text: all lines are empty."
    pasted = [files.FROM_TEXT, None, None, " \n \n", "", "a b"]
    with pytest.raises(ValueError, match=r"^The systems are missing"):
        files.read_submission(pasted)


# --- Roles ----------------------------------------------------------------------------------------

TEXT = ["a b c d", "e f g h", "i j k l"]


def join_lines(lines):
    return "".join(f"{line}\n" for line in lines)


def make_table(separator, **columns):
    rows = [separator.join(row) for row in zip(*columns.values())]
    return join_lines([separator.join(columns), *rows])


ROLES = {
    "names of columns": (
        [("a.tsv", make_table("\t", doc=["d1", "d1", "d2"], domain=["x", "x", "y"], src=TEXT, refA=TEXT, mt=TEXT, score=["1", "2", "3"]))],
        [("doc", "documents"), ("domain", "labels"), ("src", ""), ("refA", "references"), ("a", "systems"), ("score", "")],
    ),
    "all other texts are systems": (
        [("a.csv", make_table(",", reference=TEXT, A=TEXT, B=TEXT))],
        [("reference", "references"), ("A", "systems"), ("B", "systems")],
    ),
    "a table with a system that is named so": (
        [("a.csv", make_table(",", expected=TEXT, response=TEXT, comment=TEXT))],
        [("expected", "references"), ("a", "systems"), ("comment", "")],
    ),
    "heads in other languages": (
        [("a.csv", make_table(";", Quelle=TEXT, Übersetzung=TEXT, Référence=TEXT))],
        [("Quelle", ""), ("a", "systems"), ("Référence", "references")],
    ),
    "names of files": (
        [("newstest2021.de-en.src.de", join_lines(TEXT)), ("newstest2021.de-en.ref.A.en", join_lines(TEXT)), ("newstest2021.de-en.hyp.Online-A.en", join_lines(TEXT))],
        [("newstest2021.de-en.src", ""), ("newstest2021.de-en.ref.A", "references"), ("newstest2021.de-en.hyp.Online-A", "systems")],
    ),
    "names of files whose last part tells": (
        [("test.hyp", join_lines(TEXT)), ("test.ref", join_lines(TEXT))],
        [("test", "systems"), ("test", "references")],
    ),
    "one text beside a system": (
        [("mt.txt", join_lines(TEXT)), ("human.txt", join_lines(TEXT))],
        [("mt", "systems"), ("human", "references")],
    ),
    "what a human wrote": (
        [("human_translation.txt", join_lines(TEXT)), ("nllb.txt", join_lines(TEXT))],
        [("human_translation", "references"), ("nllb", "systems")],
    ),
    "a file of references whose column is called like a system": (
        [("a.csv", make_table(",", id=["1", "2", "3"], translation=TEXT)), ("refs.csv", make_table(",", id=["1", "2", "3"], translation=TEXT[::-1]))],
        [("id", ""), ("a", "systems"), ("id", ""), ("translation", "references")],
    ),
    "a system in each row": (
        [("a.csv", make_table(",", model=["X", "X", "Y"], engine=["A", "A", "A"], mt=TEXT, ref=TEXT))],
        [("model", "labels"), ("engine", ""), ("a", "systems"), ("ref", "references")],
    ),
    "what people say about texts": (
        [("a.csv", make_table(",", ref=TEXT, nllb=TEXT, Comments=TEXT, explanation=TEXT))],
        [("ref", "references"), ("a", "systems"), ("Comments", ""), ("explanation", "")],
    ),
    "heads in Chinese": (
        [("a.csv", make_table(",", 原文=TEXT, 标准答案=TEXT, 模型输出=TEXT))],
        [("原文", ""), ("标准答案", "references"), ("a", "systems")],
    ),
    "heads in Japanese": (
        [("a.csv", make_table(",", 原文=TEXT, 参考訳=TEXT, 出力=TEXT))],
        [("原文", ""), ("参考訳", "references"), ("a", "systems")],
    ),
    "labels beside texts": (
        [("mt.txt", join_lines(TEXT)), ("ref.txt", join_lines(TEXT)), ("docs.tsv", make_table("\t", domain=["x", "x", "y"], doc=["d1", "d1", "d2"]))],
        [("mt", "systems"), ("ref", "references"), ("domain", "labels"), ("doc", "documents")],
    ),
    "documents without a head": (
        [("mt.txt", join_lines(TEXT)), ("ref.txt", join_lines(TEXT)), ("docs.txt", "doc1\ndoc1\ndoc2\n")],
        [("mt", "systems"), ("ref", "references"), ("docs", "documents")],
    ),
    "groups and documents without a head": (
        [("mt.txt", join_lines(TEXT)), ("ref.txt", join_lines(TEXT)), ("docs.tsv", "news\tdoc1\nnews\tdoc1\nchat\tdoc2\n")],
        [("mt", "systems"), ("ref", "references"), ("column 1", "labels"), ("column 2", "documents")],
    ),
    "words that are the same on each line": (
        [("requests.jsonl", join_lines(json.dumps({"custom_id": f"request-{n}", "method": "POST", "url": "/v1/chat"}) for n in range(3))), ("mt.txt", join_lines(TEXT)), ("ref.txt", join_lines(TEXT))],
        [("custom_id", ""), ("method", ""), ("url", ""), ("mt", "systems"), ("ref", "references")],
    ),
    "ids": (
        [("out.jsonl", join_lines(json.dumps({"custom_id": f"request-{n}", "answer": text}) for n, text in enumerate(TEXT))), ("ref.txt", join_lines(TEXT))],
        [("custom_id", ""), ("out", "systems"), ("ref", "references")],
    ),
    "a file beside its reference, whatever is in it": (
        [("out.txt", "a%20b%20c\nd%20e\nd%20e\n"), ("ref.txt", join_lines(TEXT))],
        [("out", "systems"), ("ref", "references")],
    ),
    "names of files that end in a role": (
        [("flat_out.txt", join_lines(TEXT)), ("flat_ref.txt", join_lines(TEXT)), ("human-reference.txt", join_lines(TEXT))],
        [("flat_out", "systems"), ("flat_ref", "references"), ("human-reference", "references")],
    ),
    "answers of one word": (
        [("a.csv", make_table(",", prediction=["yes", "no", "no"], label=["yes", "yes", "no"]))],
        [("a", "systems"), ("label", "references")],
    ),
}  # fmt: skip


def make_samples(texts, *, filters=("none",), is_old=False):
    """Return a log of samples as lm-evaluation-harness writes it; an old one has no `arg_0`."""
    rows = []
    for number, text in enumerate(texts):
        prompt = f"Translate: Satz {number}. {text}"
        given = [[prompt, {"until": ["\n"]}]]
        if not is_old:
            given = {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": ["\n"]}}}
        doc = {"source": f"Satz {number}.", "target": text, "domain": "news"}
        row = {"doc_id": number, "doc": doc, "target": f" {text}", "arguments": given}
        row |= {"resps": [[f"{text}\n\nNext"]], "metrics": ["bleu"], "bleu": [[text], [text]]}
        for name in filters:
            answer = text if name == filters[0] else f"{text} {name}"
            rows.append({**row, "filter": name, "filtered_resps": [answer], "doc_hash": "ab12"})
            if is_old:
                del rows[-1]["filtered_resps"]
    return join_lines(map(json.dumps, rows))


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_samples_of_language_models_are_answers_and_targets(tmp_path, suffix):
    """The log of lm-evaluation-harness: neither prompts nor documents are systems."""
    samples = make_samples(TEXT)
    if suffix == "json":
        samples = json.dumps([json.loads(line) for line in samples.splitlines()])
    answer = submit(tmp_path, [(f"samples_wmt.{suffix}", samples)])
    assert answer.systems == {"samples_wmt": TEXT}
    assert answer.references == [[f" {text}"] for text in TEXT]
    assert (answer.labels, answer.documents) == (None, None)
    models = [("A.jsonl", make_samples(TEXT)), ("B.jsonl", make_samples(TEXT, filters="B"))]
    models[1] = ("B.jsonl", models[1][1].replace('["a b c d"]', '["a b d c"]'))
    assert list(submit(tmp_path, models).systems) == ["A", "B"]
    assert {len(row) for row in submit(tmp_path, models).references} == {1}
    several = submit(tmp_path, [("a.jsonl", make_samples(TEXT, filters=("strict", "all")))])
    assert several.systems == {"strict": TEXT, "all": [f"{text} all" for text in TEXT]}
    old = submit(tmp_path, [("a.jsonl", make_samples(TEXT, is_old=True))])
    assert old.systems == {"a": [f"{text}\n\nNext" for text in TEXT]}


@pytest.mark.parametrize("name", ROLES)
def test_roles_are_told_by_names_and_contents(tmp_path, name):
    uploads, expected = ROLES[name]
    roles, missing = list_roles(tmp_path, uploads)
    assert roles == expected
    assert missing == ("", False)


@pytest.mark.parametrize(
    ("names", "references"),
    [
        (["domain", "doc", "refA", "GPT-4"], ["refA"]),  # as in the files of WMT
        (["ref_b", "ref-C", "refs", "ONLINE-B"], ["ref_b", "ref-C", "refs"]),
        (["tgt.de", "mt.de"], ["tgt.de"]),
        (["RefA", "REF", "refb", "humanReference", "OnlineA"], ["RefA", "REF", "refb", "humanReference"]),
        (["target-finetuned", "ref-tuned", "gold-mix", "reference"], ["reference"]),
        (["preference", "prefA", "reform", "goldenMT"], []),
    ],
)  # fmt: skip
def test_columns_of_references_are_known_by_their_whole_names(names, references):
    find_role = importlib.import_module("space.roles").find_role
    assert [name for name in names if find_role(name) == "references"] == references


ASKED = {
    "a pair of languages": (
        [("a.jsonl", '{"translation": {"en": "a b", "de": "c d"}, "pred": "a d"}\n')],
        "references",
        True,
    ),
    "two files": ([("a.txt", "a b\n"), ("b.txt", "a c\n")], "references", True),
    "two columns": ([("a.tsv", "x\ty\na b\ta c\na b\ta c\n")], "references", True),
    "a system alone": ([("a.txt", "a b\n")], "references", False),
    "a reference alone": ([("ref.txt", "a b\n")], "systems", False),
    "two references": ([("ref.txt", "a b\n"), ("target.txt", "a b\n")], "systems", True),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_nothing_tells_is_asked(tmp_path, name):
    uploads, role, can_be_chosen = ASKED[name]
    _, missing = list_roles(tmp_path, uploads)
    assert missing == (role, can_be_chosen)
    question = submit(tmp_path, uploads)
    one = role.removesuffix("s")
    told = f"Which text is the {one}?" if can_be_chosen else f"The {role} are missing."
    assert question.startswith(told)


def test_a_chosen_reference_makes_the_others_systems(tmp_path):
    uploads = [("a.txt", "a b\n"), ("b.txt", "a c\n"), ("c.txt", "a d\n")]
    answer = submit(tmp_path, uploads, [None, {"": "references"}])
    assert (answer.systems, answer.references) == ({"a": ["a b"], "c": ["a d"]}, [["a c"]])
    answer = submit(tmp_path, uploads, [{"": ""}, {"": "references"}])
    assert list(answer.systems) == ["c"]


ORGANIZERS = {
    "organizer.tsv": "domain\tdoc\treference\tsystem 1\tOnline-B\nnews\td1\ta b c d\ta b c e\ta x c d\nchat\td2\te f g h\te f g i\te y g h\n",
    "organizer.csv": 'Domain,doc_id,ref.A,ref.B,src,Facebook-AI,HuaweiTSC,chars\n"news, local",1,a b,b a,x y,a c,b c,3\nchat,1,e f,f e,z,e g,f g,3\n',
    "organizer.jsonl": '{"lp": "en-is", "docid": "d", "id": 1, "reference": ["a b", "b c"], "Mideind": "a b", "Allegro.eu": "c d"}\n',
}


@pytest.mark.parametrize("name", ORGANIZERS)
def test_an_organizers_table_works_at_once(tmp_path, name):
    found = submit(tmp_path, [(name, ORGANIZERS[name])])
    assert found[:4] == {
        "organizer.tsv": ({"system 1": ["a b c e", "e f g i"], "Online-B": ["a x c d", "e y g h"]}, [["a b c d"], ["e f g h"]], ["news", "chat"], ["d1", "d2"]),
        "organizer.csv": ({"Facebook-AI": ["a c", "e g"], "HuaweiTSC": ["b c", "f g"]}, [["a b", "b a"], ["e f", "f e"]], ["news, local", "chat"], ["1", "1"]),
        "organizer.jsonl": ({"Mideind": ["a b"], "Allegro.eu": ["c d"]}, [["a b", "b c"]], ["en-is"], ["d"]),
    }[name]  # fmt: skip


def test_groups_are_limited_and_can_be_left_out(tmp_path):
    table = ("a.tsv", "mt\tdomain\ta\n" + "".join(f"a b c\td{i}\tx\n" for i in range(101)))
    uploads = [table, ("ref.txt", "a b c\n" * 101)]
    told = "The column of groups has 101 different labels; the limit is 100."
    assert submit(tmp_path, uploads) == told
    assert submit(tmp_path, uploads, [{"domain": ""}]).labels is None
    assert submit(tmp_path, uploads, [{"domain": "", "a": "labels"}]).labels == ["x"] * 101


# --- Ids and numbers of lines ---------------------------------------------------------------------


def test_tables_in_another_order_are_joined_by_their_ids(tmp_path):
    system = "id\tmt\n" + "".join(f"{row}\tsystem {row}\n" for row in (3, 1, 2))
    reference = "id\tref\n" + "".join(f"{row}\treference {row}\n" for row in (1, 2, 3))
    answer = submit(tmp_path, [("system.tsv", system), ("refs.tsv", reference)])
    assert list(answer.systems.values()) == [["system 1", "system 2", "system 3"]]
    assert answer.remarks == ["lines joined by their ids"]
    other = system.replace("3\tsystem 3", "9\tsystem 9")
    answer = submit(tmp_path, [("system.tsv", other), ("refs.tsv", reference)])
    assert answer.references == [["reference 1"], ["reference 2"]]
    assert answer.remarks == ["lines joined by their ids, 2 of 3 are in all files"]
    same = reference.replace("ref\n", "mt\n")
    assert submit(tmp_path, [("system.tsv", same), ("refs.tsv", reference)]).remarks == []


@pytest.mark.parametrize("line", ["a b " * 90_000, "a\tb " * 70_000])
def test_a_long_line_is_not_searched_for_names(tmp_path, line):
    """Each word beside each other one would take an hour."""
    path = tmp_path / "a.txt"
    path.write_text(line)
    forms = importlib.import_module("space.forms")
    assert forms.read_table(str(path)).columns == {"": [line]}
    path.write_text("hyp\t" * 90_000)
    with pytest.raises(forms.limits.RejectedError, match="columns"):
        forms.read_table(str(path))


def test_numbers_in_json_are_ids(tmp_path):
    """As in tables, whose cells are texts."""
    uploads = [
        (f"{name}.jsonl", join_lines(json.dumps({"id": row, name: TEXT[row]}) for row in rows))
        for name, rows in (("mt", (2, 0, 1)), ("ref", (0, 1, 2)))
    ]
    answer = submit(tmp_path, uploads)
    assert (answer.systems, answer.remarks) == ({"mt": TEXT}, ["lines joined by their ids"])
    told = read_problem(tmp_path, "a.json", '[{"id": 1, "bleu": 0.5}]')
    assert told.startswith("a.json has no texts.")


@pytest.mark.parametrize("table", ["system", "references"])
def test_groups_and_documents_are_joined_with_their_rows(tmp_path, table):
    rows = {"system": (3, 1, 2), "references": (1, 2, 3)}
    uploads = []
    for name, text in (("system", "mt"), ("references", "ref")):
        further = "\tdomain\tdoc" if name == table else ""
        lines = [f"id\t{text}{further}"]
        for row in rows[name]:
            cells = f"\tdomain {row}\tdoc {row}" if name == table else ""
            lines.append(f"{row}\t{name} {row}{cells}")
        uploads.append((f"{name}.tsv", join_lines(lines)))
    joined = submit(tmp_path, uploads)
    assert joined.references == [["references 1"], ["references 2"], ["references 3"]]
    assert joined.labels == ["domain 1", "domain 2", "domain 3"]
    assert joined.documents == ["doc 1", "doc 2", "doc 3"]


def test_unequal_numbers_of_lines_can_be_cut_or_filled_up(tmp_path):
    uploads = [("mt.txt", "a b\nc d\n"), ("ref.txt", "a b\nc e\nf g\n")]
    assert submit(tmp_path, uploads).startswith("mt has 2 lines, and there are references for 3.")
    answer = submit(tmp_path, uploads, lengths={"how": "cut", "lines": [2, 3]})
    assert (answer.references, answer.remarks) == (
        [["a b"], ["c e"]],
        ["only the first 2 of 3 lines"],
    )
    answer = submit(tmp_path, uploads, lengths={"how": "pad", "lines": [2, 3]})
    assert answer.systems == {"mt": ["a b", "c d", ""]}
    assert answer.remarks == ["mt: 1 missing line counted as empty"]
    # The choice is for these numbers.
    other = submit(tmp_path, uploads, lengths={"how": "cut", "lines": [1, 3]})
    assert other.startswith("mt has 2 lines")


def test_two_files_of_one_name_stay_apart(tmp_path):
    uploads = [("mt.txt", "a b\n"), ("mt.txt", "c d\n"), ("mt.txt", "e f\n"), ("ref.txt", "x y\n")]
    answer = submit(tmp_path, uploads)
    assert answer.systems == {"mt": ["a b"], "mt (2)": ["c d"], "mt (3)": ["e f"]}


def test_a_file_that_is_added_twice_may_be_a_system_and_its_reference(tmp_path):
    """Files of the same name and content have the same path, and a choice for each."""
    files, sources = (importlib.import_module(f"space.{name}") for name in ("files", "sources"))
    paths = 2 * write_files(tmp_path, [("mt.txt", "a b\n")])
    rendered = sources.render_files(files.read_files(paths), paths)
    first, second = re.findall('data-path="(.*?)" data-field="role"', rendered)
    chosen = {"roles": {second: {"": "references"}}}
    kept, read, _ = show_files(tmp_path, [], chosen, paths)
    assert re.findall('value="([a-z]*)" selected', read) == ["systems", "references"]
    answer = files.read_submission([files.FROM_FILES, paths, kept, "", "", ""])
    assert (answer.systems, answer.references) == ({"mt": ["a b"]}, [["a b"]])
    assert first == paths[0]


def test_a_table_that_is_added_twice_counts_once(tmp_path):
    """Its second copy has the same systems and references, which are not used unless they are chosen."""
    files = importlib.import_module("space.files")
    table = write_files(tmp_path, [("corpus.csv", "id,prediction,reference\n1,a b,a c\n2,d,d\n")])
    once, twice = (
        files.read_submission([files.FROM_FILES, count * table, {}, "", "", ""]) for count in (1, 2)
    )
    assert (twice.systems, twice.references) == ({"corpus": ["a b", "d"]}, [["a c"], ["d"]])
    assert twice == once
    chosen = files.read_chosen({"roles": {f"2/{table[0]}": {"prediction": "references"}}})
    uploads = files.read_files(2 * table, chosen).uploads
    assert [column.role for column in uploads[1].columns] == ["", "references", ""]


REPEATED = {
    "a table and a text file": [("a.csv", make_table(",", mt=TEXT, ref=TEXT[::-1])), ("refs.txt", join_lines(TEXT[::-1]))],
    "a text file and a table": [("refs.txt", join_lines(TEXT[::-1])), ("a.csv", make_table(",", mt=TEXT, ref=TEXT[::-1]))],
    "columns of other names": [("a.csv", make_table(",", mt=TEXT, ref=TEXT[::-1])), ("b.csv", make_table(",", mt=TEXT, reference=TEXT[::-1]))],
    "another order": [("a.csv", make_table(",", id="123", mt=TEXT, ref=TEXT[::-1])), ("b.csv", make_table(",", id="321", mt=TEXT, ref=TEXT))],
}  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_a_reference_in_several_files_counts_once(tmp_path, name):
    """A signature has the number of references."""
    assert submit(tmp_path, REPEATED[name]).references == [[text] for text in TEXT[::-1]]


# --- Forms ----------------------------------------------------------------------------------------


def write_set(kind, name, texts, documents=("d1", "d1", "d2")):
    """Return a set of WMT in SGML, whose texts aren't escaped as in XML."""
    lines = [f'<{kind} setid="t" srclang="any" trglang="en">']
    for document in dict.fromkeys(documents):
        lines.append(f'<doc sysid="{name}" docid="{document}" genre="news">\n<p>')
        own = [text for text, place in zip(texts, documents) if place == document]
        lines += [f'<seg id="{number}"> {text} </seg>' for number, text in enumerate(own, 1)]
        lines.append("</p>\n</doc>")
    return join_lines([*lines, f"</{kind}>"])


SEGMENTS = ["AT&T & I said &quot;no&quot;.", "Two\nlines.", "A < B."]
SEGMENT_TEXTS = ['AT&T & I said "no".', "Two lines.", "A < B."]


def test_wmts_sgml_has_its_segments_and_nothing_else(bleu, tmp_path):
    """As in `sacrebleu`, which is asked for the score of the texts."""
    sacrebleu = pytest.importorskip("sacrebleu")
    systems = [text.replace("said", "say") for text in REFERENCES[:90]]
    documents = [f"d{row // 7}" for row in range(90)]
    uploads = [
        ("newstest-src.de.sgm", write_set("srcset", "src", systems, documents)),
        ("newstest-ref.en.sgm", write_set("refset", "ref", REFERENCES[:90], documents)),
        ("newstest.Online-A.sgm", write_set("tstset", "Online-A", systems, documents)),
    ]
    answer = submit(tmp_path, uploads)
    assert answer.systems == {"Online-A": systems}
    assert answer.documents == documents
    (texts,) = answer.systems.values()
    expected = sacrebleu.corpus_bleu(systems, [REFERENCES[:90]]).score
    score = bleu.compute(predictions=texts, references=answer.references)["score"]
    assert score == pytest.approx(expected)


def test_wmts_sgml_may_be_pasted():
    files = importlib.import_module("space.files")
    pasted = [write_set("tstset", "A", SEGMENTS), "", write_set("refset", "ref", SEGMENTS)]
    answer = files.read_submission([files.FROM_TEXT, None, None, *pasted])
    assert answer.systems == {"System": SEGMENT_TEXTS}
    assert answer.references == [[text] for text in SEGMENT_TEXTS]


def write_wmt_xml(lacks=()):
    """Return a test set as WMT has it since 2021: documents with sources, references and systems."""
    parts = ["<?xml version='1.0' encoding='utf-8'?>", '<dataset id="t"><collection id="general">']
    for document, texts in (("d1", TEXT[:2]), ("d2", TEXT[2:])):
        parts.append(f'<doc origlang="de" id="{document}" domain="news">')
        for head in (
            'src lang="de"',
            'ref lang="en" translator="A"',
            'ref lang="en" translator="B"',
            'hyp lang="en" system="LT22"',
            'hyp lang="en" system="Online-B"',
        ):
            if (document, head) in lacks:
                continue
            segments = "".join(
                f'<seg id="{n}">{head[-2]} {t}</seg>' for n, t in enumerate(texts, 1)
            )
            parts.append(f"<{head}><p>{segments}</p></{head[:3]}>")
        parts.append("</doc>")
    return "".join([*parts, "</collection></dataset>"])


def test_wmts_xml_has_systems_references_documents_and_domains(tmp_path):
    answer = submit(tmp_path, [("all.xml", write_wmt_xml())])
    assert answer.systems == {
        "LT22": [f"2 {t}" for t in TEXT],
        "Online-B": [f"B {t}" for t in TEXT],
    }
    assert answer.references == [[f"A {t}", f"B {t}"] for t in TEXT]
    assert answer.documents == ["d1", "d1", "d2"]
    assert answer.labels == ["news"] * 3


def test_in_wmts_xml_segments_without_references_do_not_count(tmp_path):
    lacks = {("d2", 'ref lang="en" translator="A"'), ("d2", 'ref lang="en" translator="B"')}
    answer = submit(tmp_path, [("all.xml", write_wmt_xml(lacks))])
    assert answer.references == [[f"A {t}", f"B {t}"] for t in TEXT[:2]]
    # Nor does a system that lacks some.
    answer = submit(tmp_path, [("all.xml", write_wmt_xml({("d1", 'hyp lang="en" system="LT22"')}))])
    assert list(answer.systems) == ["Online-B"]


def element(tag, content, **attributes):
    """Return an element of XML, without attributes that are None."""
    given = "".join(f' {key}="{value}"' for key, value in attributes.items() if value is not None)
    return f"<{tag}{given}>{content}</{tag}>"


def write_places(form, documents, sets):
    """Return a test set in WMT's XML or SGML.

    documents: for each document its id, and the numbers of its segments; None for no attribute.
    sets: the tags of its sets, and their names.
    """

    def write_segments(place, order):
        return "".join(
            element("seg", f"{sets[order][0]} {order} of {place} {row}", id=number)
            for row, number in enumerate(documents[place][1])
        )

    places, orders = range(len(documents)), range(len(sets))
    if form == "xml":
        content = "".join(
            element(
                "doc",
                "".join(
                    element(sets[order][0], write_segments(place, order), system=sets[order][1])
                    for order in orders
                ),
                id=documents[place][0],
            )
            for place in places
        )
        return f"<?xml version='1.0'?>{element('dataset', content)}"
    tags = {"src": "srcset", "ref": "refset", "hyp": "tstset"}
    return "".join(
        element(
            tags[sets[order][0]],
            "".join(
                element("doc", write_segments(place, order), docid=documents[place][0])
                for place in places
            ),
            sysid=sets[order][1],
        )
        for order in orders
    )


REF, HYP = ("ref", "A"), ("hyp", "S")
# Documents and sets, and the number of documents that are read, or the problem.
SHARED_PLACES = {
    "documents without ids": ([(None, [1, 2]), (None, [1, 2])], [REF, HYP], 2),
    "documents without ids, segments without numbers": ([(None, [None] * 2)] * 2, [REF, HYP], 2),
    "one of them with an id": ([("d", [1, 2]), (None, [1, 2])], [REF, HYP], 2),
    "one id twice": ([("d", [1, 2]), ("d", [1])], [REF, HYP], "ref A"),
    "numbers begin again": ([("d", [1, 2, 1])], [REF, HYP], "ref A"),
    "references without ids": ([("d", [1])], [("ref", None), ("ref", None), HYP], "ref"),
    "and without numbers": ([("d", [None])], [("ref", None), ("ref", None), HYP], "ref"),
    "references with one id": ([("d", [1])], [REF, REF, HYP], "ref A"),
    "outputs of one system": ([("d", [1])], [REF, HYP, HYP], "S"),
    "a system like a reference": ([("d", [1])], [REF, ("hyp", "ref A")], "ref A"),
    "a system like the source": ([("d", [1])], [REF, ("hyp", "source"), ("src", None)], "source"),
}  # fmt: skip


@pytest.mark.parametrize("form", ["xml", "sgm"])
@pytest.mark.parametrize(
    ("documents", "sets", "expected"), SHARED_PLACES.values(), ids=SHARED_PLACES
)
def test_no_segment_of_wmt_replaces_another(tmp_path, form, documents, sets, expected):
    """All segments are read, or the first one whose place is taken is named."""
    text = write_places(form, documents, sets)
    if isinstance(expected, str):
        problem = read_problem(tmp_path, f"a.{form}", text)
        assert problem.startswith(f"a.{form}: document d has segment 1 of {expected} twice. Give ")
        return
    answer = submit(tmp_path, [(f"a.{form}", text)])
    rows = [f"{place} {row}" for place, (_, ids) in enumerate(documents) for row in range(len(ids))]
    assert answer.systems == {"S": [f"hyp 1 of {row}" for row in rows]}
    assert answer.references == [[f"ref 0 of {row}"] for row in rows]
    assert len(set(answer.documents)) == expected


def test_a_set_of_wmt_may_have_parts(tmp_path):
    """Systems within documents, as in NIST's files, and a set in two elements."""
    sets = {
        tag: "".join(
            element("doc", "".join(element("seg", f"{name} {n}", id=n) for n in "12"), docid="d", sysid=name)
            for name in names
        )
        for tag, names in {"refset": ["ref1", "ref2"], "tstset": ["A", "B"]}.items()
    }  # fmt: skip
    nist = "".join(element(tag, content) for tag, content in sets.items())
    answer = submit(tmp_path, [("a.sgm", nist)])
    assert answer.systems == {name: [f"{name} 1", f"{name} 2"] for name in "AB"}
    assert answer.references == [["ref1 1", "ref2 1"], ["ref1 2", "ref2 2"]]
    parts = "".join(
        element(tag, element("seg", f"{tag} {n}", id=n)) for n in "12" for tag in ("ref", "hyp")
    )
    text = f"<?xml version='1.0'?>{element('dataset', element('doc', parts, id='d'))}"
    answer = submit(tmp_path, [("a.xml", text)])
    assert answer.references == [["ref 1"], ["ref 2"]]


def test_fairseqs_log_is_read_by_its_numbers(tmp_path):
    lines = ["2024-01-01 | INFO | fairseq_cli.generate | loading"]
    for number in (2, 0, 1):
        lines += [f"S-{number}\tq", f"T-{number}\t{TEXT[number]} r", f"H-{number}\t-0.5\tx@@ y"]
        lines += [
            f"H-{number}\t-0.7\tsecond",
            f"D-{number}\t-0.5\t{TEXT[number]}",
            f"P-{number}\t-1",
        ]
    lines.append("Generate test with beam=5: BLEU4 = 30.12, 60/40/20/10 (BP=1.000)")
    answer = submit(tmp_path, [("generate-test.txt", join_lines(lines))])
    assert answer.systems == {"generate-test": TEXT}
    assert answer.references == [[f"{text} r"] for text in TEXT]
    # Without a detokenized line, that of the hypothesis counts, the first one of each number.
    grepped = [line for line in lines if line.startswith("H-")]
    answer = submit(tmp_path, [("hyp.log", join_lines(grepped)), ("ref.txt", join_lines(TEXT))])
    assert answer.systems == {"hyp": ["x@@ y"] * 3}


def chat(text):
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


BATCH = [
    {"id": f"b{n}", "custom_id": f"request-{n}", "response": {"status_code": 200, "body": chat(TEXT[n])}, "error": None}
    for n in (2, 0, 1)
]  # fmt: skip
REFERENCE_FILE = ("ref.txt", join_lines(TEXT))
JSON_FILES = {
    "a list of objects": [("a.json", json.dumps([{"prediction": t, "reference": t} for t in TEXT], indent=1))],
    "a list in an object": [("a.json", json.dumps({"version": 1, "data": [{"mt": t, "ref": t} for t in TEXT]}))],
    "lists": [("a.json", json.dumps({"predictions": TEXT, "references": [[t] for t in TEXT], "bleu": 3}))],
    "a list of texts": [("mt.json", json.dumps(TEXT)), REFERENCE_FILE],
    "lines of texts": [("mt.jsonl", join_lines(map(json.dumps, TEXT))), REFERENCE_FILE],
    "lines in a file called .json": [("a.json", join_lines(json.dumps({"mt": t, "ref": t}) for t in TEXT))],
    "results of a batch, in another order": [("batch.jsonl", join_lines(map(json.dumps, BATCH))), REFERENCE_FILE],
    "chats": [("chat.jsonl", join_lines(json.dumps({"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": t}]}) for t in TEXT)), REFERENCE_FILE],
    "lists of one answer": [("a.jsonl", join_lines(json.dumps({"outputs": [t], "references": [t]}) for t in TEXT))],
    "keys within keys": [("a.jsonl", join_lines(json.dumps({"input": {"source": "q", "reference": t}, "output": {"mt": t}}) for t in TEXT))],
}  # fmt: skip


@pytest.mark.parametrize("name", JSON_FILES)
def test_json_is_read_in_several_forms(tmp_path, name):
    answer = submit(tmp_path, JSON_FILES[name])
    assert list(answer.systems.values()) == [TEXT]
    assert answer.references == [[text] for text in TEXT]


def test_several_answers_on_a_line_are_told(tmp_path):
    answers = [{"outputs": TEXT[: 2 - row], "reference": text} for row, text in enumerate(TEXT[:2])]
    told = submit(tmp_path, [("a.json", json.dumps(answers))])
    assert told == "a, line 1: expected one text, got 2. Keep the one that counts."


GERMAN = ["Das ist für größere Häuser.", "Ja, schön, später.", "Übrigens: naïve Gäste."]
ENCODED = {
    "Windows-1252": ("mt.txt", join_lines(GERMAN).encode("cp1252"), GERMAN, "read as Windows-1252: für, größere, Häuser"),
    "Windows-1251": ("mt.txt", "Привет, это тест.\n".encode("cp1251"), ["Привет, это тест."], "read as Windows-1251: Привет, это, тест"),
    "GB 18030": ("mt.txt", "我们用的是中文，这是一个测试。\n".encode("gb18030"), ["我们用的是中文，这是一个测试。"], "read as GB 18030: "),
    "UTF-16 without a mark": ("mt.txt", join_lines(GERMAN).encode("utf-16-le"), GERMAN, "UTF-16"),
    "a mark of UTF-8": ("mt.txt", join_lines(GERMAN).encode("utf-8-sig"), GERMAN, ""),
    "Excel's CSV": ("mt.csv", ("sep=;\r\nÜbersetzung;Wörter\r\n" + "".join(f'"{t}";3\r\n' for t in GERMAN)).encode("cp1252"), GERMAN, "read as Windows-1252: Übersetzung, Wörter, für, separated by semicolons"),
}  # fmt: skip


@pytest.mark.parametrize("name", ENCODED)
def test_encodings_are_found_and_told(tmp_path, name):
    file, data, texts, told = ENCODED[name]
    answer = submit(tmp_path, [(file, data), ("ref.txt", join_lines(texts))])
    assert list(answer.systems.values()) == [texts]
    files = importlib.import_module("space.files")
    (upload,) = files.read_files(write_files(tmp_path, [(file, data)])).uploads
    assert told in ", ".join(upload.table.remarks)


def test_another_encoding_can_be_chosen(tmp_path):
    polish = ["Zażółć gęślą jaźń.", "Idę do domu."]
    upload = ("mt.txt", join_lines(polish).encode("cp1250"))
    answer = submit(
        tmp_path, [upload, ("ref.txt", "a b\nc d\n")], readings=[{"encoding": "cp1250"}]
    )
    assert answer.systems == {"mt": polish}


HOSTILE = {
    "entities within entities": ("a.xml", '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">' + "".join(f'<!ENTITY {x} "{("&" + y + ";") * 10}">' for x, y in zip("bcdefghi", "abcdefgh")) + ']><dataset><doc><seg>&i;</seg></doc></dataset>'),
    "a file of the server": ("a.xml", '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><dataset><hyp system="a"><seg>&x;</seg></hyp></dataset>'),
    "deep XML": ("a.xml", "<?xml version='1.0'?><dataset>" + "<doc>" * 500_000),
    "deep SGML": ("a.sgm", "<refset>" + "<doc>" * 500_000),
    "deep JSON": ("a.json", "[" * 1_000_000),
    "deep JSON, closed": ("a.json", "[" * 900_000 + "]" * 900_000),
    "deep objects": ("a.json", '{"a":' * 900_000 + "1" + "}" * 900_000),
    "a huge number": ("a.json", "[" + "9" * 100_000 + "]"),
    "a huge field": ("a.csv", 'mt,ref\n"' + "x" * 5_000_000 + '",y\n'),
    "tags without a text": ("a.xml", "<note><to>x</to></note>"),
    "half a tag": ("a.sgm", "<refset " + "a" * 1_000_000),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_get_an_answer_in_words(tmp_path, name):
    file, data = HOSTILE[name]
    answer = submit(tmp_path, [(file, data), ("ref.txt", "a b\n")])
    if isinstance(answer, str):
        assert answer.startswith(file)
        answer = read_problem(tmp_path, file, data)
        assert not re.search(r"Traceback|Error|/tmp|\.py\b|lxml|pyarrow", answer)
        assert len(answer) < 300
    else:
        (texts,) = answer.systems.values()
        assert texts in ([""], ["&x;"])


SPOKEN = ['He said "no".', "tab\there", "plain", 'two\nlines "a"', '"quoted"']


def write_table(path, written_by):
    """Write a table of `SPOKEN` as pandas or Python's csv does."""
    columns = {"mt": SPOKEN, "ref": ["r s"] * len(SPOKEN)}
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
    read_table = importlib.import_module("space.forms").read_table
    path = tmp_path / "a.tsv"
    write_table(path, written_by)
    table = read_table(str(path))
    assert table.columns["mt"] == SPOKEN
    assert "quoted as by pandas; quotes removed" in table.remarks


@pytest.mark.parametrize(
    ("rows", "is_quoted"),
    [
        ('"a ""b"" c"\tr\n', True),
        ('"a ""b"" c"\tr "q" r\n', False),  # a cell that is not quoted has quotation marks
        ('"a ""b""\tr\n', False),  # a quoted cell has no end
        ('"a"\tr\n', False),  # a text in quotation marks: without two in a row, this is not certain
        ('""\t""\n', False),
        ('a "" b\tr\n', False),
        ("a\tr\n", False),
    ],
)  # fmt: skip
def test_quotation_marks_in_a_tsv_stay_unless_all_cells_with_them_are_quoted(
    tmp_path, rows, is_quoted
):
    """As for `cut`, and in the files of WMT; if the cells are quoted, they stay on request."""
    forms = importlib.import_module("space.forms")
    path = tmp_path / "a.tsv"
    path.write_text(f"mt\tref\n{rows}")
    first_cell = rows.split("\t")[0]
    for quotes in (forms.KEEP_QUOTES, ""):
        table = forms.read_table(str(path), forms.Reading(quotes=quotes))
        (cell,) = table.columns["mt"]
        assert cell == ('a "b" c' if is_quoted and not quotes else first_cell)
        assert [choice.name for choice in table.choices] == ["quotes"] * is_quoted


@pytest.mark.slow
@pytest.mark.processes
def test_quoted_cells_are_found_in_linear_time():
    """Also in 20 MB of cells that begin with a quotation mark and have no end."""
    run_apart('''
import tempfile, pathlib
from space.forms import read_table
path = pathlib.Path(tempfile.mkdtemp()) / "a.tsv"
for line in (b'"a""b' * 40 + b"\\tb", b'"a\\t' + b'"a"x' * 40, b'""x' * 60 + b"\\tb", b'"""x' * 60 + b"\\tb"):
    path.write_bytes(b"mt\\tref\\n" + (line + b"\\n") * 90_000)
    try:
        read_table(str(path))
    except ValueError:
        pass
''')


@pytest.mark.processes
def test_files_are_read_without_gradio():
    run_apart("""
sys.modules["gradio"] = None
from space.forms import split_lines
assert split_lines("a\\nb") == ["a", "b"]
""")


HEADLESS = "The cat sat on the mat.\tA cat sat on the mat.\nDogs bark at night.\tAt night dogs bark.\nIt rains.\tRain falls.\n"


def test_a_table_without_names_of_columns_is_asked_about(tmp_path):
    answer = submit(tmp_path, [("a.tsv", HEADLESS)])
    assert answer.startswith("Line 1 of a.tsv looks like the lines below it. ")
    roles = [{"column 2": "references"}]
    answer = submit(tmp_path, [("a.tsv", HEADLESS)], roles, [{"head": "texts"}])
    assert answer.references[0] == ["A cat sat on the mat."]
    assert len(answer.references) == 3
    assert len(submit(tmp_path, [("a.tsv", f"mt\tref\n{HEADLESS}")]).references) == 3


# The bytes of a file, the texts of its first column, and how the page says it read them.
READINGS = {
    "utf-16.txt": ("a\nñ\n".encode("utf-16"), ["a", "ñ"], "2 lines, UTF-16"),
    "utf-16-be.txt": (b"\xfe\xff" + "a\nñ\n".encode("utf-16-be"), ["a", "ñ"], "2 lines, UTF-16"),
    "Unicode text of Excel.txt": ("mt\tref\nñ\tb\n".encode("utf-16"), ["ñ"], "TSV, 1 line, UTF-16"),
    "tabs.txt": (b"Hypothesis\tReference\na b\tc\nd\te\n", ["a b", "d"], "TSV, 2 lines"),
    "tabs in texts.txt": (b"a\tb\nd\te\n", ["a\tb", "d\te"], "2 lines"),
    "utf-16.csv": ("mt;ref\nñ;b\n".encode("utf-16"), ["ñ"], "CSV, 1 line, UTF-16, separated by semicolons"),
    "semicolons.csv": (b"mt;ref\na, b;c\n", ["a, b"], "CSV, 1 line, separated by semicolons"),
    "one column.csv": (b"mt\na; b\n", ["a; b"], "CSV, 1 line"),
    "zip.txt.gz": (gzip.compress(b"a\nb\n"), ["a", "b"], "2 lines, unpacked"),
    "parts.txt.gz": (gzip.compress(b"a\n") + gzip.compress(b"b\n"), ["a", "b"], "2 lines, unpacked"),
    "zip.TSV.gz": (gzip.compress(b"mt\tref\na\tb\n"), ["a"], "TSV, 1 line, unpacked"),
    "zip.jsonl.gz": (gzip.compress(b'{"mt": "a"}\n'), ["a"], "JSONL, 1 line, unpacked"),
    "both.txt.gz": (gzip.compress("a\nñ\n".encode("utf-16")), ["a", "ñ"], "2 lines, unpacked, UTF-16"),
    "returns.txt": (b"one\rtwo\rthree\r", ["one", "two", "three"], "3 lines, lines end in CR"),
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
def test_a_file_is_read_and_the_page_says_how(tmp_path, name):
    files, sources = (importlib.import_module(f"space.{name}") for name in ("files", "sources"))
    data, texts, told = READINGS[name]
    paths = write_files(tmp_path, [(name, data)])
    read = files.read_files(paths)
    (upload,) = read.uploads
    assert next(iter(upload.table.columns.values())) == texts
    rendered = sources.render_files(read, paths)
    assert f"<b>{name}</b> <span>{told}</span>" in rendered


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.docx", b"PK\x03\x04..word/document.xml", "a.docx is a Word file."),
        ("a.csv", b"PK\x03\x04..xl/workbook.xml", "a.csv is an Excel file."),
        ("a.txt", b"PK\x03\x04...", "a.txt is a ZIP file."),
        ("plot.png", b"\x89PNG\r\n\x1a\n\x00", "plot.png is a picture. This page needs texts"),
        ("plot.txt", b"\xff\xd8\xff\xe0", "plot.txt is a picture."),
        ("model.bin", b"PK\x03\x04..archive/data.pkl", "model.bin is a model."),
        ("model.gguf", b"GGUF\x03\x00", "model.gguf is a model."),
        ("a.pkl", b"\x80\x04\x95", "a.pkl is a pickle of Python."),
        ("a.pdf", b"%PDF-1.7", "a.pdf is a PDF."),
        ("a.parquet", b"PAR1....PAR1", "a.parquet is a Parquet file."),
        ("a.txt", b"<!DOCTYPE html>\n<html><body>a", "a.txt is a web page."),
        ("a.txt", b"ab\x00\x01\x02\x03\xff", "a.txt is not a text file: it has zero bytes."),
        ("a.txt.gz", gzip.compress(b"a\n" * 500, mtime=0)[:-9], "a.txt.gz is damaged or incomplete. Pack it again, or upload it without packing."),
        ("a.txt.gz", gzip.compress(gzip.compress(b"a", mtime=0), mtime=0), "a.txt.gz is a gzip file within a gzip file."),
        ("a.txt", "a\n".encode("utf-16") + b"\x00", "a.txt is not in UTF-16, though it begins so. Save it as UTF-8."),
        ("a.txt", "ñ\n".encode() * 50 + b"\xef\n", "a.txt is in UTF-8, but damaged (line 51, byte 0xEF)."),
        ("a.jsonl", b'{"p": "a"}\n' * 99_999 + b"{", "a.jsonl, line 100,000 is not JSON"),
        ("a.jsonl", b'{"p": "a"}\n' * 9 + b'{"q": "a"}', "a.jsonl, line 10 has other keys than line 1."),
        ("a.csv", b"p,q\n" + b"a,b\n" * 99_000 + b"a\n", "a.csv: line 99,002 has 1 cell, and line 1 has 2."),
        ("a.tsv", b"p\tq\n" + b"a\tb\n" * 99_000 + b"a\n", "a.tsv: line 99,002 has 1 cell, and line 1 has 2."),
        ("a.tsv", b'p\tq\n"a\tb\na"\tb\na\tb\t"c\n', "a.tsv: line 4 has 3 cells, and line 1 has 2."),
        ("a.csv", b'p,q\n"a\nb",c\n"a,b",c,d\n', "a.csv: line 4 has 3 cells, and line 1 has 2."),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_called_what_it_is(tmp_path, name, data, message):
    assert read_problem(tmp_path, name, data).startswith(message)


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


# --- The lines of files ---------------------------------------------------------------------------


def show_files(folder, uploads, chosen=None, paths=None):
    """Return what the page shows of files: what is chosen, the list, and the choice of runs."""
    sources = importlib.import_module("space.sources")
    paths = paths or write_files(folder, uploads)
    with gradio.Blocks():
        fields = [gradio.JSON(), gradio.HTML(), gradio.Checkbox()]
    update = sources._show_files(*fields, paths, chosen)
    return [update[field] for field in fields]


def test_the_choices_of_columns_have_their_names_as_they_were(tmp_path):
    """A name is whatever a file has: it is text, and comes back as it was."""
    name = 'm"t<b>&\u200b'
    row = {name: "<i>" + "x y" * 500, "ref": ["r s", "s t"]}
    _, read, _ = show_files(tmp_path, [("a.jsonl", json.dumps(row))])
    assert "<i>" not in read
    fields = re.findall(r'<select .*?data-key="(.*?)">(.*?)</select>', read)
    assert [(unescape(key), re.search('value="([a-z]*)" selected', options)[1]) for key, options in fields] == [
        (name, "systems"), ("ref", "references")
    ]  # fmt: skip


def test_what_was_chosen_stays_with_its_file(tmp_path):
    uploads = [("a.tsv", "x\ty\na b\ta c\n"), ("ref.txt", "a b\n")]
    paths = write_files(tmp_path, uploads)
    chosen = {"roles": {paths[0]: {"y": ""}, "/gone": {"": "systems"}}, "readings": {}}
    kept, read, _ = show_files(tmp_path, uploads, chosen)
    assert kept["roles"] == {paths[0]: {"y": ""}}
    assert re.search('data-key="y">.*?value="" selected', read)


def test_thirty_files_are_one_line(tmp_path):
    uploads = [*((f"s{n}.txt", "a b\nc d\n") for n in range(30)), ("ref.txt", "a b\nc d\n")]
    _, read, _ = show_files(tmp_path, uploads)
    assert "<summary>30 systems · 2 lines each · 1 reference</summary>" in read


def test_the_choice_of_runs_stays_while_other_files_are_uploaded(tmp_path):
    runs = [(f"{name}.txt", "a b c\n") for name in ("a.seed1", "a.seed2", "b.seed1", "b.seed2")]
    uploads = [*runs, ("ref.txt", "a b c\n")]
    kept, _, joins = show_files(tmp_path, uploads)
    assert joins["value"]
    assert joins["label"] == "Score the mean of runs: a (2 runs), b (2 runs)"
    assert "value" not in show_files(tmp_path, uploads, kept)[2]
    assert show_files(tmp_path, uploads[1:], kept)[2]["value"]


@pytest.mark.parametrize(
    ("names", "systems"),
    [
        (["base.seed1.txt", "base.seed2.txt", "x.txt"], {"base": 2, "x": 1}),
        (["base.seed1.de", "base.seed2.de", "big.seed1.de", "other.de"], {"base.de": 2, "big.de": 1, "other.de": 1}),
        (["mt_run-1", "mt_run-2", "mt_run-10", "x"], {"mt": 3, "x": 1}),
        (["base-s42.txt", "base-s43.txt", "x"], {"base": 2, "x": 1}),
        (["seed=1.base.txt", "seed=2.base.txt", "x"], {"base": 2, "x": 1}),
        (["run1/out.txt", "run2/out.txt", "x"], {"out": 2, "x": 1}),
        (["Base Seed 1", "Base Seed 2", "x"], {"Base": 2, "x": 1}),
        (["seed1.txt", "seed2.txt", "base.txt"], {"seed": 2, "base": 1}),  # no other name is left
        # These differ in more than a run, or are runs of one system.
        (["gpt-3.txt", "gpt-4.txt"], {}),
        (["system 1", "system 2"], {}),
        (["reruns2", "brun3"], {}),
        (["s1.txt", "s2.txt"], {}),
        (["base.seed1.txt", "base.seed2.txt"], {}),
    ],
)  # fmt: skip
def test_runs_are_known_by_their_names(names, systems):
    found = importlib.import_module("space.roles").find_runs(names)
    assert {system: len(runs) for system, runs in found.items()} == systems


def test_the_common_prefix_of_long_names_is_cut_before_their_ends_are(tmp_path):
    scored = importlib.import_module("space.scored")
    uploads = [(f"{'newstest2021.' * 5}{name}{'x' * 70}.de", "a b\n") for name in ("A", "B")]
    read = submit(tmp_path, [*uploads, ("ref.txt", "a b\n")])
    submission, _, prefix = scored.prepare_submission(read, "all")
    assert list(submission.systems) == [f"{name}{'x' * 29}…{'x' * 29}" for name in "AB"]
    assert prefix.startswith("newstest2021.")
    assert prefix.endswith("newstest2021.")


def test_names_that_become_equal_stay_apart():
    scored, files = (importlib.import_module(f"space.{name}") for name in ("scored", "files"))
    submission = files.Submission({"x" * 70 + "a": ["a"], "x" * 70 + "b": ["b"]}, [["a"]])
    systems = scored.prepare_submission(submission, "all")[0].systems
    assert systems == {
        "x" * 30 + "…" + "x" * 28 + "a": ["a"],
        "x" * 30 + "…" + "x" * 28 + "b": ["b"],
    }


# --- Uploads that aren't what was meant, or can't be read -----------------------------------------
# The ways through the page are in tests/demo/browser. All sentences are invented.

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
    "curly quotes in the references": ([f'"{t[:-1]}", he\'s said.' for t in BETTER], [curl(t) for t in REFERENCES], "is 100% of the quotation marks in the predictions", "Write all alike", False),
    "rows sorted by text": (SHUFFLED, REFERENCES, "“mt”: the predictions are in another order: 120 of 120 predictions fit another line", "Fix", True),
    "BPE": ([mistakes.split_bpe(t) for t in BETTER], REFERENCES, "line 1 contains pieces of words (@@)", "Fix", True),
    "SentencePiece": ([mistakes.split_sentencepiece(t) for t in BETTER], REFERENCES, "line 1 contains pieces of words (▁)", "Fix", True),
    "WordPiece": ([re.sub(r"(?<=\w)(ing|ers|ary|ket)", r" ##\1", t) for t in BETTER], REFERENCES, "line 3 contains pieces of words (##)", "Fix", True),
    "ends of sentences": ([f"{t} </s> <pad> <pad>" for t in BETTER], REFERENCES, "line 1 contains tokens of a model ('</s>')", "Fix", True),
    "an n-best list": ([f"{n} ||| {t} ||| LM= -1.5 ||| -3.1" for n, t in enumerate(BETTER)], REFERENCES, "line 1 is a record with 4 fields", "Fix", True),
    "numbered lines": (number(BETTER), REFERENCES, "line 1 begins with '1. '", "Fix", True),
    "quotes around each line": ([f'"{t}"' for t in BETTER], REFERENCES, "line 1 is between quotation marks", "Fix", True),
    "mojibake": (mistakes.FRENCH_OUTPUT * 6, [t.encode().decode("cp1252", "ignore") for t in mistakes.FRENCH] * 6, "Line 1 of the references was written in UTF-8 and read as cp1252", "Fix", True),
    "accents apart": ([mistakes.unicodedata.normalize("NFD", t) for t in mistakes.FRENCH_OUTPUT] * 6, mistakes.FRENCH * 6, "line 1 is not in Unicode's composed form", "Fix", True),
    "zero-width spaces": ([t.replace(" ", " \u200b") for t in BETTER], REFERENCES, "line 1 contains characters without a width", "Fix", True),
    "entities": ([t.replace(",", "&#44;").replace(" at ", " &#97;t ") for t in BETTER], REFERENCES, "line 1 contains entities ('&#97;')", "Fix", True),
    "Chinese": (mistakes.CHINESE_OUTPUT * 6, mistakes.CHINESE * 6, "written without spaces", "Score as Chinese", True),
    "tokenized": ([mistakes.detach(t) for t in BETTER], REFERENCES, "“mt”: the predictions have detached punctuation", "Write all alike", False),
    "an introduction": ([f"Sure! Here is the translation: {t}" for t in BETTER], REFERENCES, "line 1 begins with an introduction ('Sure! Here is the translation:')", "Fix", True),
    "empty references": (BETTER, ["", "", *REFERENCES[2:]], "Line 1 of the references is empty, like 2 of 120 references", "", False),
    "a reference as a system": (REFERENCES, REFERENCES, "“mt”: line 1 equals its reference, like 120 of 120 predictions", "", False),
}  # fmt: skip


class Visit:
    """The tab Corpus as the server has it: the values of its fields, and its last answer."""

    def __init__(self):
        self.scoring, self.describing = find_events()
        self.tab = self.scoring.fn.__self__
        inputs = [*self.scoring.inputs, *self.describing.inputs]
        self.values = {component: component.value for component in inputs}

    def upload(self, *paths):
        """Upload files, and return what the page says about them."""
        self.values[self.tab.sources.files] = [str(path) for path in paths]
        self.take(self.describing.fn(*self.list_values(self.describing.inputs)))
        _chosen, read, _runs = self.describing.outputs
        return unescape(re.sub("<.*?>", "", self.values[read]))

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
    runs = scoring.fn.__self__.sources.joins_runs
    return scoring, next(event for event in events if runs in event.outputs)


def list_buttons(page):
    """Return the text of each button with its data, as the browser sends them."""
    return [
        (text, {name: unescape(value) for name, value in re.findall('data-([a-z]+)="(.*?)"', data)})
        for data, text in re.findall('<button type="button" class="bleu-button"(.*?)>(.*?)<', page)
    ]


def list_found(visit, words):
    """Return the findings in some words."""
    items = re.findall("<li><details>.*?</li>", visit.read("findings"))
    return [item for item in items if words in unescape(item)]


@pytest.mark.filterwarnings("ignore")  # the page says them
@pytest.mark.parametrize("name", UPLOADS)
def test_an_upload_that_misleads_is_told_and_has_the_right_score_after_the_fix(
    bleu, tmp_path, name
):
    system, references, found, button, waits = UPLOADS[name]
    visit = Visit()
    paths = write_files(
        tmp_path, [("mt.txt", join_lines(system)), ("ref.txt", join_lines(references))]
    )
    visit.upload(*paths)
    assert visit.score() == ""
    assert len(list_found(visit, found)) == 1
    assert visit.read("summary").count('class="bleu-undecided"') == waits
    if not button:
        assert 'class="bleu-doubtful"' in visit.read("summary")
        (first_copied, *_) = re.findall('data-copy="([^"]+)"', visit.read("summary"))
        assert found in unescape(first_copied)
        return
    if waits:
        assert f">{button}</button>" in visit.read("findings")
        button = next(text for text, _ in list_buttons(visit.read("summary")) if "Apply" in text)
    visit.press(button, visit.read("summary" if waits else "findings"))
    assert ", your choice <" in visit.read("findings")
    assert list_found(visit, found) == []
    (predictions, meant), options = MEANT.get(name, (RIGHT, {}))
    if name == "rows sorted by text":  # those that fit several lines are left out
        kept = bleu.check({"mt": system}, references).repair("moved").kept
        assert f"{len(kept)} of 120 lines" in visit.read("summary")
        predictions, meant = ([texts[row] for row in kept] for texts in RIGHT)
    right = bleu.compute(predictions=predictions, references=meant, **options)["score"]
    (score, *_) = re.findall("<strong>(.*?)</strong>", visit.read("summary"))
    assert score == f"{right:.2f}"


def upload_texts(tmp_path, systems, references):
    """Return a visit after the upload of a file per system and one of references."""
    visit = Visit()
    uploads = [(f"{name}.txt", join_lines(lines)) for name, lines in systems.items()]
    visit.upload(*write_files(tmp_path, [*uploads, ("ref.txt", join_lines(references))]))
    assert visit.score() == ""
    return visit


# Uploads of which `check` has findings with fixes, as systems and references.
LISTED = {
    "three kinds of fixes": ({"mt": number([f"{t.lower()}</s>" for t in BETTER])}, REFERENCES),
    "two systems with a fix each": ({"a": [f"{t}</s>" for t in drop_words(0.2, 4)], "b": number(BETTER)}, REFERENCES),
    "pieces, and lines in another order": ({"mt": [mistakes.split_bpe(t) for t in SHUFFLED]}, REFERENCES),
    "mojibake": ({"mt": mistakes.FRENCH_OUTPUT * 6}, [t.encode().decode("cp1252", "ignore") for t in mistakes.FRENCH] * 6),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # the page says them
@pytest.mark.parametrize("name", LISTED)
def test_the_box_lists_the_fixes_of_check(bleu, tmp_path, name):
    """Each with the score that it gives alone, and the box with that of all."""
    systems, references = LISTED[name]
    visit = upload_texts(tmp_path, systems, references)
    findings, summary = visit.read("findings"), visit.read("summary")
    checked = bleu.check(systems, references)
    kinds = {found.kind for _, found in checked.list_found() if found.can_be_fixed}
    buttons = [data for text, data in list_buttons(findings) if text in ("Fix", "Write all alike", "Ignore case")]  # fmt: skip
    assert {kind for data in buttons for kind in json.loads(data["kinds"])} == kinds

    def score_after(*fixed):
        """Return the scores of all systems, as the page writes them."""
        options = {"lowercase": "writing" in fixed}
        by_text = [kind for kind in fixed if kind != "writing"]
        repaired = checked.repair(*by_text) if by_text else None
        texts = repaired.predictions_of if repaired else systems
        meant = repaired.references if repaired else references
        scores = {
            system: bleu.compute(predictions=own, references=meant, **options)["score"]
            for system, own in texts.items()
        }
        return {system: f"{score:.1f}" for system, score in scores.items()}

    before = score_after()
    items = [unescape(item) for item in re.findall("<li><details>.*?</li>", findings)]
    for kind in kinds:
        (told,) = [item for item in items if f'"{kind}":' in item]
        after = score_after(kind)
        pairs = re.findall(r"(\S+) has ([\d.]+) instead of (\d+\.\d)", told)
        assert {(name, after[name], before[name]) for name in after if after[name] != before[name]} <= {*pairs}  # fmt: skip
    after = score_after(*(kind for kind in kinds if kind != "typography"))
    title = unescape(re.search("<h2.*?>(.*?)</h2>", summary)[1])
    old, new = re.search(r"([\d.]+) BLEU as it is, ([\d.]+) after", title).groups()
    assert (old, new) in {(before[name], after[name]) for name in after}


@pytest.mark.filterwarnings("ignore")  # the page says them
def test_scores_before_fixes_that_were_applied_are_remembered(bleu, tmp_path):
    """As the texts were, after the first fixes, and without any one of them."""
    corpus = importlib.import_module("space.corpus")
    lower = [text.lower() for text in BETTER]
    marked = [f"{text}</s>" for text in lower]
    expected = {
        "without the fixes: ": (number(marked), {}),
        "without the fix: labels fixed": (number(lower), {"lowercase": True}),
        "without the fix: special tokens fixed": (marked, {"lowercase": True}),
        "without the fix: case is ignored": (lower, {}),
    }
    visit = upload_texts(tmp_path, {"mt": number(marked)}, REFERENCES)
    visit.press(list_buttons(visit.read("summary"))[0][0], visit.read("summary"))
    assert "case:lc" in visit.read("summary")
    for phrase, (texts, options) in expected.items():
        score = bleu.compute(predictions=texts, references=REFERENCES, **options)["score"]
        answer = corpus.explain_number(visit.read("key"), "mt", f"{score:.2f}")
        assert f"Likely: {phrase}" in answer


@pytest.mark.filterwarnings("ignore")  # the page says them
@pytest.mark.parametrize("count", [1, 2])
def test_after_fixes_the_live_region_says_the_scores_before_and_after(bleu, tmp_path, count):
    texts = [f"{text}</s>" for text in BETTER]
    texts = texts if count == 1 else number(texts)
    visit = upload_texts(tmp_path, {"mt": texts}, REFERENCES)
    visit.press(list_buttons(visit.read("summary"))[0][0], visit.read("summary"))
    old, new = (
        bleu.compute(predictions=own, references=REFERENCES)["score"] for own in (texts, BETTER)
    )
    (said,) = re.findall('data-announce="(.*?)"', visit.read("findings"))
    assert said.endswith(f". {new:.1f} instead of {old:.1f}. 0 findings left")


WRONG = {
    "damaged": ("a.txt", "ñ\n".encode() * 50 + b"\xef\n", "a.txt is in UTF-8, but damaged (line 51, byte 0xEF). Save it again as UTF-8."),
    "empty": ("a.txt", b"\n", "a.txt has no text. Upload another file."),
    "text that is Parquet": ("a.txt", b"PAR1....PAR1", "a.txt is a Parquet file. This page needs texts"),
    "JSONL that is text": ("a.jsonl", b'{"prediction": "a"}\nb\n', "a.jsonl, line 2 is not JSON"),
    "JSON without texts": ("a.json", b'{"bleu": 3}', "a.json: expected a list of objects"),
    "JSONL without keys": ("a.jsonl", b"{}\n{}\n", "a.jsonl, line 1: expected an object such as"),
    "JSONL, too deep": ("a.jsonl", b'{"p": ' + b"[" * 100_000, "a.jsonl, line 1 has a number that is too large, or is nested too deeply."),
    "JSONL, a huge number": ("a.jsonl", b'{"p": ' + b"9" * 9000 + b"}", "a.jsonl, line 1 has a number that is too large, or is nested too deeply."),
    "CSV with a cell too many": ("a.csv", b"x,y\n1,2\n1,2,3\n", "a.csv: line 3 has 3 cells, and line 1 has 2."),
    "a line too long": ("a.txt", b"a" * 500_000, "a.txt has a line of over 400,000 characters"),
    "too many lines": ("a.txt", b"a\n" * 100_002, "a.txt has more than 100,000 lines"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_cannot_be_read_is_refused_at_once(tmp_path, name):
    """Beside its field, with what to do about it; and no result of it."""
    file, data, message = WRONG[name]
    (tmp_path / file).write_bytes(data)
    visit = Visit()
    note = visit.upload(tmp_path / file)
    assert message in note
    assert not re.search(r"Traceback|Error|/tmp|\.py|pyarrow", note)
    assert visit.score().startswith(f"{file} can’t be read: see the line of the file.")


def test_where_mecab_is_installed_japanese_has_a_score(tmp_path):
    """The metric advises a tokenizer that the page lacks; the page proposes what it has."""
    pytest.importorskip("MeCab")
    texts = [f"猫が{number}匹、マットの上に座っています。" for number in range(30)]
    systems = [text.replace("座って", "寝て") for text in texts]
    visit = Visit()
    visit.upload(
        *write_files(tmp_path, [("mt.txt", join_lines(systems)), ("ref.txt", join_lines(texts))])
    )
    assert visit.score() == ""
    assert "ja-mecab" not in visit.read("summary")
    assert ">Score by characters</button>" in visit.read("findings")
    (apply, *_) = [text for text, _ in list_buttons(visit.read("summary"))]
    visit.press(apply, visit.read("summary"))
    assert "tok:char" in visit.read("summary")


@pytest.mark.filterwarnings("ignore")
def test_an_error_in_a_look_at_the_texts_leaves_the_score(monkeypatch, tmp_path):
    checks = importlib.import_module("space.checks")
    uploads = write_files(
        tmp_path, [("mt.txt", join_lines(BETTER)), ("ref.txt", join_lines(REFERENCES))]
    )
    for name in ("request_check", "_try"):
        visit = Visit()
        monkeypatch.setattr(checks, name, lambda *_, **__: 1 / 0)
        visit.upload(*uploads)
        assert visit.score() == ""
        assert "<strong>" in visit.read("summary")
        monkeypatch.undo()
