"""The tab for a corpus: one system is scored, several are compared, and a reported score is explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import gradio as gr
import numpy as np

from . import html, limits
from .metric import (
    TESTS,
    collect_warnings,
    load_with,
    request_comparison,
    request_conventions,
    request_ranking,
    request_settings,
)
from .options import (
    ALL_OPTIONS,
    CONVENTION_NAMES,
    SCORING_OPTIONS,
    OptionFields,
    add_options,
    change_options,
    convention_values,
    describe_setting,
    fold_label,
    join_clauses,
    read_options,
)
from .remedies import add_warnings, find_remedies, is_unspaced
from .scored import Scored, prepare_submission, read_segment, read_segments, score_submission
from .segments import Differences, Segments, add_differences, add_segments
from .sentence import Sentence, Shown, Update
from .sources import EXAMPLE_NOTE, Sources, add_sources, is_example, read_submission

_FIXES = [("Make quotes straight", "quotes"), ("Detokenize predictions", "detokenize")]
_DOWNLOADS = {"csv": "Segments (CSV)", "parquet": "Segments (Parquet)", "json": "Result (JSON)"}
_RANKING_NOTE = "Ranks and verdicts are corrected for the number of comparisons; p is for one pair alone."
_OUTDATED = '<p class="bleu-message bleu-old">Something has changed since: press Score.</p>'


class CorpusTab(NamedTuple):
    """The components of the tab: the fields, and the results below them."""

    sources: Sources
    which: gr.Dropdown
    fixes: gr.CheckboxGroup
    test: gr.Radio
    options: OptionFields
    message: gr.HTML
    column: gr.Column
    key: gr.Textbox  # of the result; hidden
    summary: gr.HTML
    baseline: gr.Dropdown
    details: gr.HTML
    downloads: list[gr.DownloadButton]
    segments: Segments
    differences: Differences
    system: gr.Dropdown
    answer: gr.HTML

    def choices(self) -> list[Any]:
        """Return the fields besides those for the texts."""
        return [self.which, self.fixes, self.test, *self.options.fields]

    def inputs(self) -> list[Any]:
        """Return all fields that a result depends on."""
        return [*self.sources, *self.choices()]

    def outputs(self) -> list[Any]:
        """Return the components that `show_score` updates."""
        head = [self.options.fold, self.message, self.column, self.key, self.summary, self.baseline, self.details]
        return [*head, *self.downloads, *self.segments, *self.differences, self.system, self.answer]

    # Not `score`: Gradio would give that name to this handler, and another to the endpoint.
    def show_score(self, *values: Any, progress: gr.Progress = gr.Progress()) -> Update:  # noqa: B008 for Gradio
        """Return the update that shows the result for the values of the inputs, baseline and system asked about."""
        given, update = dict(zip([*self.inputs(), self.baseline, self.system], values)), Update()
        try:
            options = read_options([given[field] for field in self.options.fields])
            update[self.options.fold] = gr.update(label=fold_label(options))
            return update | limits.run(lambda: self._score(given, options, progress))
        except limits.ERRORS as error:
            failed: Update = {
                self.message: html.message(limits.explain_error(error)),
                self.column: gr.update(visible=False),
            }
            return {**update, **failed, self.key: ""}

    def _score(self, given: Update, options: dict[str, Any], progress: gr.Progress) -> Update:
        # 1. Read the texts.
        progress(0.1, desc="Reading")
        which, sources = given[self.which], [given[field] for field in self.sources]
        submission, remark = prepare_submission(read_submission(sources), which, given[self.fixes])
        systems, references, _, documents = submission
        baseline = given[self.baseline] if given[self.baseline] in systems else next(iter(systems))
        others = [name for name in systems if name != baseline]
        # 2. Score one system, or compare several.
        progress(0.4, desc="Scoring")
        with collect_warnings() as warnings:
            if others:
                comparison = request_comparison(systems, references, baseline, given[self.test], options)
                ranking = request_ranking(systems, references, options) if len(systems) > 2 else {}
                progress(0.7, desc="Writing")
            # Last, because Gradio deletes files that are shown only.
            scored, results = score_submission(submission, options, which, remark)
        # 3. Draw the result, with the segments of one system, or the differences between two.
        progress(0.9, desc="Drawing")
        if others:
            identical = find_identical(systems)
            best = max(others, key=lambda name: (name not in identical, results[name]["score"]))
            summary, details = render_systems(scored, comparison, ranking, best, identical)
            below = self.differences.show(scored, baseline, best)
        else:
            summary, details = render_system(scored, results[baseline])
            below = self.segments.show(scored)
        details += render_groups(results, options["confidence"])
        found = find_remedies(systems[baseline], references, options)
        remedies, notes = add_warnings(found, warnings)
        notes += _caution(len(references), options["confidence"])
        example = html.message(EXAMPLE_NOTE, "note") if is_example(sources) else ""
        asked_about = given[self.system] if given[self.system] in systems else baseline
        return {
            self.options.fold: gr.update(label=fold_label(options, remark)),
            self.message: "",
            self.column: gr.update(visible=True),
            self.key: scored.key,
            self.summary: summary + example + html.remedies(remedies) + html.notes(notes),
            self.baseline: gr.update(choices=scored.systems, value=baseline, visible=bool(others)),
            self.details: details,
            **dict(zip(self.downloads, scored.list_downloads())),
            self.segments.column: gr.update(visible=not others),
            self.differences.column: gr.update(visible=bool(others)),
            **below,
            self.system: gr.update(choices=scored.systems, value=asked_about, visible=bool(others)),
            self.answer: "",
        }

    def apply(self, event: gr.EventData, *values: Any) -> Update:
        """Return the update after a button has changed some fields."""
        given, data = dict(zip(self.choices(), values)), event._data
        option_values = [given[field] for field in self.options.fields]
        if "convention" in data:
            option_values = convention_values(data["convention"])
        option_values = change_options(ALL_OPTIONS, option_values, data.get("options", "{}"))
        update: Update = dict(zip(self.options.fields, option_values))
        if data.get("references"):
            update[self.which] = "all" if data["references"] == "all" else int(data["references"])
        if data.get("fix"):
            update[self.fixes] = [*dict.fromkeys([*given[self.fixes], data["fix"]])]
        return update


def add_corpus_tab(tabs: gr.Tabs, corpus: gr.Tab, sentence: Sentence) -> None:
    """Add the tab's components and their event handlers."""
    with gr.Column(elem_id="corpus-inputs"):
        options = add_options("corpus", ALL_OPTIONS)
        with options.fold, gr.Row():
            which = gr.Dropdown(
                [("all", "all"), *((f"only number {i}", i - 1) for i in range(1, limits.MAX_REFERENCES + 1))],
                value="all",
                label="References used",
                elem_id="which-references",
            )
            fixes = gr.CheckboxGroup(_FIXES, label="Before scoring", elem_id="fixes")
            tests = [(test.says, name) for name, test in TESTS.items()]
            test = gr.Radio(tests, value="randomization", label="Test", elem_id="test")
        sources = add_sources()
        button = gr.Button("Score", variant="primary", elem_id="score")
    message = html.add_html(elem_id="corpus-message")
    key = gr.Textbox(visible=False)
    with gr.Column(visible=False, elem_id="corpus", elem_classes="bleu-results") as column:
        html.add_html(_OUTDATED)
        with gr.Row(elem_id="verdict"):
            with gr.Column(scale=7, min_width=300):
                summary = html.add_clickable("", "corpus-summary")
            with gr.Column(scale=4, min_width=280, elem_id="why-part"):
                html.add_html("<h2>Expected another number?</h2>")
                system = html.add_system_field("System", "why-system")
                label = "Score as reported; empty for all conventions"
                reported = gr.Textbox(label=label, max_length=30, elem_id="reported")
                why = gr.Button("Find out why", elem_id="why")
        answer = html.add_clickable("", "why-answer")
        baseline = html.add_system_field("Baseline", "baseline")
        details = html.add_clickable("", "corpus-details")
        with gr.Row(elem_classes="bleu-downloads"):
            downloads = [
                gr.DownloadButton(label, size="sm", elem_id=f"download-{kind}", min_width=0)
                for kind, label in _DOWNLOADS.items()
            ]
        segments, differences = add_segments(key), add_differences(key)

    def answer_number(*fields: str) -> str:
        return limits.run(lambda: explain_number(*fields))

    gr.on([why.click, reported.submit], answer_number, [key, system, reported], answer, **limits.PRIVATE_WORK)
    system.input(lambda: "", None, answer, **limits.QUIET)
    above = (sources, which, fixes, test, options, message, column, key, summary, baseline, details, downloads)
    tab = CorpusTab(*above, segments, differences, system, answer)
    _connect(tab, corpus, button)
    _connect_sentence(tab, tabs, sentence)


