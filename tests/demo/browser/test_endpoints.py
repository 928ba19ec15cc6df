"""The endpoints for programs, by gradio_client."""

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from recipes import recipe

from .corpus import PREDICTIONS, ROWS, SECOND_PREDICTIONS

gradio_client = pytest.importorskip("gradio_client")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
]  # the server takes seconds to start


def test_explain(client, bleu):
    answer = client.predict(
        "the the the", ["the cat is on the mat"], {"max_order": 2}, api_name="/explain"
    )
    assert answer.pop("warnings") == []
    assert answer == bleu.explain("the the the", ["the cat is on the mat"], max_order=2)


def test_score(client, bleu):
    answer = client.predict(
        predictions=PREDICTIONS, references=ROWS, options={"confidence": 0.9}, api_name="/score"
    )
    assert answer.pop("warnings") == []
    assert answer == bleu.compute(
        predictions=PREDICTIONS, references=ROWS, segments=True, confidence=0.9
    )


def test_compare(client, bleu):
    systems = {"A": PREDICTIONS, "B": SECOND_PREDICTIONS}
    answer = client.predict(
        systems=systems, references=ROWS, test="randomization", api_name="/compare"
    )
    assert answer.pop("warnings") == []
    assert answer == bleu.compare(systems, ROWS, test="randomization")


def test_reconcile(client, bleu):
    answer = client.predict(PREDICTIONS, ROWS, api_name="/reconcile")
    assert answer.pop("warnings") == []
    assert answer == bleu.reconcile(PREDICTIONS, ROWS)
    answer = client.predict(
        PREDICTIONS, ROWS, "12.3", options={"tokenize": "zh"}, api_name="/reconcile"
    )
    assert answer.pop("warnings") == []
    assert answer == bleu.reconcile(PREDICTIONS, ROWS, "12.3", tokenize="zh")


def test_readmes_recipe(address, capsys):
    (code,) = recipe("The Space")
    exec(compile(code.replace("http://127.0.0.1:7860", address), "README.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) >= 3


def test_a_warning_comes_with_the_answer(client):
    answer = client.predict("a", ["b"], api_name="/explain")
    assert "no token of the predictions" in answer["warnings"][0]


def test_they_say_what_they_want(client):
    endpoints = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    assert sorted(endpoints) == ["/compare", "/explain", "/reconcile", "/score"]
    for endpoint in endpoints.values():
        assert endpoint["description"]
        assert all(parameter["python_type"]["type"] for parameter in endpoint["parameters"])


@pytest.mark.parametrize(
    ("endpoint", "arguments", "message"),
    [
        ("/score", {"predictions": ["a"], "references": []}, "1 prediction and 0 references"),
        ("/score", {"predictions": ["a", None], "references": ["a", "b"]}, "predictions.1.: expected a str, got None"),
        ("/score", {"predictions": ["a"], "references": ["a"], "options": {"tokeniser": "zh"}}, "Choose among tokenize, "),
        ("/score", {"predictions": 3, "references": 4}, "predictions"),
        ("/explain", {"prediction": 3, "references": ["a"]}, "prediction: expected"),
        ("/explain", {"prediction": "a", "references": []}, "expected at least one reference"),
        ("/explain", {"prediction": "a", "references": 3}, "references.0.: expected"),
        ("/explain", {"prediction": "a", "references": ["a"], "options": [1]}, "options: expected an object"),
        ("/compare", {"systems": {"A": ["a"]}, "references": ["a"]}, "expected two or more systems"),
        ("/compare", {"systems": 5, "references": ["a"]}, "expected a dict from names to predictions"),
        ("/compare", {"systems": ["a"], "references": ["a"]}, "expected a dict from names to predictions"),
        ("/compare", {"systems": {"A": ["a"], "B": ["b"]}, "references": ["a"], "test": "t"}, "test='t': pass one of"),
        ("/compare", {"systems": {"A": ["a"], "B": ["b"]}, "references": ["a"], "test": ["bootstrap"]}, "test=.'bootstrap'.: pass one of"),
        ("/compare", {"systems": {"A": ["a"], "B": ["b"]}, "references": ["a"], "baseline": ["A"]}, "baseline=.'A'.: pass one of"),
        ("/reconcile", {"predictions": ["a"], "references": ["a"], "reported": "x"}, "pass a number"),
        ("/reconcile", {"predictions": 3, "references": ["a"], "reported": 1}, "predictions: expected"),
    ],
)  # fmt: skip
def test_errors_say_what_to_do(client, endpoint, arguments, message):
    with pytest.raises(Exception, match=message) as raised:
        client.predict(**arguments, api_name=endpoint)
    assert "Traceback" not in str(raised.value)


def test_segments_may_be_asked_for_though_they_always_come(client):
    assert client.predict(["a b"], ["a b"], {"segments": True}, api_name="/score")[
        "segment_bleu"
    ] == [1.0]


def test_eight_clients_at_once_get_their_own_answers(address, bleu):
    def ask(number):
        program = gradio_client.Client(address, verbose=False)
        return [
            program.predict(texts(number, i), ROWS, {"confidence": 0.9}, api_name="/score")["score"]
            for i in range(5)
        ]

    def texts(number, i):
        return PREDICTIONS[number + i :] + PREDICTIONS[: number + i]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))
    assert answers == [
        [bleu.compute(predictions=texts(number, i), references=ROWS)["score"] for i in range(5)]
        for number in range(8)
    ]


