"""Signatures: those of sacreBLEU and of this metric, read as options."""

import importlib
import itertools

import pytest
from bleu.bleu_core.options.options import OPTIONS
from bleu.bleu_core.options.signature import SIGNATURE_KEYS, read_signature
from bleu.bleu_core.rules.smoothing import SMOOTH_METHODS
from helpers import examples, further
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sacrebleu.dataset import DATASETS
from sacrebleu.metrics import BLEU
from sacrebleu.metrics.bleu import BLEUSignature
from test_options import CORPUS, TEXT_REFERENCES, TEXTS, error_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# Signatures as sources of options.

SMOOTHINGS = [
    ("exp", None),
    ("none", None),
    ("floor", None),
    ("floor", 0.25),
    ("add-k", None),
    ("add-k", 2),
]


@pytest.mark.parametrize(
    "tokenize",
    ["13a", *further(["none", "intl"]), "zh", *further(["char"]), "ja-mecab", "ko-mecab"],
)
@pytest.mark.parametrize("lowercase", [True, *further([False])])
def test_signatures_of_sacrebleu_are_read(load, tokenize, lowercase):
    """sacreBLEU writes the signature, long and short, and gives the score of each combination of its options."""
    hard = (
        ["The cat sat.", "a 東京 タワー"],
        [["the cat sits.", "東京 の タワー"], ["A cat.", "東京 タワー a"]],
    )
    easy = TEXTS, [[row[0] for row in TEXT_REFERENCES], [row[-1] for row in TEXT_REFERENCES]]
    for (smooth_method, smooth_value), effective_order in itertools.product(
        SMOOTHINGS, [False, True]
    ):
        oracle = BLEU(
            tokenize=tokenize, lowercase=lowercase, smooth_method=smooth_method, smooth_value=smooth_value, effective_order=effective_order
        )  # fmt: skip
        expected = [oracle.corpus_score(*corpus).score for corpus in (hard, easy)]
        signature = oracle.get_signature()
        signed = (
            f"BLEU|{signature} = {expected[0]:.1f} 58.1/33.2/20.9/13.5 (BP = 1.000 ratio = 1.010)"
        )
        for written in (signature.format(), signature.format(short=True), signed):
            metric = load(signature=written)
            for (predictions, streams), score in zip((hard, easy), expected):
                result = metric.compute(predictions=predictions, references=list(zip(*streams)))
                assert result["score"] == pytest.approx(score, abs=1e-9), written


def test_signatures_of_sacrebleu_with_resamples(load):
    oracle = BLEU(smooth_method="floor")
    oracle.corpus_score(TEXTS, [[row[0] for row in TEXT_REFERENCES]], n_bootstrap=20)
    for short in (False, True):
        metric = load(signature=oracle.get_signature().format(short=short))
        assert repr(metric) == (
            "BleuMetric('default', tokenize='13a', lowercase=False, smooth_method='floor',"
            " smooth_value=0.1, n_resamples=20, seed=12345)"
        )
        assert "confidence_interval" not in metric.compute(**CORPUS)


OWN = [
    *({"smooth_method": method} for method in SMOOTH_METHODS),
    *({"smooth_method": name, "smooth_value": 0.005} for name, method in SMOOTH_METHODS.items() if method.value),
    {"smooth_method": "floor", "smooth_value": 0},
    *({"tokenize": name} for name in ("none", "intl", "zh", "char", "multi-bleu", "ja-mecab", "ko-mecab")),
    *({"reference_length": name} for name in ("closest", "shortest", "longest")),
    {"lowercase": True, "effective_order": True, "minimum_total": 2},
    {"max_order": 3, "weights": [1 / 3, 1 / 7, 1e-5]},
    {"max_order": 6, "weights": [2, 0.1, 0.25, 0, 1, 1]},
    {"confidence": 0.9, "n_resamples": 30, "seed": 0},
    {"confidence": 0.9, "seed": None},
]  # fmt: skip


