"""The tab for a corpus: it scores one system, compares several, and explains a reported score."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple, TypedDict, cast

import gradio as gr
import numpy as np
from gradio.blocks import Block

from . import html, limits
from .metric import (
    TESTS,
    FoundSetting,
    Options,
    Precisions,
    Rank,
    Reconciliation,
    Result,
    Setting,
    SystemScores,
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
    OptionField,
    OptionFields,
    add_options,
    change_options,
    convention_values,
    describe_setting,
    fold_label,
    join_clauses,
    leave_segments_effective,
    read_options,
)
from .remedies import add_warnings, find_remedies_of_systems, is_unspaced
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

Choice = gr.Dropdown | gr.CheckboxGroup | gr.Radio | OptionField
FieldValues = Mapping[Block, Any]  # what is chosen or typed in each field

_FIXES = [("Make quotes straight", "quotes"), ("Detokenize predictions", "detokenize")]
_LISTED_SEGMENTS = 10  # numbers of empty predictions in a sentence
_LONGEST_REPORT = 400  # characters of a pasted line with a score; those of sacreBLEU have 200
_EXPECTED_SCORE = "Type the score as a number from 0 to 100, such as 27.30."
_SCORE = re.compile(r"(?<![\w.,|:/])\d{1,3}(?:[.,]\d+)?(?![\w/|:]|[.,]\d)")
_SIGNATURE = re.compile(
    r"(?:BLEU\|)?((?:nrefs|#|case|c|eff|e|tok|smooth|s|version|v):[^|\s()]+"
    r"(?:\|[^|\s():]+:[^|\s()]+)*)"
)
_OUTDATED = '<p class="bleu-message bleu-old">Something has changed since: press Score.</p>'


class PressedRemedy(TypedDict):
    """A remedy that a visitor has pressed; it is for some texts, and others may not need it."""

    texts: str  # tells the texts from others
    before: list[object]  # the values of `CorpusTab.choices`
    button: dict[str, str]  # the data of its button


class Rendered(NamedTuple):
    """A result as HTML: what is in sight at once, and the details below."""

    summary: str
    details: str


class CorpusTab(NamedTuple):
    """The components of the tab: the fields, and the results below them."""

    sources: Sources
    which: gr.Dropdown
    fixes: gr.CheckboxGroup
    test: gr.Radio
    options: OptionFields
    remedy: gr.JSON  # a `PressedRemedy` or None; hidden
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

    def choices(self) -> list[Choice]:
        """Return the fields besides those for the texts."""
        return [self.which, self.fixes, self.test, *self.options.fields]

    def inputs(self) -> list[Choice | gr.File]:
        """Return all fields that a result depends on."""
        return [*self.sources, *self.choices()]

    def outputs(self) -> list[Block]:
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
        return [*head, *below, *self.choices(), self.remedy]

    # Not `score`: Gradio would give that name to this handler, and another to the endpoint.
    def show_score(
        self,
        *values: Any,
        progress: gr.Progress = gr.Progress(),  # noqa: B008 for Gradio
    ) -> Update:
        """Return the update that shows the result.

        The values are those of the inputs, of the baseline, of the system that is asked about, and
        of the remedy.
        """
        fields = [*self.inputs(), self.baseline, self.system, self.remedy]
        given: FieldValues = dict(zip(fields, values))
        try:
            return limits.run(self._score, given, progress)
        except limits.ERRORS as error:
            failed = html.message(limits.explain_error(error))
            return {self.message: failed, self.column: gr.update(visible=False), self.key: ""}

    def _score(self, given: FieldValues, progress: gr.Progress) -> Update:
        # 1. Read the texts. What a remedy has changed for other texts goes back.
        progress(0.1, desc="Reading")
        sources = [given[field] for field in self.sources]
        read = read_submission(sources)
        restored = self._go_back(given, read)
        chosen = {**given, **restored}
        options = self._read_options(chosen)
        submission, remark = prepare_submission(read, chosen[self.which], chosen[self.fixes])
        systems = submission.systems
        # 2. Score each system, compare them, and draw the result.
        computed = compute_result(
            submission,
            options,
            which=chosen[self.which],
            remark=remark,
            test=chosen[self.test],
            chosen_baseline=chosen[self.baseline],
            progress=progress,
        )
        scored, names, baseline = computed.scored, computed.names, computed.baseline
        # Gradio deletes the files in this set when they are old.
        self.download.temp_files.update(scored.list_files())
        # 3. Draw the segments of one system, or the differences between two.
        is_comparison = len(names) > 1
        if is_comparison:
            best = _find_rival(names, baseline)
            below = self.differences.show(scored, baseline, best)
        else:
            below = self.segments.show(scored)
        # 4. Add what the visitor should know about the texts.
        about_texts = html.message(EXAMPLE_NOTE, "note") if is_example(sources) else ""
        if len(restored) > 1:
            about_texts += "<span data-back></span>"  # page.js: the fields are as scored
        reason = "for these texts" if chosen[self.remedy] else ""
        label = fold_label(options, _join_present(remark, reason))
        # 5. Update the page. The baseline's field is empty unless the visitor has chosen one.
        baselines = [("the second best", ""), *((name, name) for name in scored.systems)]
        chosen_baseline = baseline if chosen[self.baseline] == baseline else ""
        asked_about = chosen[self.system] if chosen[self.system] in systems else names[0]
        return {
            **restored,
            self.options.fold: gr.update(label=label),
            self.message: "",
            self.column: gr.update(visible=True),
            self.key: scored.key,
            self.summary: computed.rendered.summary + about_texts,
            self.baseline: gr.update(
                choices=baselines, value=chosen_baseline, visible=is_comparison
            ),
            self.details: computed.rendered.details + render_groups(computed.results),
            self.download: scored.list_files().csv,
            self.segments.column: gr.update(visible=not is_comparison),
            self.differences.column: gr.update(visible=is_comparison),
            **below,
            self.system: gr.update(
                choices=scored.systems, value=asked_about, visible=is_comparison
            ),
            self.answer: "",
        }

    def apply(self, event: gr.EventData, *values: Any) -> Update:
        """Return the update after a button has changed some fields."""
        given: FieldValues = dict(zip([*self.inputs(), self.remedy], values))
        data = event._data
        if "convention" in data:
            option_values = convention_values(data["convention"])
        else:
            option_values = [given[field] for field in self.options.fields]
        changed_values = change_options(ALL_OPTIONS, option_values, data.get("options", "{}"))
        update: Update = dict(zip(self.options.fields, changed_values))
        if data.get("references"):
            update[self.which] = "all" if data["references"] == "all" else int(data["references"])
        if data.get("fix"):
            update[self.fixes] = list(dict.fromkeys([*given[self.fixes], data["fix"]]))
        # Of all buttons only those of remedies have a fix, which may be empty.
        update[self.remedy] = self._remember(given, data) if "fix" in data else None
        return update

    def _remember(self, given: FieldValues, button: Mapping[str, str]) -> PressedRemedy:
        """Return what to keep of a pressed remedy; of several, the choices before the first."""
        before = [given[field] for field in self.choices()]
        earlier: PressedRemedy | None = given[self.remedy]
        if earlier:
            before = earlier["before"]
        return {"texts": self._identify_texts(given), "before": before, "button": dict(button)}

    def _go_back(self, given: FieldValues, read: Submission) -> Update:
        """Return the choices before a remedy was pressed, if these texts don't need it."""
        pressed: PressedRemedy | None = given[self.remedy]
        texts = self._identify_texts(given)
        if not pressed or pressed["texts"] == texts:
            return {}
        before: Update = dict(zip(self.choices(), pressed["before"]))
        offered = find_remedies_of_systems(
            read.systems, read.references, self._read_options(before)
        )
        fix = pressed["button"].get("fix", "")
        changes = json.loads(pressed["button"].get("options", "{}"))
        if any(remedy.fix == fix and remedy.options == changes for remedy in offered):
            return {self.remedy: {**pressed, "texts": texts}}
        return {**before, self.remedy: None}

    def _read_options(self, values: FieldValues) -> Options:
        return read_options([values[field] for field in self.options.fields])

    def _identify_texts(self, given: FieldValues) -> str:
        """Return what tells the texts in the fields from others."""
        return str(hash(str([given[field] for field in self.sources])))