def _connect(tab: CorpusTab, corpus: gr.Tab, button: gr.Button) -> None:
    inputs, choices, outputs = tab.inputs(), tab.choices(), tab.outputs()
    fields = [*inputs, tab.baseline, tab.system]
    work = {**limits.PRIVATE_WORK, "js": "bleuPage.ask", "trigger_mode": "always_last"}
    pressed = gr.on([button.click, tab.baseline.input], tab.show_score, fields, outputs, **work)
    pressed.then(None, js="() => bleuPage.answer()")

    def open_tab(key: str, *values: Any, progress: gr.Progress = gr.Progress()) -> Any:  # noqa: B008 for Gradio
        """Score the example, or what is in the fields, when the tab is opened and has no result."""
        return gr.skip() if key else tab.show_score(*values, progress=progress)

    opened = corpus.select(open_tab, [tab.key, *fields], outputs, **{**work, "js": "bleuPage.open"})
    opened.then(None, js="() => bleuPage.answer()")
    gr.on([field.change for field in inputs], None, inputs, None, js="bleuPage.changed")
    _, convention, option_fields = tab.options
    convention.input(
        lambda name: dict(zip(option_fields, convention_values(name))), convention, option_fields, **limits.QUIET
    )
    for component in (tab.summary, tab.answer):
        applied = component.click(tab.apply, choices, choices, **limits.QUIET)
        again = applied.then(tab.show_score, fields, outputs, **work)
        again.then(None, js="() => { bleuPage.answer(); bleuPage.keepFocus('#score'); }")