@pytest.mark.parametrize("options", OWN, ids=str)
def test_signatures_of_this_metric_are_read(load, options):
    expected = load().compute(**CORPUS, **options)
    metric = load(signature=expected["signature"])
    result = metric.compute(**CORPUS, confidence=options.get("confidence"))
    assert (result["score"], result["signature"]) == (expected["score"], expected["signature"])
    defaults = {**OPTIONS, "reference_length": "closest"}
    chosen = {
        name: value
        for name, value in options.items()
        if value != defaults[name] and name != "confidence"
    }
    assert all(f"{name}=" in repr(metric) for name in chosen)


# Options of a call; a value that is not drawn is not passed, so that the default holds.
ANY_OPTIONS = st.fixed_dictionaries(
    {"max_order": st.integers(1, 5)},
    optional={
        "tokenize": st.sampled_from(["13a", "none", "intl", "zh", "char", "multi-bleu"]),
        "lowercase": st.booleans(),
        "smooth_method": st.sampled_from(list(SMOOTH_METHODS)),
        "smooth_value": st.sampled_from([0.1, 0.005, 1, 2.5]),
        "effective_order": st.booleans(),
        "reference_length": st.sampled_from(["closest", "shortest", "longest"]),
        "minimum_total": st.integers(0, 2),
        "n_resamples": st.integers(20, 60),
        "seed": st.integers(0, 2**40),
    },
).map(lambda options: options if SMOOTH_METHODS[options.get("smooth_method", "exp")].value else {name: value for name, value in options.items() if name != "smooth_value"})  # fmt: skip


def signed_systems():
    """Return a few segments that differ in case, length and punctuation, and two worse systems."""
    references = [
        [f"The cat sat on mat {i % 7}, alone.", f"A Cat sits on {i % 5} mats"] for i in range(12)
    ]
    good = [row[i % 2] for i, row in enumerate(references)]
    return {
        "good": good,
        "short": [text[:-8] for text in good],
        "lower": [text.lower() for text in good],
    }, references


def call_with_signature(bleu, method, n_resamples):
    """Return a result with segment scores, intervals and p-values, if the method has them."""
    systems, references = signed_systems()
    columns = {"predictions": systems["short"], "references": references}
    if method == "compute":
        return bleu.compute(**columns, segments=True, confidence=0.9)
    if method == "statistics":
        return bleu.compute(statistics=bleu.statistics(**columns), segments=True, confidence=0.9)
    if method == "rank":
        return bleu.rank(systems, references, n_resamples=n_resamples, confidence=0.9)
    return bleu.compare(systems, references, test=method, n_resamples=n_resamples, confidence=0.9)


@pytest.mark.parametrize("method", ["compute", "statistics", "randomization", "bootstrap", "rank"])
@given(options=ANY_OPTIONS, n_resamples=st.none() | st.integers(20, 60))
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_signature_brings_everything_back(load, method, options, n_resamples):
    """Scores, segment scores, intervals, p-values, wins and the signature itself are the same again."""
    result = call_with_signature(load(**options), method, n_resamples)
    again = call_with_signature(load(signature=result["signature"]), method, None)
    assert dict(again) == dict(result)


def test_numbers_of_resamples_of_a_signature(load):
    """The number of a test is not an option: an explicit number wins, at load and in the call."""
    systems, references = signed_systems()
    compare = lambda bleu, **how: bleu.compare(systems, references, **how)["signature"]
    signature = compare(load(n_resamples=30), test="bootstrap", n_resamples=50)
    assert "|bs:50|ci:30|" in signature
    assert "|bs:50|ci:30|" in compare(load(signature=signature), test="bootstrap")
    assert "|bs:40|ci:30|" in compare(load(signature=signature), test="bootstrap", n_resamples=40)
    assert "|bs:25|seed" in compare(load(signature=signature, n_resamples=25), test="bootstrap")
    signature = compare(load(n_resamples=30), n_resamples=60)
    assert "|bs:30|ar:60|" in signature
    assert "|bs:30|ar:60|" in compare(load(signature=signature))
    assert "|bs:25|ar:25|" in compare(load(signature=signature, n_resamples=25))


