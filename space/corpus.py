"""The tab for a corpus: one system is scored, several are compared, and a reported score is explained."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import gradio as gr
import numpy as np

from . import html, limits
from .metric import (
    TESTS,
    collect_warnings,
    load_with,
    report,
    request_comparison,
    request_conventions,
    request_ranking,
    request_settings,
    write_p,
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
from .scored import (
    Scored,
    count_submission,
    prepare_submission,
    read_segment,
    read_segments,
    score_submission,
)
from .segments import Differences, Segments, add_differences, add_segments
from .sentence import Sentence, Shown, Update
from .sources import EXAMPLE_NOTE, Sources, Submission, add_sources, is_example, read_submission

_FIXES = [("Make quotes straight", "quotes"), ("Detokenize predictions", "detokenize")]
_OUTDATED = '<p class="bleu-message bleu-old">Something has changed since: press Score.</p>'


class CorpusTab(NamedTuple):
    """The components of the tab: the fields, and the results below them."""

    sources: Sources
    which: gr.Dropdown
    fixes: gr.CheckboxGroup
    test: gr.Radio
    options: OptionFields
    fixed: (
        gr.JSON
    )  # the texts that a remedy was pressed for, its changes, and the choices before; hidden
    message: gr.HTML
    column: gr.Column
    key: gr.Textbox  # of the result; hidden
    summary: gr.HTML
    baseline: gr.Dropdown
    details: gr.HTML
    download: gr.DownloadButton
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
        head = [
            self.options.fold,
            self.message,
            self.column,
            self.key,
            self.summary,
            self.baseline,
            self.details,
        ]
        below = [self.download, *self.segments, *self.differences, self.system, self.answer]
        return [*head, *below, *self.choices(), self.fixed]

    # Not `score`: Gradio would give that name to this handler, and another to the endpoint.
    def show_score(self, *values: Any, progress: gr.Progress = gr.Progress()) -> Update:  # noqa: B008 for Gradio
        """Return the update that shows the result for the values of the inputs, baseline and system asked about."""
        given = dict(zip([*self.inputs(), self.baseline, self.system, self.fixed], values))
        try:
            return limits.run(lambda: self._score(given, progress))
        except limits.ERRORS as error:
            failed = html.message(limits.explain_error(error))
            return {self.message: failed, self.column: gr.update(visible=False), self.key: ""}

    def _score(self, given: Update, progress: gr.Progress) -> Update:
        # 1. Read the texts. What a remedy has changed for other texts goes back.
        progress(0.1, desc="Reading")
        sources = [given[field] for field in self.sources]
        read = read_submission(sources)
        changed = self._go_back(given, read)
        given |= changed
        options = read_options([given[field] for field in self.options.fields])
        submission, remark = prepare_submission(read, given[self.which], given[self.fixes])
        systems, references, _, documents = submission
        # 2. Score each system, and compare several: with the baseline, and three or more with each
        #    other.
        progress(0.4, desc="Scoring")
        with collect_warnings() as warnings:
            counted = count_submission(submission, options)
            tables = {name: table for name, (_, table) in counted.items()}
            names = sorted(systems, key=lambda name: -counted[name][0]["score"])
            baseline = given[self.baseline] if given[self.baseline] in systems else names[:2][-1]
            if len(names) > 1:
                comparison = request_comparison(
                    tables, None, baseline, given[self.test], options=options, documents=documents
                )
                ranking = request_ranking(tables, options, documents) if len(names) > 2 else {}
                progress(0.7, desc="Writing")
            scored, results = score_submission(
                submission, options, given[self.which], remark, counted=counted
            )
        self.download.temp_files.update(
            scored.list_files()
        )  # Gradio deletes the files in this set when they are old
        # 3. Draw the result, with the segments of one system, or the differences between two.
        progress(0.9, desc="Drawing")
        if len(names) > 1:
            summary, details = render_systems(
                scored, comparison, ranking, names, find_identical(systems)
            )
            best = next(name for name in names if name != baseline)
            below = self.differences.show(scored, baseline, best)
        else:
            summary, details = render_system(scored, results[baseline])
            below = self.segments.show(scored)
        details += render_groups(results, options["confidence"])
        remedies, notes = add_warnings(
            find_remedies(systems[baseline], references, options), warnings
        )
        # For fewer than 30, the metric has its own caution.
        if options["confidence"] and 30 <= (count := len(references)) < limits.FEW_SEGMENTS:
            notes.append(
                f"{count} segments is a small sample: results may not carry over to other texts."
            )
        example = html.message(EXAMPLE_NOTE, "note") if is_example(sources) else ""
        example += (
            "<span data-back></span>" if len(changed) > 1 else ""
        )  # page.js: the fields are as scored
        asked_about = given[self.system] if given[self.system] in systems else names[0]
        choices = [("the second best", ""), *((name, name) for name in scored.systems)]
        reason = "for these texts" if given[self.fixed] else ""
        return {
            **changed,
            self.options.fold: gr.update(
                label=fold_label(options, ", ".join(filter(None, [remark, reason])))
            ),
            self.message: "",
            self.column: gr.update(visible=True),
            self.key: scored.key,
            self.summary: summary + example + html.remedies(remedies) + html.notes(notes),
            self.baseline: gr.update(
                choices=choices,
                value=baseline if given[self.baseline] == baseline else "",
                visible=len(names) > 1,
            ),
            self.details: details,
            self.download: scored.list_files()[0],
            self.segments.column: gr.update(visible=len(names) == 1),
            self.differences.column: gr.update(visible=len(names) > 1),
            **below,
            self.system: gr.update(
                choices=scored.systems, value=asked_about, visible=len(names) > 1
            ),
            self.answer: "",
        }

    def apply(self, event: gr.EventData, *values: Any) -> Update:
        """Return the update after a button has changed some fields."""
        given, data = dict(zip([*self.inputs(), self.fixed], values)), event._data
        option_values = [given[field] for field in self.options.fields]
        if "convention" in data:
            option_values = convention_values(data["convention"])
        option_values = change_options(ALL_OPTIONS, option_values, data.get("options", "{}"))
        update: Update = dict(zip(self.options.fields, option_values))
        if data.get("references"):
            update[self.which] = "all" if data["references"] == "all" else int(data["references"])
        if data.get("fix"):
            update[self.fixes] = [*dict.fromkeys([*given[self.fixes], data["fix"]])]
        before = (given[self.fixed] or {}).get("before") or [
            given[field] for field in self.choices()
        ]
        fixed = {"texts": self._name_texts(given), "before": before, "button": dict(data)}
        return {
            **update,
            self.fixed: fixed if "fix" in data else None,
        }  # only remedies have a fix, which may be empty

    def _go_back(self, given: Update, read: Submission) -> Update:
        """Return the choices before a remedy was pressed, if it was for other texts and these don't need it."""
        fixed = given[self.fixed]
        if not fixed or fixed["texts"] == self._name_texts(given):
            return {}
        before = dict(zip(self.choices(), fixed["before"]))
        options = read_options([before[field] for field in self.options.fields])
        found = find_remedies(next(iter(read.systems.values())), read.references, options)
        button = fixed["button"].get("fix", ""), json.loads(fixed["button"].get("options", "{}"))
        if any((one.fix, one.options) == button for one in found):
            return {self.fixed: {**fixed, "texts": self._name_texts(given)}}
        return {**before, self.fixed: None}

    def _name_texts(self, given: Update) -> str:
        """Return what tells the texts in the fields from others."""
        return str(hash(str([given[field] for field in self.sources])))