def _connect_sentence(tab: CorpusTab, tabs: gr.Tabs, sentence: Sentence) -> None:
    """Open segments in the tab for one sentence, with one or two candidates, and lead back."""

    def fill(key: str, number: str, systems: Sequence[str]) -> Update:
        try:
            scored, segment = read_segment(key, number, systems)
        except limits.RejectedError as error:
            raise gr.Error(str(error), print_exception=False) from None
        first, *others = (text.replace("\n", " ") for text in segment.predictions)
        second = others[0] if others else ""
        lines = "\n".join(text.replace("\n", " ") for text in segment.references)
        options = {**scored.options, "effective_order": True}
        return {
            tabs: gr.update(selected="sentence"),
            **sentence.show(Shown((first, second, lines)), [options[name] for name in SCORING_OPTIONS]),
            sentence.second_fold: gr.update(open=bool(second)),
            sentence.back: gr.update(value=f"Back to segment {number}", visible=True),
        }

    def open_segment(event: gr.EventData, key: str) -> Update:
        return fill(key, str(event.segment), ())

    def open_pair(event: gr.EventData, key: str, *pair: str) -> Update:
        return fill(key, str(event.segment), pair) if event.action == "sentence" else {opened: ""}

    opened, target = tab.differences.opened, [tabs, *sentence.outputs(), sentence.second_fold, sentence.back]
    segment = tab.segments.listing.click(open_segment, tab.key, target, **limits.QUIET)
    segment.then(None, js="() => bleuPage.visit('#back')")
    pair = [tab.key, tab.differences.first, tab.differences.second]
    both = opened.click(open_pair, pair, [opened, *target], **limits.QUIET)
    both.then(None, js="() => bleuPage.leave()")
    update = {tabs: gr.update(selected="corpus"), sentence.back: gr.update(visible=False)}
    back = sentence.back.click(lambda: update, None, [tabs, sentence.back], **limits.QUIET)
    back.then(None, js="() => bleuPage.comeBack()")