def add_corpus_tab(tabs: gr.Tabs, corpus: gr.Tab, sentence: Sentence) -> None:
    """Add the tab's components and their event handlers."""
    with gr.Column(elem_id="corpus-inputs"):
        options = add_options("corpus", ALL_OPTIONS)
        with options.fold, gr.Row():
            numbers = range(1, limits.MAX_REFERENCES + 1)
            which = gr.Dropdown(
                [("all", "all"), *((f"only number {number}", number - 1) for number in numbers)],
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
    remedy = gr.JSON(visible=False)
    with gr.Column(visible=False, elem_id="corpus", elem_classes="bleu-results") as column:
        html.add_html(_OUTDATED)
        with gr.Row(elem_id="verdict"):
            with gr.Column(scale=7, min_width=300):
                summary = html.add_clickable("", "corpus-summary")
            with gr.Column(elem_id="why-part", min_width=240):
                reported = gr.Textbox(
                    label="You expected",
                    placeholder="33.5, or a line of another tool",
                    max_length=_LONGEST_REPORT,
                    elem_id="reported",
                )
                system = html.add_system_field("of the system", "why-system")
                why = gr.Button("Find out why", elem_id="why")
        answer = html.add_clickable("", "why-answer")
        baseline = html.add_system_field("Baseline", "baseline")
        details = html.add_clickable("", "corpus-details")
        download = gr.DownloadButton(
            "Segments (CSV)", size="sm", elem_id="download-csv", elem_classes="bleu-download"
        )
        segments = add_segments(key)
        differences = add_differences(key)

    gr.on(
        [why.click, reported.submit],
        partial(limits.run, explain_number),
        [key, system, reported],
        answer,
        **limits.PRIVATE_WORK,
    )
    # At once: the next answer may be asked for already.
    system.input(None, None, answer, js="() => ''")
    tab = CorpusTab(
        sources=sources,
        which=which,
        fixes=fixes,
        test=test,
        options=options,
        remedy=remedy,
        message=message,
        column=column,
        key=key,
        summary=summary,
        baseline=baseline,
        details=details,
        download=download,
        segments=segments,
        differences=differences,
        system=system,
        answer=answer,
    )
    _connect(tab, corpus, button)
    _connect_sentence(tab, tabs, sentence)


def _connect(tab: CorpusTab, corpus: gr.Tab, button: gr.Button) -> None:
    inputs = tab.inputs()
    choices = tab.choices()
    outputs = tab.outputs()
    fields = [*inputs, tab.baseline, tab.system, tab.remedy]
    work = {**limits.PRIVATE_WORK, "js": "bleuPage.ask", "show_progress_on": tab.message}
    # 1. Score when asked, or when the tab is opened.
    pressed = gr.on([button.click, tab.baseline.input], tab.show_score, fields, outputs, **work)
    pressed.then(None, inputs, js="bleuPage.answer")

    def open_tab(
        key: str,
        *values: Any,
        progress: gr.Progress = gr.Progress(),  # noqa: B008 for Gradio
    ) -> Any:
        """Score the example, or what is in the fields, unless there is a result."""
        return gr.skip() if key else tab.show_score(*values, progress=progress)

    open_work = {**work, "js": "bleuPage.open"}
    opened = corpus.select(open_tab, [tab.key, *fields], outputs, **open_work)
    opened.then(None, inputs, js="bleuPage.answer")
    # 2. A changed field: the result is outdated, and what a visitor chooses stays with other texts.
    gr.on([field.change for field in inputs], None, inputs, None, js="bleuPage.changed")
    chosen = [field.input for field in [tab.options.convention, *choices]]
    gr.on(chosen, None, None, tab.remedy, js="() => null")
    tab.options.convention.input(
        lambda name: dict(zip(tab.options.fields, convention_values(name))),
        tab.options.convention,
        tab.options.fields,
        **limits.QUIET,
    )
    # 3. Buttons in the results change fields, and the result follows.
    answer_and_focus = (
        "(...values) => { bleuPage.answer(...values); bleuPage.keepFocus('#score'); }"
    )
    for component in (tab.summary, tab.answer):
        applied = component.click(
            tab.apply, [*inputs, tab.remedy], [*choices, tab.remedy], **limits.QUIET
        )
        again = applied.then(tab.show_score, fields, outputs, **work)
        again.then(None, inputs, js=answer_and_focus)


def _connect_sentence(tab: CorpusTab, tabs: gr.Tabs, sentence: Sentence) -> None:
    """Open segments in the tab for one sentence, with one or two candidates, and lead back."""

    def fill(key: str, number: str, systems: Sequence[str]) -> Update:
        try:
            scored, segment = read_segment(key, number, systems)
        except limits.RejectedError as error:
            raise gr.Error(str(error), print_exception=False) from None
        candidates = [*map(_write_on_one_line, segment.predictions), ""]
        names = [*(systems or scored.systems), "Second candidate"]
        references = "\n".join(map(_write_on_one_line, segment.references))
        texts = (candidates[0], candidates[1], references)
        shown = Shown(texts, names=(names[0], names[1]))
        options = {**scored.options, "effective_order": True}
        return {
            tabs: gr.update(selected="sentence"),
            **sentence.show_opened(shown, [options[name] for name in SCORING_OPTIONS]),
            sentence.back: gr.update(value=f"Back to segment {number}", visible=True),
        }

    def open_segment(event: gr.EventData, key: str) -> Update:
        return fill(key, str(event.segment), ())

    def open_pair(event: gr.EventData, key: str, *pair: str) -> Update:
        if event.action == "sentence":
            return fill(key, str(event.segment), pair)
        return {opened: ""}

    opened = tab.differences.opened
    target = [tabs, *sentence.outputs(), sentence.second_fold, sentence.back]
    segment = tab.segments.listing.click(open_segment, tab.key, target, **limits.QUIET)
    segment.then(None, js="() => bleuPage.visit('#back')")
    pair = [tab.key, tab.differences.first_system, tab.differences.second_system]
    both = opened.click(open_pair, pair, [opened, *target], **limits.QUIET)
    both.then(None, js="() => bleuPage.leave()")
    update = {tabs: gr.update(selected="corpus"), sentence.back: gr.update(visible=False)}
    back = sentence.back.click(lambda: update, None, [tabs, sentence.back], **limits.QUIET)
    back.then(None, js="() => bleuPage.comeBack()")


def _write_on_one_line(text: str) -> str:
    return text.replace("\n", " ")


def _find_rival(names: Sequence[str], baseline: str) -> str:
    """Return the best system but for the baseline; names are in the order of scores."""
    return next(name for name in names if name != baseline)


def _join_present(*texts: str) -> str:
    """Join the texts that are not empty.

    >>> _join_present("a", "", "b")
    'a, b'
    """
    return ", ".join(text for text in texts if text)


class Computed(NamedTuple):
    """The results of a submission; names are in the order of scores, the best first."""

    scored: Scored
    results: dict[str, Result]
    names: list[str]
    baseline: str
    rendered: Rendered


def compute_result(
    submission: Submission,
    options: Options,
    *,
    which: int | str = "all",
    remark: str = "",
    test: str = "randomization",
    chosen_baseline: str = "",
    progress: Callable[..., object] = lambda *_arguments, **_named: None,
) -> Computed:
    """Score the systems of a submission, compare them, and draw the result."""
    systems = submission.systems
    # 1. Score each system. Compare two with each other, and of three or more all pairs as well.
    progress(0.4, desc="Scoring")
    comparison = ranking = None
    with collect_warnings() as warnings:
        counted = count_submission(submission, options)
        names = sorted(systems, key=lambda name: -counted[name].result["score"])
        # The second best system is the baseline unless a visitor has chosen another.
        baseline = chosen_baseline
        if baseline not in systems:
            baseline = names[1] if len(names) > 1 else names[0]
        if len(names) > 1:
            tables = {name: scored_rows.rows for name, scored_rows in counted.items()}
            comparison = request_comparison(
                tables,
                None,
                baseline,
                test,
                options=leave_segments_effective(options),
                documents=submission.documents,
            )
            if len(names) > 2:
                ranking = request_ranking(tables, options, submission.documents)
            progress(0.7, desc="Writing")
        scored, results = score_submission(submission, options, which, remark, counted=counted)
    # 2. Find what the visitor should know about the texts and the options.
    progress(0.9, desc="Drawing")
    remedies = find_remedies_of_systems(systems, submission.references, options)
    advice = add_warnings(remedies, warnings)
    doubts = [remedy for remedy in advice.remedies if remedy.changes_meaning]
    others = [remedy for remedy in advice.remedies if not remedy.changes_meaning]
    notes = [*advice.notes, *_list_empty(systems)]
    count = len(submission.references)
    # For fewer than 30, the metric has its own caution.
    if options["confidence"] and 30 <= count < limits.FEW_SEGMENTS:
        notes.append(
            f"{count} segments is a small sample: results may not carry over to other texts."
        )
    # 3. Draw. What changes the meaning of a score stands above it, and goes with what is copied.
    caution = " ".join(remedy.finding for remedy in doubts)
    if comparison is None:
        rendered = render_system(scored, results[baseline], caution)
    else:
        identical = find_identical(systems)
        rendered = render_systems(
            scored, comparison, ranking, names, identical=identical, caution=caution
        )
    summary = rendered.summary
    if doubts:
        summary = f'{html.remedies(doubts)}<div class="bleu-doubtful">{summary}</div>'
    summary += html.remedies(others) + html.notes(notes)
    return Computed(scored, results, names, baseline, rendered._replace(summary=summary))


def _list_empty(systems: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a sentence for each system with empty predictions."""
    sentences = []
    for name, texts in systems.items():
        empty = [str(number) for number, text in enumerate(texts, 1) if not text.strip()]
        if not empty:
            continue
        listed = empty[:_LISTED_SEGMENTS]
        hidden = len(empty) - len(listed)
        if hidden:
            listed.append(f"{hidden:,} more")
        verb, noun = ("is", "segment") if len(empty) == 1 else ("are", "segments")
        count = html.count_things(len(empty), "prediction")
        sentences.append(f"{name}: {count} {verb} empty: {noun} {join_clauses(listed)}.")
    return sentences


def _add_caution(text: str, caution: str) -> str:
    """Add to a copied text why its score is in doubt, if it is."""
    return f"{text} Caution: {caution}" if caution else text


def render_system(scored: Scored, result: Result, caution: str = "") -> Rendered:
    """Return the result of a single system as HTML; `caution` goes with what is copied."""
    _, table = read_segments(scored.key)
    scores = table["bleu"].to_numpy()
    ratios = table["length_ratio"].to_numpy()
    # 1. The score, and the sentence to quote.
    count = html.count_things(len(scores), "segment")
    if scored.documents:
        count += f" of {html.count_things(scored.documents, 'document')}"
    interval = _write_range(result)
    if interval:
        interval = f"{scored.options['confidence']:.0%} interval {interval}"
    caption = _join_present(interval, count, scored.remark)
    quoted = f"{_join_present(scored.systems[0], count, scored.remark)}: {_quote(result)}"
    sentence = _add_caution(quoted, caution)
    markdown = result.to_markdown()
    latex = result.to_latex()
    if caution:
        markdown += f"\n\nCaution: {caution}"
        latex += f"\n% Caution: {caution}"
    tables = html.copy_button(markdown, "table as Markdown") + html.copy_button(latex, "as LaTeX")
    summary = (
        f'<div class="bleu-headline" data-announce="{html.show(sentence)}">'
        f"{html.headline(result['score'], caption)}</div>"
        f'<p class="bleu-copies">{html.signature(result["signature"])}'
        f" {html.copy_button(sentence, 'sentence')}{tables}</p>"
    )
    # 2. The numbers behind the score, and how the segments spread.
    facts = []
    for order, score in enumerate(result["bleu_by_order"], 1):
        facts.append((f"BLEU-{order}", f"{100 * score:.2f}"))
    facts += [
        ("length ratio", f"{result['length_ratio']:.4f}"),
        ("tokens", f"{result['translation_length']:,}"),
        ("reference tokens", f"{result['reference_length']:,}"),
    ]
    score_title = "Segments by BLEU, with effective order"
    ratio_title = "Length ratio by segment (1 = same length as the reference)"
    charts = html.histogram(100 * scores, 0, 100, 20, score_title)
    charts += html.histogram(ratios[~np.isnan(ratios)], 0, 2, 20, ratio_title)
    bars = html.precision_bars(cast(Precisions, result))
    return Rendered(summary, f'{html.facts(facts)}{bars}<div class="bleu-sides">{charts}</div>')


def render_systems(
    scored: Scored,
    comparison: Result,
    ranking: Result | None,
    names: Sequence[str],
    *,
    identical: Mapping[str, str],
    caution: str = "",
) -> Rendered:
    """Return several systems as HTML: the verdict, and a table.

    `names` are those of the systems, the best first. There is a ranking for three or more.
    `caution` goes with what is copied.
    """
    baseline: str = comparison["baseline"]
    systems: dict[str, SystemScores] = dict(comparison["systems"])
    result = comparison
    notes = []
    # 1. The verdict. With a ranking, one test of all pairs decides on each verdict.
    if ranking:
        result = ranking
        verdict = state_ranking(ranking["ranking"], identical)
        notes.append(
            f"p and verdicts are corrected for {len(ranking['pairs'])} comparisons (Holm)."
        )
        for pair in ranking["pairs"]:
            if baseline in pair["systems"] and "p_adjusted" in pair:
                (name,) = {*pair["systems"]} - {baseline}
                systems[name] = {**systems[name], "p_adjusted": pair["p_adjusted"]}
    else:
        verdict = state_verdict(comparison, names, bool(identical))
    # 2. The table, the best system first, and how it was made.
    confidence = scored.options["confidence"]
    table = _list_systems(
        systems, names, ranking, baseline, confidence=confidence, identical=identical
    )
    detectable = systems[_find_rival(names, baseline)].get("detectable_delta")
    if detectable and not identical:
        notes.append(
            f"With this test set, true differences below about {100 * detectable:.1f}"
            " often go unnoticed."
        )
    rounding = explain_rounding(systems, baseline)
    if rounding:
        notes.append(rounding)
    details = html.rows(table.head, table.rows)
    if notes:
        details += html.message(" ".join(notes), "note")
    # 3. The sentence to quote, which is shown without its signature.
    quoted = _quote(result)
    claim, _, _signature = quoted.partition("; signature ")
    sentence = _add_caution(_join_sentences(quoted, rounding), caution)
    _table, _, table_note = result.to_markdown().rpartition("\n\n")
    note = _add_caution(_join_sentences(table_note, rounding), caution)
    copies = f"{html.copy_button(sentence, 'sentence')} {_copy_table(table, note)}"
    summary = (
        f'<div data-announce="{html.show(f"{verdict} {claim}.")}">'
        f"{html.paragraph(verdict, 'verdict')}{html.paragraph(f'{claim}.', 'quote')}</div>"
        f'<p class="bleu-copies">{copies}</p>{html.signature(comparison["signature"])}'
    )
    return Rendered(summary, details)


def _join_sentences(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)


def explain_rounding(systems: Mapping[str, SystemScores], baseline: str) -> str:
    """Return a sentence if a difference is not that of the scores as they are shown.

    >>> systems = {"A": {"score": 33.1149}, "B": {"score": 33.1351, "delta": 0.000202}}
    >>> explain_rounding(systems, "A")
    'Differences are rounded after subtraction.'
    """
    shown_baseline = Decimal(f"{systems[baseline]['score']:.2f}")
    for system in systems.values():
        if "delta" not in system:
            continue
        subtracted = Decimal(f"{system['score']:.2f}") - shown_baseline
        if subtracted != Decimal(f"{100 * system['delta']:.2f}"):
            return "Differences are rounded after subtraction."
    return ""


class Table(NamedTuple):
    """The cells of a table; a column without a name is drawn."""

    head: list[str]
    rows: list[list[str]]


def _list_systems(
    systems: Mapping[str, SystemScores],
    names: Sequence[str],
    ranking: Result | None,
    baseline: str,
    *,
    confidence: float | None,
    identical: Mapping[str, str],
) -> Table:
    """Return the table of several systems, with their ranks if there is a ranking."""
    # 1. The scale of all intervals.
    ends = []
    for system in systems.values():
        ends += [100 * end for end in system.get("confidence_interval", ())]
    scale = (min(ends), max(ends)) if ends else None
    interval = f"{confidence:.0%} interval" if ends else "interval"
    # 2. The ranks, which have an order of their own.
    ranks = {}
    if ranking:
        for entry in ranking["ranking"]:
            best, worst = entry["rank_range"]
            ranks[entry["system"]] = f"{best}" if best == worst else f"{best} to {worst}"
    # 3. A row per system.
    head = ["system"]
    if ranks:
        head.append("rank")
    p_name = "corrected p" if ranks else "p"
    head += ["BLEU", "verdict", interval, "", "difference", "interval of difference", p_name]
    rows = []
    for name in ranks or names:
        system = systems[name]
        row = [name]
        if ranks:
            row.append(ranks[name])
        verdict = _judge_texts(name, system, baseline, identical)
        rows.append([*row, f"{system['score']:.2f}", verdict, *_describe_system(system, scale)])
    return Table(head, rows)


def _judge_texts(
    name: str, system: SystemScores, baseline: str, identical: Mapping[str, str]
) -> str:
    """Return the verdict of the test, and if a system's texts are those of an earlier one."""
    earlier = identical.get(name)
    if earlier is None:
        return judge(system)
    is_identical_to_baseline = earlier == identical.get(baseline, baseline)
    if is_identical_to_baseline and name != baseline:
        return f"identical to {earlier}"
    return f"{judge(system)}, identical to {earlier}"


class Group(NamedTuple):
    """A group of segments, or an average of all, and its scores."""

    name: str
    scores: Mapping[str, Any]


def render_groups(results: Mapping[str, Result]) -> str:
    """Return a table of the score of each system per group and of both averages.

    The text is empty without groups. A single system has intervals, too.
    """
    if not all("groups" in result for result in results.values()):
        return ""
    is_single = len(results) == 1
    head = ["group", "BLEU", "interval"] if is_single else ["group", *results]
    by_system = [_list_groups(result) for result in results.values()]
    rows = []
    for number, group in enumerate(by_system[0]):
        row = [group.name]
        for groups in by_system:
            row.append(f"{groups[number].scores['score']:.2f}")
        if is_single:
            row.append(_write_range(group.scores))
        rows.append(row)
    signature = next(iter(results.values()))["signature"]
    copies = f'<p class="bleu-copies">{_copy_table(Table(head, rows), signature)}</p>'
    return html.fold("Score per group", html.rows(head, rows) + copies, level=2)


def _list_groups(result: Result) -> list[Group]:
    """Return the groups of a result, then its averages."""
    groups = [Group(label or "no label", scores) for label, scores in result["groups"].items()]
    macro_scores = {
        key.removeprefix("macro_"): value
        for key, value in result.items()
        if key.startswith("macro_")
    }
    return [*groups, Group("micro-average", result), Group("macro-average", macro_scores)]


def find_identical(systems: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return, for each system that has the texts of an earlier one, the name of the earlier one.

    >>> find_identical({"A": ["a"], "B": ["b"], "C": ["a"]})
    {'C': 'A'}
    """
    names = list(systems)
    identical = {}
    for number, name in enumerate(names):
        for earlier in names[:number]:
            if systems[name] == systems[earlier]:
                identical[name] = earlier
                break
    return identical


def state_verdict(comparison: Mapping[str, Any], names: Sequence[str], are_identical: bool) -> str:
    """Return the result of a comparison of two systems in a sentence; the best one is named first.

    >>> systems = {"A": {"score": 20.0}, "B": {"score": 21.5, "delta": 0.015, "p_value": 0.004}}
    >>> state_verdict({"systems": systems, "baseline": "A"}, ["B", "A"], False)
    'B scores higher than A, by 1.50 BLEU.'
    """
    best, worse = names
    if are_identical:
        return f"{best} and {worse} are identical."
    systems: Mapping[str, SystemScores] = comparison["systems"]
    rival = systems[_find_rival(names, comparison["baseline"])]
    points = f"{100 * abs(rival['delta']):.2f} BLEU"
    if judge(rival) == "may be chance":
        return f"{best} scores {points} higher than {worse}, which may be chance."
    return f"{best} scores higher than {worse}, by {points}."


def state_ranking(ranking: Sequence[Rank], identical: Mapping[str, str]) -> str:
    """Return the best systems in a sentence: those that no other system is better than.

    >>> ranking = [{"system": name, "rank_range": [1, 3]} for name in "ABC"]
    >>> state_ranking(ranking, {})
    'Of 3 systems, A, B and C score highest: the differences between them may be chance.'
    >>> state_ranking(ranking, {"C": "A"}).partition(": ")[2]
    'C is identical to A, the other differences may be chance.'
    >>> state_ranking([*ranking[:2], {"system": "C", "rank_range": [3, 3]}], {"B": "A"})
    'Of 3 systems, A and B score highest: B is identical to A.'
    """
    start = f"Of {len(ranking)} systems"
    best = []
    for entry in ranking:
        best_rank, _worst_rank = entry["rank_range"]
        if best_rank == 1:
            best.append(entry["system"])
    if len(best) == 1:
        is_certain = ranking[0]["rank_range"] == [1, 1]
        certainty = ", by more than chance" if is_certain else ""
        return f"{start}, {best[0]} scores highest{certainty}."
    reasons = [f"{name} is identical to {identical[name]}" for name in best if name in identical]
    if len(reasons) < len(best) - 1:
        differences = "other differences" if reasons else "differences between them"
        reasons.append(f"the {differences} may be chance")
    return f"{start}, {join_clauses(best)} score highest: {', '.join(reasons)}."


def _quote(result: Result) -> str:
    """Return the sentence of a result's report, which ends with its signature."""
    sentence, _, _ = result.report().partition("\n")
    return sentence


def _copy_table(table: Table, note: str) -> str:
    """Return the buttons that copy a table, without the columns that are drawn, and a note."""
    named = [column for column, name in enumerate(table.head) if name]
    cells = [[row[column] for column in named] for row in [table.head, *table.rows]]
    markdown = f"{report.format_markdown(cells)}\n\n{note}"
    latex = f"{report.format_latex(cells)}\n% {note}"
    return html.copy_button(markdown, "table as Markdown") + html.copy_button(latex, "as LaTeX")


def judge(system: SystemScores) -> str:
    """Return the verdict of the test; among several systems, of that of all pairs.

    >>> judge({"delta": 0.01, "p_value": 0.01})
    'higher'
    >>> judge({"delta": 0.01, "p_value": 0.01, "p_adjusted": 0.05})
    'may be chance'
    """
    if "delta" not in system:
        return "baseline"
    p_value = _read_p_value(system)
    is_significant = p_value is not None and p_value < 0.05  # one segment has no p-value
    if not is_significant:
        return "may be chance"
    return "higher" if system["delta"] > 0 else "lower"


def _read_p_value(system: SystemScores) -> float | None:
    """Return the p-value of the test; among several systems, of that of all pairs."""
    return system.get("p_adjusted", system.get("p_value"))


def _describe_system(system: SystemScores, scale: tuple[float, float] | None) -> list[str]:
    """Return the cells after the verdict: interval, its drawing, difference, its interval, p."""
    bar = difference = delta_interval = p_value = ""
    if "confidence_interval" in system and scale:
        low, high = (100 * end for end in system["confidence_interval"])
        bar = html.draw_interval(low, system["score"], high, scale)
    if "delta" in system:
        difference = f"{100 * system['delta']:+.2f}"
    if "delta_interval" in system:
        delta_interval = " to ".join(f"{100 * end:+.2f}" for end in system["delta_interval"])
    p = _read_p_value(system)
    if p is not None:
        p_value = write_p(p)
    return [_write_range(system), bar, difference, delta_interval, p_value]


def _write_range(scores: Mapping[str, Any] | SystemScores) -> str:
    """Return the interval of a score in BLEU; empty without one."""
    if "confidence_interval" not in scores:
        return ""
    low, high = (100 * end for end in scores["confidence_interval"])
    return f"{low:.2f} to {high:.2f}"


def read_reported(pasted: str) -> str:
    """Read a score, with its signature if there is one, from any line that has one.

    Raises RejectedError without a score. The answer is written as `reconcile` reads it.

    >>> read_reported("BLEU = 26.81, 50.0/30.0/20.0/10.0 (BP=1.000, ratio=1.016)")
    '26.81'
    >>> read_reported("BLEU = 33.1 nrefs:1|case:lc|tok:13a")
    'BLEU|nrefs:1|case:lc|tok:13a = 33.1'
    """
    line = " ".join(pasted.split())
    if not line:
        return ""
    # 1. The JSON of sacreBLEU.
    if line.startswith("{"):
        try:
            report = json.loads(line)
            line = f"{report['signature']} = {report['score']}"
        except (KeyError, TypeError, ValueError, RecursionError):
            raise limits.RejectedError(_EXPECTED_SCORE) from None
    # 2. The signature, then the score: the first number behind "=", or else the first of all.
    signature = _SIGNATURE.search(line)
    if signature:
        line = f"{line[: signature.start()]} {line[signature.end() :]}"
    _, _, value = line.rpartition("=") if line.count("=") == 1 else line.partition("=")
    score = _SCORE.search(value) or _SCORE.search(line)
    if score is None or float(score[0].replace(",", ".")) > 100:
        raise limits.RejectedError(_EXPECTED_SCORE)
    if signature is None:
        return score[0]
    return f"BLEU|{signature[1]} = {score[0]}"


def explain_number(key: str, system: str, pasted: str) -> str:
    """Return the settings that give a reported score as HTML; all conventions if it is empty."""
    try:
        reported = read_reported(pasted)
        scored, table = read_segments(key)
        predictions = table[scored.name_column(system, "prediction")].to_pylist()
        references = table["references"].to_pylist()
        with collect_warnings():
            if not reported:
                return _render_conventions(request_conventions(predictions, references))
            search = request_settings(
                predictions,
                references,
                reported,
                None,
                options={},
                metric=load_with(scored.options),
            )
        return _render_settings(search, system, scored, is_unspaced(predictions))
    except limits.ERRORS as error:
        text = limits.explain_error(error)
        if text.startswith("reported"):  # the name is Python's
            text = _EXPECTED_SCORE
        return html.message(text)


def _render_settings(
    search: Reconciliation, system: str, scored: Scored, are_unspaced: bool
) -> str:
    """Return the settings that give a score, each with its button, below what they tell."""
    # 1. The settings to show. `zh` splits what it does not know as 13a does: it is proposed for
    #    text without spaces only.
    matches: list[FoundSetting] = search["matches"] or search["other_matches"]
    settings = matches or search["nearest"]
    shown = settings
    if not are_unspaced:
        without_zh = [setting for setting in settings if setting["options"].get("tokenize") != "zh"]
        shown = without_zh or settings
    # 2. The story. Of settings that are not plausible, only the nearest is told, and no match.
    plausible = [setting for setting in shown if setting["plausible"]]
    nearest = None if matches else shown[0]
    likely = plausible[0] if plausible else nearest
    story = tell_likely(search, likely)
    if not matches or search["verified"] is not None:
        title = search._title().removesuffix(" The closest are:")
        story = f"{title} {story}".strip()
    # 3. The question, with the score as it is scored here: without the steps to a setting.
    score = shown[0]["score"] - 100 * sum(step["delta"] for step in shown[0]["steps"])
    question = (
        f"You report a BLEU score of {search['reported']}. For the output of {system}, we get"
        f" {score:.2f}. Which signature (number of references, case, tokenizer, smoothing) belongs"
        " to your score?"
    )
    # 4. A line per cause, with its variants folded.
    causes: list[str] = []
    for cause, variants in group_causes(shown[: limits.SHOWN_SETTINGS]).items():
        causes.append(_render_cause(cause, variants, scored, is_open=not causes))
    return (
        f'<div data-announce="{html.show(story)}">{html.paragraph(story, "quote")}</div>'
        f'<p class="bleu-copies">{html.copy_button(question, "question to the authors")}</p>'
        f'<div class="bleu-causes">{"".join(causes)}</div>'
    )


def group_causes(settings: Sequence[FoundSetting]) -> dict[str, list[FoundSetting]]:
    """Group settings by the step that changes the score most.

    >>> case = {"factor": "lowercase", "value": True, "delta": 0.02}
    >>> zero = {"factor": "minimum_total", "value": 0, "delta": -0.001}
    >>> list(group_causes([{"steps": [case]}, {"steps": [zero, case]}, {"steps": []}]))
    ['case is ignored', 'as it is scored here']
    """
    groups: dict[str, list[FoundSetting]] = {}
    for setting in settings:
        cause = "as it is scored here"
        changes = [step for step in setting["steps"] if step["delta"]]
        if changes:
            largest = max(changes, key=lambda step: abs(step["delta"]))
            cause = describe_setting(largest["factor"], largest["value"])
        groups.setdefault(cause, []).append(setting)
    return groups


def _render_cause(
    cause: str, variants: Sequence[FoundSetting], scored: Scored, *, is_open: bool
) -> str:
    """Return a cause with its scores in a line, and below it its settings in a fold."""
    scores = [f"{setting['score']:.2f}" for setting in variants]
    lowest, highest = min(scores, key=float), max(scores, key=float)
    found = lowest if lowest == highest else f"{lowest} to {highest}"
    if len(variants) > 1:
        found += f", {len(variants)} ways"
    rows = []
    for setting, score in zip(variants, scores):
        rows.append(
            [
                join_clauses(_describe_steps(setting)) or "as it is scored here",
                score,
                "yes" if setting["plausible"] else "no",
                _apply_button(setting, scored),
                setting["signature"],
            ]
        )
    table = html.rows(["if", "BLEU", "plausible", "", "signature"], rows)
    state = " open" if is_open else ""
    return f"<details{state}><summary>{html.show(cause)}: <b>{found}</b></summary>{table}</details>"


def tell_likely(search: Mapping[str, Any], likely: Setting | None) -> str:
    """Return what is likely after a search; `likely` is the first plausible setting, if any.

    >>> case = {"steps": [{"factor": "lowercase", "value": True, "delta": 0.01}]}
    >>> search = {"matches": [case], "other_matches": [], "verified": None, "chance": 0.01}
    >>> tell_likely(search, case)
    'Likely: case is ignored.'
    >>> tell_likely({**search, "reported": "33.5", "chance": 0.58}, None)
    'Probably none of these: some setting gives almost any score near 33. Ask for the signature.'
    >>> tell_likely({**search, "chance": 0.58}, case)
    'Perhaps: case is ignored. It may be a coincidence: ask for the signature.'
    """
    if search["verified"]:
        return ""
    changes = _describe_steps(likely) if likely else []
    words = join_clauses(changes) or "as it is scored here"
    has_match = search["matches"] or search["other_matches"]
    if not has_match:
        return f"The nearest: {words}."
    is_frequent = search["chance"] > 0.5
    if likely is None or (is_frequent and len(changes) > 1):
        near = ""
        if is_frequent:
            near = f": some setting gives almost any score near {_read_whole(search['reported'])}"
        return f"Probably none of these{near}. Ask for the signature."
    if changes and search["chance"] > 0.05:
        return f"Perhaps: {words}. It may be a coincidence: ask for the signature."
    return f"Likely: {words}."


def _read_whole(reported: object) -> str:
    """Return the number before the decimals of a reported score, on the scale 0-100."""
    number = float(str(reported).replace(",", "."))
    return f"{int(100 * number if number <= 1 else number)}"


def _render_conventions(conventions: Mapping[str, Setting]) -> str:
    rows = []
    for name, setting in conventions.items():
        rows.append(
            [
                CONVENTION_NAMES[name],
                f"{setting['score']:.2f}",
                f"{100 * setting['delta']:+.2f}",
                join_clauses(_describe_steps(setting)) or "as it is",
                html.button("Apply", "apply", convention=name),
                setting["signature"],
            ]
        )
    scores = [setting["score"] for setting in conventions.values()]
    story = f"From {min(scores):.2f} to {max(scores):.2f}, depending on the convention."
    head = ["as", "BLEU", "difference", "because", "", "signature"]
    return html.paragraph(story, "quote") + html.rows(head, rows)


def _describe_steps(setting: Setting) -> list[str]:
    """Return a phrase for each step that changes the score."""
    return [
        describe_setting(step["factor"], step["value"])
        for step in setting["steps"]
        if step["delta"]
    ]


def _apply_button(setting: FoundSetting, scored: Scored) -> str:
    """Return a button that applies a setting; all other options, and a chosen reference, stay.

    The demo scores a corpus, so a mean of segment scores has no button.
    """
    if "segments" in setting["options"]:
        return ""
    options = {name: scored.options[name] for name in SCORING_OPTIONS} | setting["options"]
    references = setting["references"] if scored.which == "all" else scored.which
    return html.button("Apply", "apply", options=json.dumps(options), references=str(references))