def test_a_path_that_was_not_uploaded_is_refused(client, address):
    """As a browser would send it, to the button of the corpus tab, but with a path of the server's."""
    config = client.config
    (score,) = [
        part["id"] for part in config["components"] if part["props"].get("elem_id") == "score"
    ]
    (button,) = [d for d in config["dependencies"] if [score, "click"] in d["targets"]]
    data = [None] * len(button["inputs"])
    data[1] = [{"path": "/etc/passwd", "orig_name": "passwd", "meta": {"_type": "gradio.FileData"}}]
    body = {"data": data, "fn_index": button["id"], "session_hash": "stranger"}
    request = urllib.request.Request(
        f"{address}gradio_api/queue/join",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    urllib.request.urlopen(request, timeout=30).read()
    stream = urllib.request.urlopen(
        f"{address}gradio_api/queue/data?session_hash=stranger", timeout=30
    )
    answer = next(line for line in stream if b"process_completed" in line).decode()
    assert '"success":false' in answer.replace(" ", "")
    assert "root:" not in answer


def call(address, endpoint, *data):
    """Call an endpoint without a client library, and return the event and its data."""
    url = f"{address}gradio_api/call/{endpoint}"
    request = urllib.request.Request(
        url, json.dumps({"data": data}).encode(), {"Content-Type": "application/json"}
    )
    event = json.load(urllib.request.urlopen(request, timeout=30))["event_id"]
    lines = urllib.request.urlopen(f"{url}/{event}", timeout=30).read().decode().splitlines()
    return lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))


def test_arguments_with_a_default_may_be_left_out(address, bleu):
    event, (answer,) = call(address, "explain", "the the the", ["the cat is on the mat"])
    assert (event, answer["score"]) == (
        "complete",
        bleu.explain("the the the", ["the cat is on the mat"])["score"],
    )
    assert call(address, "explain", "the") == (
        "error",
        {
            "error": "Missing: references. List the arguments in `data`.",
            "duration": 10,
            "visible": True,
            "title": "Error",
        },
    )


def test_an_unknown_session_leaves_no_traceback(address, tmp_path_factory):
    log = next(tmp_path_factory.getbasetemp().glob("space*/log.txt"))
    for path in ("queue/data?session_hash=unknown", "call/explain/unknown"):
        answer = urllib.request.urlopen(f"{address}gradio_api/{path}", timeout=30)
        assert b"Not Found" in answer.read()
    assert "already started" not in log.read_text()


def test_files_are_served_as_they_are(client, address):
    """A browser guesses no type, so that an uploaded file is never a page."""
    body = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.html"\r\n\r\n<script>\r\n--b--\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    upload = urllib.request.Request(f"{address}gradio_api/upload", body, headers)
    (path,) = json.load(urllib.request.urlopen(upload, timeout=30))
    for served in (f"{address}config", f"{address}gradio_api/file={path}"):
        answer = urllib.request.urlopen(served, timeout=30)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_files_of_the_server_are_not_served(address):
    for path in ("/etc/passwd", "app.py", "../log.txt"):
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{address}gradio_api/file={path}", timeout=30)