@pytest.mark.parametrize(("kind", "token"), [("tokens", "A"), ("ids", 1)])
def test_signatures_of_tokens_and_ids_do_not_say_how_to_split_text(load, kind, token):
    """`load` rejects them, `reconcile` verifies them."""
    rows = {"predictions": [[token]], "references": [[[token]]]}
    bleu = load(max_order=1)
    result = bleu.compute(**rows)
    assert f"tok:{kind}|" in result["signature"]
    assert read_signature(result["signature"]).pretokenized == kind
    with pytest.raises(
        ValueError, match=rf"^signature: 'tok:{kind}' says that the input was {kind} already"
    ):
        load(signature=result["signature"])
    found = bleu.reconcile(**rows, reported=f"{result['score']:.2f} {result['signature']}")
    assert found["verified"]


def test_token_lists_under_a_signature_are_rejected(load):
    """Its tokenizer counts as given, as an explicit one does."""
    bleu = load(signature="nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0")
    with pytest.raises(ValueError, match=r"^tokenize='13a': these rows are tokens already"):
        bleu.compute(predictions=[["a"]], references=[[["a"]]])


READ = [  # a signature; the options, the number of references and the score
    ("nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0", {"lowercase": False, "tokenize": "13a", "smooth_method": "exp"}, "var", ""),
    ("#:2|c:lc|e:yes|tok:zh|s:none|v:2.0.0", {"lowercase": True, "effective_order": True, "tokenize": "zh", "smooth_method": "none"}, "2", ""),
    ("27.30 nrefs:1|case:lc", {"lowercase": True}, "1", "27.30"),
    ("BLEU 27.3 nrefs:1|case:lc", {"lowercase": True}, "1", "BLEU 27.3"),
    ("BLEU|case:lc = 27.3 58.1/33.2/20.9/13.5 (BP = 1.000 ratio = 1.010)", {"lowercase": True}, None, "27.3"),
    ("tok:ja-mecab-0.996-IPA", {"tokenize": "ja-mecab"}, None, ""),
    ("tok:ko-mecab-0.996/ko-0.9.2-KO", {"tokenize": "ko-mecab"}, None, ""),
    ("tok:flores200|smooth:add-k[1.00]", {"tokenize": "flores200", "smooth_method": "add-k", "smooth_value": 1.0}, None, ""),
    ("nrefs:1|ar:10000|seed:none|case:mixed", {"seed": None, "lowercase": False, "trials": {"randomization": 10_000}}, "1", ""),
    ("nrefs:1|bs:1000|ar:10000|docs:171|rs:12345", {"n_resamples": 1000, "seed": 12345, "trials": {"randomization": 10_000}}, "1", ""),
    ("nrefs:1|bs:1000|ci:2000|docs:171", {"n_resamples": 2000, "trials": {"bootstrap": 1000}}, "1", ""),
    ("nrefs:1|bs:50|t:wmt20|l:en-de|o:en|S:news|test:a", ValueError, "'test'", "twice"),
    ("nrefs:1|bs:50|t:wmt20|l:en-de|o:en|S:news", {"n_resamples": 50}, "1", ""),
    ("  smooth:floor[0.50]\n", {"smooth_method": "floor", "smooth_value": 0.5}, None, ""),
    ("smooth:floor[0.01]|value:0.005", {"smooth_method": "floor", "smooth_value": 0.005}, None, ""),
    ("nrefs:1 | case:lc |\n eff:no|\ttok:intl", {"lowercase": True, "tokenize": "intl"}, "1", ""),
    ("27.3 nrefs:1\n|case:lc", {"lowercase": True}, "1", "27.3"),
    ("eff:no|segeff:no", {"effective_order": False}, None, ""),
    ("segeff:yes", ValueError, "segeff:yes", "effective_order"),
    ("nrefs:1|case:lc tok:intl", ValueError, "expected only a score before the signature", "'nrefs:1|case:lc'"),
    ("nrefs:1 case:lc tok:intl", ValueError, "expected only a score before the signature", "Separate the keys by |"),
    ("Table 3: nrefs:1|case:lc", ValueError, "expected only a score before the signature", "'Table 3:'"),
    ("nrefs:1,case:lc,eff:no,tok:intl", ValueError, "'nrefs:1,case:lc,eff:no,tok:intl' is not one key with its value", "'nrefs:1|case:lc|tok:13a'"),
    ("case:lc,tok:intl", ValueError, "'case:lc,tok:intl' is not one key with its value", "Separate the keys by |"),
    ("case:lc|nrefs:1;tok:intl|smooth:exp", ValueError, "'nrefs:1;tok:intl' is not one key with its value", "Separate the keys by |"),
    ("tok:ja-mecab-0.996,case:lc", ValueError, "'tok:ja-mecab-0.996,case:lc' is not one key with its value", "Separate the keys by |"),
    ("case:lc|test:wmt20，tok：intl", ValueError, "'test:wmt20，tok：intl' is not one key with its value", "Separate the keys by |"),
    ("case:lc|version:2.6.0;tok=intl", ValueError, "'version:2.6.0;tok=intl' is not one key with its value", "Separate the keys by |"),
    ("nrefs=1|case=lc", ValueError, "'nrefs=1' is not a key", "'nrefs:1|case:lc|tok:13a'"),
    ("nrefs:1 = case:lc = tok:intl", ValueError, "expected only a score after the signature", "Separate the keys by |"),
    ("nrefs:1 = 27.3|case:lc", ValueError, "expected only a score after the signature", "Separate the keys by |"),
    ("nrefs:1|version:" + "2.6.0,case:lc," * 20, ValueError, "'version:2.6.0,case:lc,2.6.0,case:lc,2.6.' is not one key with its value", "by |"),
    ("nrefs:1|test:wmt20/tworefs,wmt21|lang:en-zh|origlang:non-en|subset:US-(crime|case:lc", {"lowercase": True}, "1", ""),
    ("nrefs:1|docs:171|runs:3|version:2.6.1.dev3+g1a2b3c4.d20261101", {}, "1", ""),
    ("nrefs:?|docs:var|runs:var", {}, "?", ""),
    ("nrefs:foo", ValueError, "'nrefs:foo' can't be read", "a number or 'var'"),
    ("nrefs:-1", ValueError, "'nrefs:-1' can't be read", "a number or 'var'"),
    ("nrefs:1:2", ValueError, "'nrefs:1:2' is not one key with its value", "'nrefs:1|case:lc|tok:13a'"),
    ("test:a:b", ValueError, "'test:a:b' is not one key with its value", "'nrefs:1|case:lc|tok:13a'"),
    ("docs:?", ValueError, "'docs:?' can't be read", "a number or 'var'"),
    ("runs:x", ValueError, "'runs:x' can't be read", "a number or 'var'"),
    ("ar:0", ValueError, "ar:0", "n_resamples"),
    ("ci:many", ValueError, "ci:many", "n_resamples"),
    ("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0", ValueError, "'nc'", "BLEU"),
    ("chrF2|nrefs:1|case:mixed", ValueError, "'chrF2'", "BLEU"),
    ("case:", ValueError, "'case'", "no value"),
    ("version", ValueError, "'version'", "no value"),
    ("", ValueError, "''", "key"),
    ("case:?", ValueError, "case:?", "lowercase"),
    ("tok:?", ValueError, "tok:?", "tokenize"),
    ("case:upper", ValueError, "case:upper", "lowercase"),
    ("eff:true", ValueError, "eff:true", "effective_order"),
    ("tok:str.split", ValueError, "tok:str.split", "tokenize"),
    ("tok:var", ValueError, "tok:var", "tokenize"),
    ("smooth:floor[0.00]", ValueError, "smooth:floor[0.00]", "smooth_value"),
    ("s:add-k[0.00]", ValueError, "smooth:add-k[0.00]", "smooth_value"),
    ("smooth:exp[0.10]", ValueError, "smooth:exp[0.10]", "smooth_value"),
    ("smooth:kneser-ney", ValueError, "smooth:kneser-ney", "smooth_method"),
    ("order:0", ValueError, "order:0", "max_order"),
    ("order:four", ValueError, "order:four", "max_order"),
    ("bs:0", ValueError, "bs:0", "n_resamples"),
    ("weights:0.5/", ValueError, "weights:0.5/", "weights"),
    ("reflen:average", ValueError, "reflen:average", "reference_length"),
    ("BLEU+case.mixed+numrefs.1+smooth.exp+tok.13a+version.1.4.14", {"lowercase": False, "smooth_method": "exp", "tokenize": "13a"}, "1", ""),
    ("BLEU+case.mixed+lang.en-de+numrefs.1+smooth.exp+test.wmt18+tok.13a+version.1.2.9 = 27.3 58/33", {"lowercase": False, "smooth_method": "exp", "tokenize": "13a"}, "1", "27.3"),
    ("BLEU+case.lc+lang.en-ja+numrefs.var+origlang.non-en+smooth.floor+subset.US+test.wmt20/tight+tok.ja-mecab-0.996-IPA+version.1.5.1", {"lowercase": True, "smooth_method": "floor", "tokenize": "ja-mecab"}, "var", ""),
    ("27.3 BLEU+c.lc+#.4+\ns.none +t.wmt17+tok.intl+v.1.2.12", {"lowercase": True, "smooth_method": "none", "tokenize": "intl"}, "4", "27.3"),
    ("BLEU+numrefs.1+tok.intl = 27.3", {"tokenize": "intl"}, "1", "27.3"),
    ("BLEU+case.upper+tok.13a", ValueError, "case:upper", "lowercase"),
    ("BLEU+case.lc+tok.moses", ValueError, "tok:moses", "tokenize"),
    ("BLEU+case.lc+case.mixed", ValueError, "'case'", "occurs twice"),
    ("BLEU+case.lc+", ValueError, "''", "BLEU"),
    ("chrF2+case.mixed+numchars.6+numrefs.1+space.False+version.1.4.14", ValueError, "'chrF2", "BLEU"),
    (b"case:lc", TypeError, "bytes", "signature"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("signature", "expected", "references", "score"), READ, ids=[str(row[0]) for row in READ]
)
def test_forms_of_signatures(load, signature, expected, references, score):
    """With an error, the last two columns are parts of its message."""
    if isinstance(expected, dict):
        trials = expected.get("trials", {})
        options = {name: value for name, value in expected.items() if name != "trials"}
        assert read_signature(signature) == (options, trials, None, references, score)
        return
    for call in (lambda: read_signature(signature), lambda: load(signature=signature)):
        message = error_of(call)
        assert references in message
        assert score in message
    with pytest.raises(expected):
        load(signature=signature)


# Keys with their values, and what stands between two of them.
SIGNED_PAIRS = [
    "nrefs:1", "#:2", "bs:50", "ar:60", "docs:17", "rs:7", "runs:3", "t:wmt20", "lang:en-de", "o:non-en", "S:news",
    "case:lc", "eff:yes", "tok:intl", "tok:ja-mecab-0.996-IPA", "s:floor[0.50]", "order:3", "reflen:longest", "v:2.6.0",
]  # fmt: skip
SEPARATORS = [*",;/+&.!~^*-_=:\\'\"()[]<>#%$@?", *"│┃┆¦｜❘∣‖⎮·•،，；、：∶‑–—／\u200b\u00a0\u3000\ufeff", "||", "\n", "\t", " = ", " and ", ""]  # fmt: skip
FORM = "Separate the keys by |, as in 'nrefs:1|case:lc|tok:13a'."


def read_or_none(signature):
    try:
        return read_signature(signature)
    except ValueError:
        return None


between = st.one_of(
    st.sampled_from(["|", " | ", "|\n"]),
    st.sampled_from(SEPARATORS).flatmap(
        lambda mark: st.sampled_from([mark, f"{mark} ", f" {mark}", f" {mark} "])
    ),
    st.text(st.characters(exclude_characters="|", exclude_categories=["Cs", "Nd"]), max_size=3),
)


@given(
    pairs=st.lists(st.sampled_from(SIGNED_PAIRS), min_size=2, max_size=6, unique=True),
    marks=st.lists(between, min_size=5, max_size=5) | between.map(lambda mark: [mark] * 5),
    signed=st.sampled_from(["{}", "27.3 {}", "BLEU|{}", "{} = 27.3 58.1/33.2/20.9/13.5"]),
)
@settings(max_examples=examples(500))
def test_only_bars_separate_keys(pairs, marks, signed):
    """With anything else between the keys, the text is not read as another signature than with bars."""
    written = pairs[0] + "".join(mark + pair for mark, pair in zip(marks, pairs[1:]))
    expected = read_or_none(signed.format("|".join(pairs)))  # None if a key occurs twice
    content = read_or_none(signed.format(written))
    has_bars_only = all(mark.strip() == "|" for mark in marks[: len(pairs) - 1])
    assert content == expected if has_bars_only else content in (None, expected)


@pytest.mark.parametrize("mark", SEPARATORS, ids=ascii)
def test_another_separator_shows_the_form(load, mark):
    """Whichever key comes first."""
    keys = ["nrefs:1", "case:lc", "eff:no", "tok:intl", "smooth:exp", "version:2.6.0"]
    for first in range(len(keys)):
        written = mark.join([*keys[first:], *keys[:first]])
        assert FORM in error_of(lambda: load(signature=written))


@pytest.mark.parametrize("name", sorted(BLEU.TOKENIZERS))
def test_each_tokenizer_of_sacrebleu_is_read(name):
    """As sacreBLEU signs it. Models that it would have to download are not needed for their names."""
    models = importlib.import_module("sacrebleu.tokenizers.tokenizer_spm").SPM_MODELS
    signed_name = (
        models[name]["signature"] if name in models else BLEU(tokenize=name).tokenizer.signature()
    )
    signature = BLEUSignature({
        "num_refs": -1, "n_bootstrap": 50, "seed": 7, "test_set": "wmt20/tworefs,wmt21", "langpair": "en-zh", "origlang": "non-en",
        "subset": "US-(crime", "smooth_method": "floor", "smooth_value": 0.5, "lowercase": True, "effective_order": True,
        "tokenizer_signature": signed_name,
    })  # fmt: skip
    expected = {
        "n_resamples": 50, "seed": 7, "lowercase": True, "effective_order": True, "tokenize": "flores101" if name == "spm" else name,
        "smooth_method": "floor", "smooth_value": 0.5,
    }  # fmt: skip
    for short in (False, True):
        content = read_signature(signature.format(short))
        assert (content.options, content.nrefs) == (expected, "var")


def test_each_test_set_of_sacrebleu_is_read():
    for name, test_set in DATASETS.items():
        for pair in test_set.langpairs:
            content = read_signature(f"nrefs:1|test:{name}|lang:{pair}|case:lc")
            assert content.options == {"lowercase": True}


def test_each_key_has_one_short_form():
    """Long keys are those of sacreBLEU and of this metric; a short form belongs to one key."""
    short = [key.short for key in SIGNATURE_KEYS.values()]
    assert len({*short, *SIGNATURE_KEYS}) == len(short) + sum(
        key.short != long for long, key in SIGNATURE_KEYS.items()
    )
    oracle = BLEU()
    oracle.corpus_score(["a"], [["a"]])
    theirs = oracle.get_signature()._abbr
    assert theirs == {long: SIGNATURE_KEYS[long].short for long in theirs}


def test_options_win_over_a_signature(load):
    signature = "nrefs:1|case:lc|eff:no|tok:zh|smooth:floor[0.50]|order:2|version:1"
    metric = load(signature=signature, tokenize="char", max_order=3)
    shown = "tokenize='char', lowercase=True, max_order=3, smooth_method='floor', smooth_value=0.5"
    assert repr(metric) == f"BleuMetric('default', {shown})"
    assert (
        "|smooth:add-k[1.00]|"
        in load(signature=signature, smooth_method="add-k").compute(**CORPUS)["signature"]
    )
    assert "|smooth:floor[0.25]|" in metric.compute(**CORPUS, smooth_value=0.25)["signature"]


@pytest.mark.parametrize("name", ["default", "nltk", "sacrebleu"])
def test_a_convention_and_a_signature_exclude_each_other(load, name):
    with pytest.raises(ValueError, match="config_name and signature"):
        load(name, signature="case:lc")