def render_system(scored: Scored, result: Any) -> tuple[str, str]:
    """Return the result of a single system as HTML: the score, and the details."""
    _, table = read_segments(scored.key)
    scores, ratios = (table[name].to_numpy() for name in ("bleu", "length_ratio"))
    (name,), confidence = scored.systems, scored.options["confidence"]
    sentence = quote_system(name, result, len(scores), confidence, scored.remark)
    count = html.count_things(len(scores), "segment")
    caption = ", ".join(filter(None, [_write_interval(result, confidence), count, scored.remark]))
    facts = [(f"BLEU-{n}", f"{100 * score:.2f}") for n, score in enumerate(result["bleu_by_order"], 1)]
    facts += [
        ("brevity penalty", f"{result['brevity_penalty']:.4f}"),
        ("length ratio", f"{result['length_ratio']:.4f}"),
        ("tokens", f"{result['translation_length']:,}"),
        ("reference tokens", f"{result['reference_length']:,}"),
    ]
    ratio_title = "Segments by length ratio, 1 is as long as the reference"
    charts = html.histogram(100 * scores, 0, 100, 20, "Segments by BLEU, with effective order") + html.histogram(
        ratios[~np.isnan(ratios)], 0, 2, 20, ratio_title
    )
    summary = (
        f'<div class="bleu-headline" data-announce="{html.show(sentence)}">{html.headline(result["score"], caption)}'
        f'</div><p class="bleu-copies">{html.signature(result["signature"])} {html.copy_button(sentence, "sentence")}'
        f"{_copy_table(result)}</p>"
    )
    bars = html.precision_bars(result)
    return summary, f'{html.facts(facts)}{bars}<div class="bleu-sides">{charts}</div>'


def render_systems(
    scored: Scored, comparison: Any, ranking: Mapping[str, Any], best: str, identical: Mapping[str, str]
) -> tuple[str, str]:
    """Return several systems as HTML: the verdict, and a table; `best` is the best system but the baseline."""
    confidence, systems, baseline = scored.options["confidence"], comparison["systems"], comparison["baseline"]
    for pair in ranking.get("pairs", ()):  # one test of all pairs decides on each verdict
        if baseline in pair["systems"] and "p_adjusted" in pair:
            (name,) = {*pair["systems"]} - {baseline}
            systems[name]["p_adjusted"] = pair["p_adjusted"]
    same = {name for name in systems if identical.get(name, name) == identical.get(baseline, baseline)}
    sentences = {name: quote_comparison(comparison, name, name in same, confidence) for name in systems}
    ends = [100 * end for one in systems.values() for end in one.get("confidence_interval", ())]
    scale = (min(ends), max(ends)) if ends else None
    head = ["system", "rank", "BLEU", "interval", "", "difference", "interval of difference", "p", "verdict", ""]
    ranks = {one["system"]: " to ".join(map(str, dict.fromkeys(one["rank_range"]))) for one in ranking.get("ranking", ())}
    rows = []
    for name in ranks or systems:
        one = systems[name]
        identity = f"identical to {identical[name]}" if name in identical else ""
        verdict = identity if name in same and identity else ", ".join(filter(None, [judge(one), identity]))
        copy_button = html.copy_button(sentences[name], "sentence")
        rows.append([name, ranks.get(name, ""), *_describe_system(one, scale), verdict, copy_button])
    if not ranks:
        head, rows = [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]
    verdict = state_ranking(ranking["ranking"], identical) if ranks else state_verdict(comparison, best, best in same)
    quoted = sentences[best].replace(f"; {comparison['signature']}", "")  # it is shown below
    summary = (
        f'<div data-announce="{html.show(f"{verdict} {quoted}")}">{html.verdict(verdict)}{html.quote(quoted)}</div>'
        f'<p class="bleu-copies">{html.copy_button(sentences[best], "sentence")}{_copy_table(comparison)}</p>'
        f"{html.signature(comparison['signature'])}"
    )
    return summary, html.rows(head, rows) + (html.message(_RANKING_NOTE, "note") if ranks else "")