def add_corpus_tab(tabs: gr.Tabs, corpus: gr.Tab, sentence: Sentence) -> None:
    """Add the tab's components and their event handlers."""
    with gr.Column(elem_id="corpus-inputs"):
        options = add_options("corpus", ALL_OPTIONS)
        with options.fold, gr.Row():
            which = gr.Dropdown(
                [
                    ("all", "all"),
                    *((f"only number {i}", i - 1) for i in range(1, limits.MAX_REFERENCES + 1)),
                ],
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
    key, fixed = gr.Textbox(visible=False), gr.JSON(visible=False)
    with gr.Column(visible=False, elem_id="corpus", elem_classes="bleu-results") as column:
        html.add_html(_OUTDATED)
        with gr.Row(elem_id="verdict"):
            with gr.Column(scale=7, min_width=300):
                summary = html.add_clickable("", "corpus-summary")
            with gr.Accordion("Expected a different score?", open=False, elem_id="why-part"):
                system = html.add_system_field("System", "why-system")
                label = "Reported score, with its signature if known (leave empty to see all conventions)"
                reported = gr.Textbox(
                    label=label, max_length=limits.MAX_VALUE_LENGTH, elem_id="reported"
                )
                why = gr.Button("Find out why", elem_id="why")
        answer = html.add_clickable("", "why-answer")
        baseline = html.add_system_field("Baseline", "baseline")
        details = html.add_clickable("", "corpus-details")
        download = gr.DownloadButton(
            "Segments (CSV)", size="sm", elem_id="download-csv", elem_classes="bleu-download"
        )
        segments, differences = add_segments(key), add_differences(key)

    answer_number = partial(limits.run, explain_number)
    gr.on(
        [why.click, reported.submit],
        answer_number,
        [key, system, reported],
        answer,
        **limits.PRIVATE_WORK,
    )
    system.input(
        None, None, answer, js="() => ''"
    )  # at once: the next answer may be asked for already
    above = (
        sources,
        which,
        fixes,
        test,
        options,
        fixed,
        message,
        column,
        key,
        summary,
        baseline,
        details,
        download,
    )
    tab = CorpusTab(*above, segments, differences, system, answer)
    _connect(tab, corpus, button)
    _connect_sentence(tab, tabs, sentence)


def _connect(tab: CorpusTab, corpus: gr.Tab, button: gr.Button) -> None:
    inputs, choices, outputs = tab.inputs(), tab.choices(), tab.outputs()
    fields = [*inputs, tab.baseline, tab.system, tab.fixed]
    work = {**limits.PRIVATE_WORK, "js": "bleuPage.ask", "show_progress_on": tab.message}
    pressed = gr.on([button.click, tab.baseline.input], tab.show_score, fields, outputs, **work)
    pressed.then(None, inputs, js="bleuPage.answer")

    def open_tab(key: str, *values: Any, progress: gr.Progress = gr.Progress()) -> Any:  # noqa: B008 for Gradio
        """Score the example, or what is in the fields, when the tab is opened and has no result."""
        return gr.skip() if key else tab.show_score(*values, progress=progress)

    opened = corpus.select(open_tab, [tab.key, *fields], outputs, **{**work, "js": "bleuPage.open"})
    opened.then(None, inputs, js="bleuPage.answer")
    gr.on([field.change for field in inputs], None, inputs, None, js="bleuPage.changed")
    own = [tab.options.convention, *choices]  # what a visitor chooses stays with other texts
    gr.on([field.input for field in own], None, None, tab.fixed, js="() => null")
    _, convention, option_fields = tab.options
    convention.input(
        lambda name: dict(zip(option_fields, convention_values(name))),
        convention,
        option_fields,
        **limits.QUIET,
    )
    for component in (tab.summary, tab.answer):
        applied = component.click(
            tab.apply, [*inputs, tab.fixed], [*choices, tab.fixed], **limits.QUIET
        )
        again = applied.then(tab.show_score, fields, outputs, **work)
        again.then(
            None,
            inputs,
            js="(...values) => { bleuPage.answer(...values); bleuPage.keepFocus('#score'); }",
        )


def _connect_sentence(tab: CorpusTab, tabs: gr.Tabs, sentence: Sentence) -> None:
    """Open segments in the tab for one sentence, with one or two candidates, and lead back."""

    def fill(key: str, number: str, systems: Sequence[str]) -> Update:
        try:
            scored, segment = read_segment(key, number, systems)
        except limits.RejectedError as error:
            raise gr.Error(str(error), print_exception=False) from None
        first, second, *_ = (*(text.replace("\n", " ") for text in segment.predictions), "")
        shown = *(systems or scored.systems), "Second candidate"
        names = shown[0], shown[1]
        lines = "\n".join(text.replace("\n", " ") for text in segment.references)
        options = {**scored.options, "effective_order": True}
        return {
            tabs: gr.update(selected="sentence"),
            **sentence.show_opened(
                Shown((first, second, lines), names), [options[name] for name in SCORING_OPTIONS]
            ),
            sentence.back: gr.update(value=f"Back to segment {number}", visible=True),
        }

    def open_segment(event: gr.EventData, key: str) -> Update:
        return fill(key, str(event.segment), ())

    def open_pair(event: gr.EventData, key: str, *pair: str) -> Update:
        return fill(key, str(event.segment), pair) if event.action == "sentence" else {opened: ""}

    opened, target = (
        tab.differences.opened,
        [tabs, *sentence.outputs(), sentence.second_fold, sentence.back],
    )
    segment = tab.segments.listing.click(open_segment, tab.key, target, **limits.QUIET)
    segment.then(None, js="() => bleuPage.visit('#back')")
    pair = [tab.key, tab.differences.first_system, tab.differences.second_system]
    both = opened.click(open_pair, pair, [opened, *target], **limits.QUIET)
    both.then(None, js="() => bleuPage.leave()")
    update = {tabs: gr.update(selected="corpus"), sentence.back: gr.update(visible=False)}
    back = sentence.back.click(lambda: update, None, [tabs, sentence.back], **limits.QUIET)
    back.then(None, js="() => bleuPage.comeBack()")


def render_system(scored: Scored, result: Any) -> tuple[str, str]:
    """Return the result of a single system as HTML: the score, and the details."""
    _, table = read_segments(scored.key)
    scores, ratios = (table[name].to_numpy() for name in ("bleu", "length_ratio"))
    count = html.count_things(len(scores), "segment")
    if scored.documents:
        count += f" of {html.count_things(scored.documents, 'document')}"
    caption = ", ".join(
        filter(None, [_write_interval(result, scored.options["confidence"]), count, scored.remark])
    )
    about = ", ".join(filter(None, [scored.systems[0], count, scored.remark]))
    sentence = f"{about}: {_quote(result)}"
    facts = [
        (f"BLEU-{n}", f"{100 * score:.2f}") for n, score in enumerate(result["bleu_by_order"], 1)
    ]
    facts += [
        ("length ratio", f"{result['length_ratio']:.4f}"),
        ("tokens", f"{result['translation_length']:,}"),
        ("reference tokens", f"{result['reference_length']:,}"),
    ]
    ratio_title = "Length ratio by segment (1 = same length as the reference)"
    charts = html.histogram(
        100 * scores, 0, 100, 20, "Segments by BLEU, with effective order"
    ) + html.histogram(ratios[~np.isnan(ratios)], 0, 2, 20, ratio_title)
    tables = html.copy_button(result.to_markdown(), "table as Markdown") + html.copy_button(
        result.to_latex(), "as LaTeX"
    )
    summary = (
        f'<div class="bleu-headline" data-announce="{html.show(sentence)}">{html.headline(result["score"], caption)}'
        f'</div><p class="bleu-copies">{html.signature(result["signature"])} {html.copy_button(sentence, "sentence")}'
        f"{tables}</p>"
    )
    bars = html.precision_bars(result)
    return summary, f'{html.facts(facts)}{bars}<div class="bleu-sides">{charts}</div>'


def render_systems(
    scored: Scored,
    comparison: Any,
    ranking: Any,
    names: Sequence[str],
    identical: Mapping[str, str],
) -> tuple[str, str]:
    """Return several systems as HTML: the verdict, and a table; `names` are those of the systems, the best first."""
    systems, baseline = comparison["systems"], comparison["baseline"]
    for pair in ranking.get("pairs", ()):  # one test of all pairs decides on each verdict
        if baseline in pair["systems"] and "p_adjusted" in pair:
            (name,) = {*pair["systems"]} - {baseline}
            systems[name] = {**systems[name], "p_adjusted": pair["p_adjusted"]}
    # 1. The table, the best system first.
    ends = [100 * end for one in systems.values() for end in one.get("confidence_interval", ())]
    scale = (min(ends), max(ends)) if ends else None
    p_name = "corrected p" if ranking else "p"
    interval = f"{scored.options['confidence']:.0%} interval" if ends else "interval"
    head = [
        "system",
        "rank",
        "BLEU",
        "verdict",
        interval,
        "",
        "difference",
        "interval of difference",
        p_name,
    ]
    ranges = {one["system"]: one["rank_range"] for one in ranking.get("ranking", ())}
    ranks = {name: " to ".join(map(str, dict.fromkeys(ends))) for name, ends in ranges.items()}
    rows = []
    for name in ranks or names:
        one, earlier = systems[name], identical.get(name)
        is_same = name != baseline and identical.get(name, name) == identical.get(
            baseline, baseline
        )
        verdict = "" if is_same and earlier else judge(one)
        verdict = ", ".join(filter(None, [verdict, f"identical to {earlier}" if earlier else ""]))
        rows.append(
            [
                name,
                ranks.get(name, ""),
                f"{one['score']:.2f}",
                verdict,
                *_describe_system(one, scale),
            ]
        )
    if not ranks:
        head, rows = [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]
    # 2. The verdict, and the sentence to quote.
    if ranks:
        verdict, sentence = state_ranking(ranking["ranking"], identical), _quote(ranking)
    else:
        verdict, sentence = state_verdict(comparison, names, bool(identical)), _quote(comparison)
    shown = f"{sentence.partition('; signature ')[0]}."
    # 3. How the table was made.
    detectable = systems[names[0] if names[0] != baseline else names[1]].get("detectable_delta")
    notes = (
        [f"p and verdicts are corrected for {len(ranking['pairs'])} comparisons (Holm)."]
        if ranks
        else []
    )
    if detectable and not identical:
        notes.append(
            f"With this test set, true differences below about {100 * detectable:.1f} often go unnoticed."
        )
    made = (ranking or comparison).to_markdown().rpartition("\n\n")[2]
    told = html.paragraph(verdict, "verdict") + html.paragraph(shown, "quote")
    copies = f"{html.copy_button(sentence, 'sentence')} {_copy_table(head, rows, made)}"
    summary = (
        f'<div data-announce="{html.show(f"{verdict} {shown}")}">{told}</div>'
        f'<p class="bleu-copies">{copies}</p>{html.signature(comparison["signature"])}'
    )
    return summary, html.rows(head, rows) + (html.message(" ".join(notes), "note") if notes else "")


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
    copies = f'<p class="bleu-copies">{_copy_table(head, rows, next(iter(results.values()))["signature"])}</p>'
    return html.fold("Score per group", html.rows(head, rows) + copies, level=2)


def _list_groups(result: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the groups of a result and its averages, each with its name."""
    macro = {
        key.removeprefix("macro_"): value
        for key, value in result.items()
        if key.startswith("macro_")
    }
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


def state_verdict(comparison: Mapping[str, Any], names: Sequence[str], are_identical: bool) -> str:
    """Return the result of a comparison of two systems in a sentence; the best one is named first.

    >>> systems = {"A": {"score": 20.0}, "B": {"score": 21.5, "delta": 0.015, "p_value": 0.004}}
    >>> state_verdict({"systems": systems, "baseline": "A"}, ["B", "A"], False)
    'B scores higher than A, by 1.50 BLEU.'
    """
    best, other = names
    if are_identical:
        return f"{best} and {other} are identical."
    one = next(system for system in comparison["systems"].values() if "delta" in system)
    points = f"{100 * abs(one['delta']):.2f} BLEU"
    if judge(one) == "may be chance":
        return f"{best} scores {points} higher than {other}, which may be chance."
    return f"{best} scores higher than {other}, by {points}."


def state_ranking(ranking: Sequence[Mapping[str, Any]], identical: Mapping[str, str]) -> str:
    """Return the best systems in a sentence: those that no other system is better than.

    >>> ranking = [{"system": name, "rank_range": [1, 3]} for name in "ABC"]
    >>> state_ranking(ranking, {})
    'Of 3 systems, A, B and C score highest: the differences between them may be chance.'
    >>> state_ranking(ranking, {"C": "A"})
    'Of 3 systems, A, B and C score highest: C is identical to A, the other differences may be chance.'
    >>> state_ranking([*ranking[:2], {"system": "C", "rank_range": [3, 3]}], {"B": "A"})
    'Of 3 systems, A and B score highest: B is identical to A.'
    """
    best = [one["system"] for one in ranking if one["rank_range"][0] == 1]
    if len(best) == 1:
        is_certain = ranking[0]["rank_range"] == [1, 1]
        return f"Of {len(ranking)} systems, {best[0]} scores highest{', by more than chance' * is_certain}."
    reasons = [f"{name} is identical to {identical[name]}" for name in best if name in identical]
    if len(reasons) < len(best) - 1:
        reasons.append(
            f"the {'other differences' if reasons else 'differences between them'} may be chance"
        )
    return f"Of {len(ranking)} systems, {join_clauses(best)} score highest: {', '.join(reasons)}."


def _quote(result: Any) -> str:
    """Return the sentence of a result's report, which ends with its signature."""
    return str(result.report().partition("\n")[0])


def _copy_table(head: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    """Return the buttons that copy a table as it is shown, but for what is drawn, with a note below."""
    kept = [i for i, name in enumerate(head) if name]
    cells = [[row[i] for i in kept] for row in [head, *rows]]
    markdown, latex = (
        f"{report.format_markdown(cells)}\n\n{note}",
        f"{report.format_latex(cells)}\n% {note}",
    )
    return html.copy_button(markdown, "table as Markdown") + html.copy_button(latex, "as LaTeX")


def judge(system: Mapping[str, Any]) -> str:
    """Return the verdict of the test; among several systems, of that of all pairs.

    >>> judge({"delta": 0.01, "p_value": 0.01}), judge({"delta": 0.01, "p_value": 0.01, "p_adjusted": 0.05})
    ('higher', 'may be chance')
    """
    if "delta" not in system:
        return "baseline"
    if system.get("p_adjusted", system.get("p_value", 1)) >= 0.05:  # one segment has no p-value
        return "may be chance"
    return "higher" if system["delta"] > 0 else "lower"


def _describe_system(system: Mapping[str, Any], scale: tuple[float, float] | None) -> list[str]:
    """Return the cells after the verdict."""
    interval = bar = difference = delta_interval = ""
    if "confidence_interval" in system and scale:
        low, high = (100 * end for end in system["confidence_interval"])
        interval, bar = (
            f"{low:.2f} to {high:.2f}",
            html.draw_interval(low, system["score"], high, scale),
        )
    if "delta" in system:
        difference = f"{100 * system['delta']:+.2f}"
    if "delta_interval" in system:
        delta_interval = " to ".join(f"{100 * end:+.2f}" for end in system["delta_interval"])
    p_value = system.get("p_adjusted", system.get("p_value"))
    return [interval, bar, difference, delta_interval, "" if p_value is None else write_p(p_value)]


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
            found = request_settings(
                predictions,
                references,
                reported.strip(),
                None,
                options={},
                metric=load_with(scored.options),
            )
        return _render_settings(found, system, scored, is_unspaced(predictions))
    except limits.ERRORS as error:
        text = limits.explain_error(error)
        is_unreadable = text.startswith("reported=")  # the name is Python's
        return html.message(
            "Type the score as a number from 0 to 100, such as 27.30." if is_unreadable else text
        )


def _render_settings(found: Any, system: str, scored: Scored, unspaced: bool) -> str:
    """Return the settings that give a score, each with its button, below a sentence on what that says."""
    settings = found["matches"] or found["other_matches"] or found["nearest"]
    # `zh` splits what it does not know as 13a does: it is proposed for text without spaces only.
    shown = [
        one for one in settings if unspaced or one["options"].get("tokenize") != "zh"
    ] or settings
    has_match = found["matches"] or found["other_matches"]
    likely = next((one for one in shown if one["plausible"]), None if has_match else shown[0])
    story = (
        f"{found._title().removesuffix(' The closest are:')} {tell_likely(found, likely)}".strip()
    )
    score = shown[0]["score"] - 100 * sum(step["delta"] for step in shown[0]["steps"])
    question = (
        f"You report a BLEU score of {found['reported']}. For the output of {system}, we get {score:.2f}. Which"
        " signature (number of references, case, tokenizer, smoothing) belongs to your score?"
    )
    rows = [
        [
            join_clauses(_describe_steps(one)) or "as it is scored here",
            f"{one['score']:.2f}",
            "yes" if one["plausible"] else "no",
            _apply_button(one, scored),
            one["signature"],
        ]
        for one in shown[: limits.SHOWN_SETTINGS]
    ]
    return (
        f'<div data-announce="{html.show(story)}">{html.paragraph(story, "quote")}</div>'
        f'<p class="bleu-copies">{html.copy_button(question, "question to the authors")}</p>'
        f"{html.rows(['if', 'BLEU', 'plausible', '', 'signature'], rows)}"
    )


def tell_likely(found: Mapping[str, Any], likely: Mapping[str, Any] | None) -> str:
    """Return what is likely after a search: the first plausible setting, if there is one that gives the score.

    >>> case = {"steps": [{"factor": "lowercase", "value": True, "delta": 0.01}]}
    >>> found = {"matches": [case], "other_matches": [], "verified": None, "chance": 0.01}
    >>> tell_likely(found, case), tell_likely({**found, "chance": 0.58}, None)
    ('Likely: case is ignored.', 'Likely: none of them. Ask for the signature.')
    >>> tell_likely({**found, "chance": 0.58}, case)
    'The most plausible, if it is not a coincidence: case is ignored. Ask for the signature.'
    """
    if found["verified"]:
        return ""
    changes = _describe_steps(likely) if likely else []
    words = join_clauses(changes) or "as it is scored here"
    if not found["matches"] and not found["other_matches"]:
        return f"The nearest: {words}."
    if likely is None or (len(changes) > 1 and found["chance"] > 0.5):
        return "Likely: none of them. Ask for the signature."
    if changes and found["chance"] > 0.05:
        return f"The most plausible, if it is not a coincidence: {words}. Ask for the signature."
    return f"Likely: {words}."


def _render_conventions(conventions: Mapping[str, Any]) -> str:
    rows = [
        [
            CONVENTION_NAMES[name],
            f"{one['score']:.2f}",
            f"{100 * one['delta']:+.2f}",
            join_clauses(_describe_steps(one)) or "as it is",
            html.button("Apply", "apply", convention=name),
            one["signature"],
        ]
        for name, one in conventions.items()
    ]
    scores = [one["score"] for one in conventions.values()]
    story = f"From {min(scores):.2f} to {max(scores):.2f}, depending on the convention."
    return html.paragraph(story, "quote") + html.rows(
        ["as", "BLEU", "difference", "because", "", "signature"], rows
    )


def _describe_steps(setting: Mapping[str, Any]) -> list[str]:
    return [
        describe_setting(step["factor"], step["value"])
        for step in setting["steps"]
        if step["delta"]
    ]


def _apply_button(setting: Mapping[str, Any], scored: Scored) -> str:
    """Return a button that applies a setting; all other options, and a chosen reference, stay as scored.

    The demo scores a corpus, so a mean of segment scores has no button.
    """
    if "segments" in setting["options"]:
        return ""
    options = {name: scored.options[name] for name in SCORING_OPTIONS} | setting["options"]
    references = setting["references"] if scored.which == "all" else scored.which
    return html.button("Apply", "apply", options=json.dumps(options), references=str(references))