def render_groups(results: Mapping[str, Mapping[str, Any]], confidence: float | None) -> str:
    """Return a table of the score of each system per group and of both averages, empty without groups.

    The interval is shown for a single system.
    """
    if not all("groups" in result for result in results.values()):
        return ""
    by_system = [_list_groups(result) for result in results.values()]
    rows = []
    for place, (name, _) in enumerate(by_system[0]):
        row = [name, *(f"{groups[place][1]['score']:.2f}" for groups in by_system)]
        interval = _write_interval(by_system[0][place][1], confidence).partition("interval ")[2]
        rows.append([*row, interval] if len(results) == 1 else row)
    head = ["group", *(["BLEU", "interval"] if len(results) == 1 else results)]
    return html.heading("Score per group") + html.rows(head, rows)


def _list_groups(result: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the groups of a result and its averages, each with its name."""
    macro = {key.removeprefix("macro_"): value for key, value in result.items() if key.startswith("macro_")}
    groups = [(label or "no label", group) for label, group in result["groups"].items()]
    return [*groups, ("micro-average", result), ("macro-average", macro)]


def find_identical(systems: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Return, for each system that has the texts of an earlier one, the name of the earlier one.

    >>> find_identical({"A": ["a"], "B": ["b"], "C": ["a"]})
    {'C': 'A'}
    """
    names = list(systems)
    pairs = ((name, earlier) for i, name in enumerate(names) for earlier in reversed(names[:i]))
    return {name: earlier for name, earlier in pairs if systems[name] == systems[earlier]}


def state_verdict(comparison: Mapping[str, Any], name: str, is_identical: bool) -> str:
    """Return the result of a comparison in a sentence; `name` is the best system but the baseline.

    >>> systems = {"A": {"score": 20.0}, "B": {"score": 21.5, "delta": 0.015, "p_value": 0.004}}
    >>> state_verdict({"systems": systems, "baseline": "A"}, "B", False)
    'B is better than A by 1.50 BLEU.'
    """
    systems, baseline = comparison["systems"], comparison["baseline"]
    if is_identical:
        return f"{name} and {baseline} are identical."
    one = systems[name]
    better, worse = (name, baseline) if one["delta"] > 0 else (baseline, name)
    points = f"{100 * abs(one['delta']):.2f} BLEU"
    if judge(one) == "may be chance":
        return f"{better} may be no better than {worse}: {points} may be chance."
    return f"{better} is better than {worse} by {points}."


def state_ranking(ranking: Sequence[Mapping[str, Any]], identical: Mapping[str, str]) -> str:
    """Return the best systems in a sentence: those that no other system is better than.

    >>> ranking = [{"system": name, "rank": [1, 3]} for name in "ABC"]
    >>> state_ranking(ranking, {})
    'Of 3 systems, A, B and C are best: the differences between them may be chance.'
    >>> state_ranking(ranking, {"C": "A"})
    'Of 3 systems, A, B and C are best: C is identical to A, the other differences may be chance.'
    >>> state_ranking([*ranking[:2], {"system": "C", "rank": [3, 3]}], {"B": "A"})
    'Of 3 systems, A and B are best: B is identical to A.'
    """
    best = [one["system"] for one in ranking if one["rank_range"][0] == 1]
    if len(best) == 1:
        return f"Of {len(ranking)} systems, {best[0]} is best: it is better than each of the others."
    reasons = [f"{name} is identical to {identical[name]}" for name in best if name in identical]
    if len(reasons) < len(best) - 1:
        reasons.append(f"the {'other differences' if reasons else 'differences between them'} may be chance")
    return f"Of {len(ranking)} systems, {join_clauses(best)} are best: {', '.join(reasons)}."


def _copy_table(result: Any) -> str:
    """Return the buttons that copy the table of a result."""
    formats = {"table as Markdown": result.to_markdown(), "as LaTeX": result.to_latex()}
    return " ".join(html.copy_button(text, name) for name, text in formats.items())


def quote_system(name: str, result: Mapping[str, Any], count: int, confidence: float | None, remark: str) -> str:
    """Return the score in a sentence to quote.

    >>> quote_system("A", {"score": 20.0, "signature": "nrefs:1"}, 2000, None, "")
    'A scores 20.00 BLEU on 2,000 segments (nrefs:1).'
    """
    inside = "; ".join(filter(None, [_write_interval(result, confidence), result["signature"], remark]))
    return f"{name} scores {result['score']:.2f} BLEU on {html.count_things(count, 'segment')} ({inside})."


def quote_comparison(comparison: Mapping[str, Any], name: str, is_identical: bool, confidence: float | None) -> str:
    """Return the difference between a system and the baseline in a sentence to quote.

    >>> a, b = {"score": 20.0}, {"score": 21.5, "delta": 0.015, "p_value": 0.004}
    >>> comparison = {"systems": {"A": a, "B": b}, "baseline": "A", "test": "bootstrap", "signature": "nrefs:1"}
    >>> quote_comparison(comparison, "B", False, None)
    'B scores 21.50 BLEU and A 20.00: +1.50 (p = 0.0040, paired bootstrap; nrefs:1).'
    """
    baseline, one = comparison["baseline"], comparison["systems"][name]
    if name == baseline:
        inside = "; ".join(filter(None, [_write_interval(one, confidence), comparison["signature"]]))
        return f"{name} scores {one['score']:.2f} BLEU ({inside})."
    if is_identical:
        return f"{name} and {baseline} have the same text in every segment, {one['score']:.2f} BLEU."
    found = comparison["signature"]
    if "p_value" in one:
        found = f"p = {one['p_value']:.4f}, {TESTS[comparison['test']].says}; {found}"
    if "delta_interval" in one and confidence:
        low, high = (100 * end for end in one["delta_interval"])
        found = f"{confidence:.0%} interval {low:+.2f} to {high:+.2f}, {found}"
    sentence = (
        f"{name} scores {one['score']:.2f} BLEU and {baseline} {comparison['systems'][baseline]['score']:.2f}:"
        f" {100 * one['delta']:+.2f} ({found})."
    )
    if one.get("p_value", 1) < 0.05 <= one.get("p_adjusted", 0):
        count = len(comparison["systems"])
        sentence += f" Corrected for the comparisons of {count} systems, the difference may be chance."
    if detectable := one.get("detectable_delta"):
        sentence += f" With this test set, true differences below about {100 * detectable:.1f} often go unnoticed."
    return sentence


def judge(system: Mapping[str, Any]) -> str:
    """Return the verdict of the test; among several systems, of that of all pairs.

    >>> judge({"delta": 0.01, "p_value": 0.01}), judge({"delta": 0.01, "p_value": 0.01, "p_adjusted": 0.05})
    ('better', 'may be chance')
    """
    if "delta" not in system:
        return "baseline"
    if system.get("p_adjusted", system.get("p_value", 1)) >= 0.05:  # one segment has no p-value
        return "may be chance"
    return "better" if system["delta"] > 0 else "worse"


def _caution(count: int, confidence: float | None) -> list[str]:
    """Return the caution about an interval over few segments; for less than 30, the metric has its own."""
    if not 30 <= count < limits.FEW_SEGMENTS or not confidence:
        return []
    few = limits.FEW_SEGMENTS
    return [f"{count} segments are few: fewer than {few} say little about other texts, whatever the interval."]


def _describe_system(system: Mapping[str, Any], scale: tuple[float, float] | None) -> list[str]:
    """Return the cells between the name and the verdict."""
    interval = bar = difference = delta_interval = p_value = ""
    if "confidence_interval" in system and scale:
        low, high = (100 * end for end in system["confidence_interval"])
        interval, bar = f"{low:.2f} to {high:.2f}", html.draw_interval(low, system["score"], high, scale)
    if "delta" in system:
        difference = f"{100 * system['delta']:+.2f}"
    if "p_value" in system:
        p_value = f"{system['p_value']:.4f}"
    if "delta_interval" in system:
        delta_interval = " to ".join(f"{100 * end:+.2f}" for end in system["delta_interval"])
    return [f"{system['score']:.2f}", interval, bar, difference, delta_interval, p_value]


def _write_interval(result: Mapping[str, Any], confidence: float | None) -> str:
    if not confidence or "confidence_interval" not in result:
        return ""
    low, high = (100 * end for end in result["confidence_interval"])
    return f"{confidence:.0%} interval {low:.2f} to {high:.2f}"


def explain_number(key: str, system: str, reported: str) -> str:
    """Return the settings that give a reported score, or all conventions if none is reported, as HTML."""
    try:
        scored, table = read_segments(key)
        predictions = table[scored.name_column(system, "prediction")].to_pylist()
        references = table["references"].to_pylist()
        with collect_warnings():
            if not reported.strip():
                return _render_conventions(request_conventions(predictions, references))
            found = request_settings(predictions, references, reported.strip(), None, {}, load_with(scored.options))
        return _render_settings(found, system, scored, is_unspaced(predictions))
    except limits.ERRORS as error:
        text = limits.explain_error(error)
        is_unreadable = text.startswith("reported=")  # the name is Python's
        return html.message("Type the score as a number from 0 to 100, such as 27.30." if is_unreadable else text)


def tell_story(score: float, setting: Mapping[str, Any], reported: str) -> str:
    """Return the changes that lead from one score to another, in a sentence.

    >>> step = {"factor": "references", "value": 0, "difference": -0.19}
    >>> tell_story(53.34, {"score": 34.0, "steps": [step]}, "34.00")
    'Your 53.34 becomes 34.00 if only the first reference is used.'
    """
    clauses = _describe_steps(setting)
    if not clauses:
        return f"Your {score:.2f} is {reported} already, as it is scored here."
    return f"Your {score:.2f} becomes {setting['score']:.2f} if {join_clauses(clauses)}."


def _render_settings(found: Mapping[str, Any], system: str, scored: Scored, unspaced: bool) -> str:
    settings = found["matches"] or found["nearest"]
    # `zh` splits what it does not know as 13a does: it is proposed for text without spaces only.
    plausible = [one for one in settings if unspaced or one["options"].get("tokenize") != "zh"]
    settings = (plausible or settings)[: limits.SHOWN_SETTINGS]
    best, reported = settings[0], str(found["reported"])
    score = best["score"] - 100 * sum(step["difference"] for step in best["steps"])
    story = tell_story(score, best, reported)
    if found["matches"]:
        verb = "gives" if len(settings) == 1 else "give"
        heading = f"{html.count_things(len(settings), 'setting')} {verb} {reported}"
    else:
        story = f"No setting gives {reported}. The nearest: {story[0].lower()}{story[1:]}"
        heading = "The nearest settings"
    differences = [100 * step["difference"] for step in best["steps"] if step["difference"]]
    chart = html.waterfall(
        html.Change(f"{system}, as scored", score),
        list(map(html.Change, _describe_steps(best), differences)),
        html.Change("the reported number" if found["matches"] else "the nearest", best["score"]),
    )
    rows = [
        [
            join_clauses(_describe_steps(one)) or "as it is scored here",
            f"{one['score']:.2f}",
            _apply_button(one, scored),
            one["signature"],
        ]
        for one in settings
    ]
    listed = html.rows(["if", "BLEU", "", "signature"], rows)
    return f'<div data-announce="{html.show(story)}">{html.quote(story)}</div>{chart}{html.heading(heading)}{listed}'


def _render_conventions(conventions: Mapping[str, Any]) -> str:
    rows = [
        [
            CONVENTION_NAMES[name],
            f"{one['score']:.2f}",
            f"{100 * one['difference']:+.2f}",
            join_clauses(_describe_steps(one)) or "as it is",
            html.button("Apply", "apply", convention=name),
            one["signature"],
        ]
        for name, one in conventions.items()
    ]
    scores = [one["score"] for one in conventions.values()]
    story = f"From {min(scores):.2f} to {max(scores):.2f}, depending on the convention."
    return html.quote(story) + html.rows(["as", "BLEU", "difference", "because", "", "signature"], rows)


def _describe_steps(setting: Mapping[str, Any]) -> list[str]:
    return [describe_setting(step["factor"], step["value"]) for step in setting["steps"] if step["difference"]]


def _apply_button(setting: Mapping[str, Any], scored: Scored) -> str:
    """Return a button that applies a setting; all other options, and a chosen reference, stay as scored.

    The demo scores a corpus, so a mean of segment scores has no button.
    """
    if "segments" in setting["options"]:
        return ""
    options = {name: scored.options[name] for name in SCORING_OPTIONS} | setting["options"]
    references = setting["references"] if scored.which == "all" else scored.which
    return html.button("Apply", "apply", options=html.json_text(options), references=str(references))
