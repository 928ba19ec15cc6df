"""The view of a corpus: it scores one system, compares several, and explains a reported score."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import gradio as gr
import numpy as np
from gradio.blocks import Block

from . import gate, html, limits
from .checks import (
    HEAD,
    KEEP,
    Choices,
    Prepared,
    add_warnings,
    judge,
    name_fixes,
    name_scores,
    prepare_texts,
    tell_effect,
    try_fixes,
    try_without,
)
from .files import (
    CUT,
    FROM_FILES,
    FROM_TEXT,
    PAD,
    MissingError,
    Submission,
    UnequalError,
    is_example,
    read_submission,
)
from .findings import render_box, render_findings
from .leaderboard import (
    add_caution,
    build_leaderboard,
    find_identical,
    find_rival,
    list_systems,
    quote,
    render_copies,
    render_groups,
    render_systems,
    write_range,
)
from .link import render_link, write_link
from .metric import (
    TESTS,
    TOKENIZERS,
    Options,
    collect_warnings,
    is_unspaced,
    load_with,
    read_published,
    request_comparison,
    request_ranking,
    request_score,
    request_settings,
)
from .options import (
    ALL_OPTIONS,
    SCORING_OPTIONS,
    OptionField,
    add_options,
    change_options,
    convention_values,
    describe_setting,
    fold_label,
    join_clauses,
    leave_segments_effective,
    read_options,
)
from .roles import find_runs
from .scored import (
    Scored,
    count_submission,
    prepare_submission,
    read_segment,
    read_segments,
    score_submission,
)
from .segments import Differences, Segments
from .sentence import Sentence, Shown, Update
from .sources import ADD_BUTTON, EXAMPLE_NOTE, Field, Sources

if TYPE_CHECKING:
    from bleu_metric.bleu_core import (
        Published,
        QuotableReport,
        Reconciliation,
        SettingScores,
    )

Choice = gr.Dropdown | gr.Radio | OptionField
FieldValues = Mapping[Block, Any]  # what is chosen or typed in each field

_FILES_CHARACTERS = 80  # of the names of all files of a role
_EXPECTED_SCORE = "Type the score as a number from 0 to 100, such as 27.30."
_USUAL_OPTIONS = read_options(convention_values("default"))
_OUTDATED = (
    '<p class="bleu-message bleu-old">These are the results of before.'
    ' <button type="button" class="bleu-button" data-again>Score again</button></p>'
)


class Rendered(NamedTuple):
    """A result as HTML: what is in sight at once, the details below, and the folded statistics."""

    summary: str
    details: str
    statistics: str = ""
    findings: str = ""
    link: str = ""


class Corpus:
    """The view: the fields above it, the results, and their event handlers."""

    def __init__(self, files: gr.Column, tabs: gr.Tabs, sentence: Sentence) -> None:
        """Add the components and their events to the demo; the fields go to a column above it."""
        with files:
            self.options = add_options("corpus", ALL_OPTIONS)
            with self.options.fold, gr.Row():
                numbers = range(1, limits.MAX_REFERENCES + 1)
                self.which = gr.Dropdown(
                    [
                        ("all", "all"),
                        *((f"only number {number}", number - 1) for number in numbers),
                    ],
                    value="all",
                    label="References used",
                    elem_id="which-references",
                )
                tests = [(test.says, name) for name, test in TESTS.items()]
                self.test = gr.Radio(tests, value="randomization", label="Test", elem_id="test")
            self.files_line = html.add_html(elem_id="files-line")
            self.sources = Sources()
            button = gr.Button("Try an example", elem_id="score")
            paste = gr.Button("Paste lines", elem_id="paste")
            paste.click(
                lambda: (gr.update(selected="corpus"), FROM_TEXT),
                None,
                [tabs, self.sources.origin],
                **limits.QUIET,
            )
        self.message = html.add_clickable("", "corpus-message")
        self.key = gr.Textbox(visible=False)  # of the result
        self.decided = gr.JSON(visible=False)  # `checks.Choices` or None
        with gr.Column(visible=False, elem_id="corpus", elem_classes="bleu-results") as self.column:
            html.add_html(_OUTDATED)
            self.findings = html.add_clickable("", "corpus-findings")
            self.summary = html.add_clickable("", "corpus-summary")
            with gr.Accordion("You expected another score", open=False, elem_id="expected"):
                with gr.Column(elem_id="why-part"):
                    reported = gr.Textbox(
                        label="You expected",
                        placeholder="33.5, or a line of another tool",
                        max_length=limits.MAX_LINE_LENGTH,
                        elem_id="reported",
                    )
                    self.system = html.add_system_field("of the system", "why-system")
                    why = gr.Button("Find out why", elem_id="why")
                self.answer = html.add_clickable("", "why-answer")
            with gr.Accordion("How this was tested", open=False, elem_id="tested"):
                self.baseline = html.add_system_field("Baseline", "baseline")
                self.statistics = html.add_html(elem_id="corpus-statistics")
            self.details = html.add_clickable("", "corpus-details")
            self.download = gr.DownloadButton(
                "Lines (CSV)", size="sm", elem_id="download-csv", elem_classes="bleu-download"
            )
            self.segments = Segments(self.key)
            self.differences = Differences(self.key)
        gr.on(
            [why.click, reported.submit],
            partial(gate.run, explain_number),
            [self.key, self.system, reported],
            self.answer,
            **limits.PRIVATE_WORK,
        )
        # At once: the next answer may be asked for already.
        self.system.input(None, None, self.answer, js="() => ''")
        _connect(self, button)
        _connect_sentence(self, tabs, sentence)

    def choices(self) -> list[Choice]:
        """Return the fields besides those for the texts."""
        return [self.which, self.test, *self.options.fields]

    def inputs(self) -> list[Choice | Field]:
        """Return all fields that a result depends on."""
        return [*self.sources.fields(), *self.choices()]

    def outputs(self) -> list[Block]:
        """Return the components that `show_score` updates."""
        head = [
            self.options.fold,
            self.files_line,
            self.message,
            self.column,
            self.key,
            self.findings,
            self.summary,
            self.baseline,
            self.statistics,
            self.details,
        ]
        lines = [*self.segments.outputs(), *self.differences.outputs()]
        below = [self.download, *lines, self.system, self.answer]
        return [*head, *below, *self.choices(), self.decided]

    def restore(self, link: Mapping[str, str]) -> Update:
        """Return the update that shows the result of a link, and lines that were pasted before."""
        pasted = json.loads(link.get("pasted") or "[]")
        lines: Update = {self.sources.origin: FROM_TEXT, **dict(zip(self.sources.pasted, pasted))}
        result: Update = {self.message: render_link(link["result"])} if "result" in link else {}
        return {**result, **(lines if pasted else {})}

    # Not `score`: Gradio would give that name to this handler, and another to the endpoint.
    def show_score(
        self,
        *values: Any,
        progress: gr.Progress = gr.Progress(),  # noqa: B008 for Gradio
    ) -> Update:
        """Return the update that shows the result.

        The values are those of the inputs, of the baseline, of the system that is asked about, and
        of what the visitor has decided.
        """
        fields = [*self.inputs(), self.baseline, self.system, self.decided]
        given: FieldValues = dict(zip(fields, values))
        try:
            return gate.run(self._score, given, progress)
        except limits.ERRORS as error:
            kind = "note" if isinstance(error, MissingError) else "error"
            failed = html.message(limits.explain_error(error), kind)
            if isinstance(error, UnequalError):
                failed += _ask_about_lengths(error)
            return {self.message: failed, self.column: gr.update(visible=False), self.key: ""}

    def _score(self, given: FieldValues, progress: gr.Progress) -> Update:
        # 1. Read the texts.
        progress(0.1, desc="Reading")
        sources = [given[field] for field in self.sources.fields()]
        read = read_submission(sources)
        options = read_options([given[field] for field in self.options.fields])
        submission, remark, prefix = prepare_submission(read, given[self.which])
        # 2. Score each system, compare them, and draw the result.
        computed = compute_result(
            submission,
            options,
            which=given[self.which],
            remark=remark,
            test=given[self.test],
            chosen_baseline=given[self.baseline],
            joins_runs=bool(given[self.sources.joins_runs]),
            choices=given[self.decided] or {},
            prefix=prefix,
            progress=progress,
        )
        scored, names, baseline = computed.scored, computed.names, computed.baseline
        first_runs = {name: own[0] for name, own in computed.runs.items()}
        # Gradio deletes the files in this set when they are old.
        self.download.temp_files.update(scored.list_files())
        # 3. Draw the segments of one system, or the differences between two.
        is_comparison = len(names) > 1
        if is_comparison:
            rival = find_rival(names, baseline)
            below = self.differences.show(scored, first_runs[baseline], first_runs[rival])
        else:
            below = self.segments.show(scored)
        # 4. Add what the visitor should know about the texts.
        about_texts = html.message(EXAMPLE_NOTE, "note") if is_example(sources) else ""
        # The example has a link without a result, unless something was chosen.
        choices = [options, given[self.which], given[self.test], given[self.baseline] or ""]
        if not is_example(sources) or choices != [_USUAL_OPTIONS, "all", "randomization", ""]:
            about_texts += html.share(computed.rendered.link)
        fixes = {choice for choice, _ in computed.choices.values()} - {KEEP}
        reason = "for these texts" if fixes else ""
        label = fold_label(scored.options, html.join(scored.remark, reason))
        # 5. Update the page. The baseline's field is empty unless the visitor has chosen one.
        usual = "the best" if len(names) > 2 else "the first"
        baselines = [(f"{usual}: {computed.usual_baseline}", "")]
        baselines += [(name, name) for name in computed.runs]
        chosen_baseline = baseline if given[self.baseline] == baseline else ""
        asked_about = given[self.system]
        if asked_about not in submission.systems:
            asked_about = first_runs[names[0]]
        return {
            self.decided: computed.choices or None,
            self.options.fold: gr.update(label=label),
            self.files_line: self._render_files(sources, submission),
            self.message: "",
            self.column: gr.update(visible=True),
            self.key: scored.key,
            self.findings: computed.rendered.findings,
            self.summary: computed.rendered.summary + about_texts,
            self.baseline: gr.update(
                choices=baselines, value=chosen_baseline, visible=is_comparison
            ),
            self.statistics: computed.rendered.statistics,
            self.details: computed.rendered.details
            + render_groups(computed.results, computed.labels),
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
        given: FieldValues = dict(zip([*self.inputs(), self.decided], values))
        data = event._data
        if data["action"] == "lengths":
            chosen = {**(given[self.sources.chosen] or {}), "lengths": json.loads(data["lengths"])}
            return {self.sources.chosen: chosen}
        if data["action"] == "choose":
            return self._choose(given, data)
        option_values = [given[field] for field in self.options.fields]
        changed_values = change_options(ALL_OPTIONS, option_values, data["options"])
        update: Update = dict(zip(self.options.fields, changed_values))
        if "references" in data:
            update[self.which] = json.loads(data["references"])
        # These options count, and not those of fixes.
        choices = given[self.decided] or {}
        update[self.decided] = {kind: own for kind, own in choices.items() if not own[1]} or None
        return update

    def _choose(self, given: FieldValues, button: Mapping[str, str]) -> Update:
        """Return the update after the visitor has decided about kinds, or taken that back."""
        choices = {**(given[self.decided] or {}), **json.loads(button["kinds"])}
        # An empty choice takes back.
        return {self.decided: {kind: own for kind, own in choices.items() if own[0]} or None}

    def _render_files(self, sources: Sequence[Any], submission: Submission) -> str:
        """Return the line that stands for the fields of the files once they are scored."""
        if sources[0] != FROM_FILES or is_example(sources):
            return ""
        systems = ", ".join(submission.systems)
        references = ", ".join(submission.reference_names)
        lines = html.count_things(len(submission.references), "line")
        each = " each" if len(submission.systems) > 1 else ""
        told = f"Read: {html.shorten(systems, _FILES_CHARACTERS)}, {lines}{each}."
        return (
            f'<p class="bleu-files" data-announce="{html.show(told)}"><span>Systems'
            f' <b title="{html.show(systems)}">'
            f"{html.show(html.shorten(systems, _FILES_CHARACTERS))}</b> {lines}{each}</span>"
            f" <span>References <b>{html.show(html.shorten(references, _FILES_CHARACTERS))}</b>"
            '</span> <button type="button" class="bleu-button" data-unfold>Change files</button>'
            f"{ADD_BUTTON}</p>"
        )


def _connect(corpus: Corpus, button: gr.Button) -> None:
    inputs = corpus.inputs()
    choices = corpus.choices()
    outputs = corpus.outputs()
    fields = [*inputs, corpus.baseline, corpus.system, corpus.decided]
    work = {**limits.PRIVATE_WORK, "js": "bleuPage.ask", "show_progress_on": corpus.message}
    # 1. Score when asked, or when files are there.
    pressed = gr.on(
        [button.click, corpus.baseline.input], corpus.show_score, fields, outputs, **work
    )
    pressed.then(None, inputs, js="bleuPage.answer")
    scored = corpus.sources.described.then(corpus.show_score, fields, outputs, **work)
    scored.then(None, inputs, js="bleuPage.answer")
    # 2. A changed field: the result is outdated, and what a visitor chooses stays with other texts.
    #    The button says when it would score the example.
    gr.on([field.change for field in inputs], None, inputs, button, js="bleuPage.changed")
    chosen = [field.input for field in [corpus.options.convention, *choices]]
    gr.on(chosen, None, corpus.decided, corpus.decided, js="bleuPage.own")
    corpus.options.convention.input(
        lambda name: dict(zip(corpus.options.fields, convention_values(name))),
        corpus.options.convention,
        corpus.options.fields,
        **limits.QUIET,
    )
    # 3. Buttons in the results change fields, and the result follows.
    answer_and_focus = (
        "(...values) => { bleuPage.keepFocus('.bleu-answers .bleu-button',"
        " '#corpus-findings summary', '#score'); bleuPage.answer(...values); }"
    )
    answered = (corpus.message, corpus.findings, corpus.summary, corpus.answer)
    clicked = [component.click for component in answered]
    changed = [*choices, corpus.decided, corpus.sources.chosen]
    applied = gr.on(clicked, corpus.apply, [*inputs, corpus.decided], changed, **limits.QUIET)
    again = applied.then(corpus.show_score, fields, outputs, **work)
    again.then(None, inputs, js=answer_and_focus)


def _connect_sentence(corpus: Corpus, tabs: gr.Tabs, sentence: Sentence) -> None:
    """Open segments in the view of a sentence, with one or two candidates, and lead back."""

    def fill(key: str, number: str, systems: Sequence[str]) -> Update:
        try:
            scored, segment = read_segment(key, number, systems)
        except limits.RejectedError as error:
            raise gr.Error(str(error), print_exception=False) from None
        first, second, *_ = [*segment.predictions, ""]
        first_name, second_name, *_ = [*(systems or scored.systems), "Second candidate"]
        lines = [text.replace("\n", " ") for text in (first, second, *segment.references)]
        texts = (*lines[:2], "\n".join(lines[2:]))
        shown = Shown(texts, names=(first_name, second_name))
        options = {**scored.options, "effective_order": True}
        return {
            tabs: gr.update(selected="sentence"),
            **sentence.show_opened(shown, [options[name] for name in SCORING_OPTIONS]),
            sentence.back: gr.update(value=f"Back to line {number}", visible=True),
        }

    def open_segment(event: gr.EventData, key: str) -> Update:
        return fill(key, str(event.segment), ())

    def open_pair(event: gr.EventData, key: str, *pair: str) -> Update:
        if event.action == "sentence":
            return fill(key, str(event.segment), pair)
        return {opened: ""}

    opened = corpus.differences.opened
    target = [tabs, *sentence.outputs(), sentence.second_fold, sentence.back]
    segment = corpus.segments.listing.click(open_segment, corpus.key, target, **limits.QUIET)
    segment.then(None, js="() => bleuPage.visit('#back')")
    pair = [corpus.key, corpus.differences.first_system, corpus.differences.second_system]
    both = opened.click(open_pair, pair, [opened, *target], **limits.QUIET)
    both.then(None, js="() => bleuPage.leave()")
    update = {tabs: gr.update(selected="corpus"), sentence.back: gr.update(visible=False)}
    back = sentence.back.click(lambda: update, None, [tabs, sentence.back], **limits.QUIET)
    back.then(None, js="() => bleuPage.comeBack()")


def _ask_about_lengths(error: UnequalError) -> str:
    """Return buttons that score all the same."""
    shortest, longest = error.lines
    answers = [(f"Score the first {shortest:,}", CUT)]
    if error.can_pad:
        is_single = longest == shortest + 1
        missing = f"line {longest:,}" if is_single else f"lines {shortest + 1:,} to {longest:,}"
        answers.append((f"Count {missing} as empty", PAD))
    buttons = [
        html.button(text, "lengths", lengths=json.dumps({"how": how, "lines": error.lines}))
        for text, how in answers
    ]
    return f'<p class="bleu-answers">{" ".join(buttons)}</p>'


class Computed(NamedTuple):
    """The results of a submission; names are in the order of scores, the best first.

    runs: the names of the texts of each system, which are several for several training runs.
    """

    scored: Scored
    results: dict[str, QuotableReport]
    names: list[str]
    baseline: str
    usual_baseline: str
    runs: dict[str, list[str]]
    labels: Sequence[str] | None  # of each line
    choices: Choices  # of the visitor, about what was found
    rendered: Rendered


def compute_result(
    submission: Submission,
    options: Options,
    *,
    which: int | str = "all",
    remark: str = "",
    test: str = "randomization",
    chosen_baseline: str = "",
    joins_runs: bool = False,
    choices: Choices = MappingProxyType({}),
    prefix: str = "",
    progress: Callable[..., object] = lambda *_arguments, **_named: None,
) -> Computed:
    """Score the systems of a submission, compare them, and draw the result.

    With `joins_runs`, systems whose names differ by a seed are training runs of one system.
    `choices` has what the visitor has decided about what `check` found; those for what these texts
    have not are left out.
    """
    # 1. Look at the texts, and fix what the visitor has chosen to fix.
    progress(0.2, desc="Looking at the texts")
    first_options = options
    prepared = prepare_texts(submission, options, choices)
    options = prepared.options
    found_kinds = {each.kind for each in prepared.first.found}
    choices = {kind: own for kind, own in choices.items() if kind in found_kinds}
    as_given, submission = submission, prepared.submission
    remark = html.join(remark, *submission.remarks, *prepared.remarks)
    systems = submission.systems
    # 2. Score each system. Compare two with each other, and of three or more all pairs as well.
    progress(0.4, desc="Scoring")
    comparison = ranking = None
    with collect_warnings() as warnings:
        counted = count_submission(submission, options)
        joined = find_runs(list(systems)) if joins_runs else {}
        runs = joined or {name: [name] for name in systems}
        scores = {
            name: np.mean([counted[run].result["score"] for run in own])
            for name, own in runs.items()
        }
        names = sorted(runs, key=lambda name: -scores[name])
        # Of two systems, the first is the baseline, otherwise the best, unless a visitor has chosen
        # another.
        usual_baseline = names[0] if len(names) > 2 else next(iter(runs))
        baseline = chosen_baseline if chosen_baseline in runs else usual_baseline
        if len(names) > 1:
            tables = {name: scored_rows.rows for name, scored_rows in counted.items()}
            tables_of_runs = {name: {run: tables[run] for run in joined[name]} for name in joined}
            comparison = request_comparison(
                tables_of_runs or tables,
                None,
                baseline,
                "runs" if joined else test,
                options=leave_segments_effective(options),
                documents=submission.documents,
            )
            if len(names) > 2 and not joined:
                pairs = len(names) * (len(names) - 1) // 2
                progress(0.5, desc=f"Testing {pairs} pairs of systems")
                ranking = request_ranking(tables, options, submission.documents)
            progress(0.7, desc="Writing")
    # 3. What would a fix of what was found change? Its texts have warnings of their own.
    scores_of = {name: float(scored_rows.result["score"]) for name, scored_rows in counted.items()}
    before = judge(scores_of, len(submission.references), None if joined else ranking or comparison)
    with collect_warnings():
        without = try_without(
            as_given,
            prepared.first,
            first_options,
            before,
            choices,
        )
        tried = try_fixes(
            submission,
            prepared.looked,
            options,
            before,
            choices,
            baseline=baseline,
            test=None if joined else test,
        )
    named = name_scores(tried, without)
    scored, results = score_submission(
        submission, options, which, remark, counted=counted, prefix=prefix, named=named
    )
    effect = ""
    if tried.doubts and tried.kept:
        effect = f" {tell_effect(before, tried.after_kept, name_fixes(tried.kept))}".rstrip()
    # A link quotes no texts.
    caution, linked_caution = (
        " ".join(f"{found.tell(systems, quotes=quotes)}." for found in tried.doubts) + effect
        for quotes in (True, False)
    )
    # 4. Find what else the visitor should know about the texts and the options.
    progress(0.9, desc="Drawing")
    found = {each.kind for each in [*prepared.first.found, *prepared.looked.found]}
    remedies, notes = add_warnings([], warnings, found)
    count = len(submission.references)
    # For fewer than 30, the metric has its own caution.
    if options["confidence"] and 30 <= count < limits.FEW_SEGMENTS:
        notes.append(f"{count} lines are a small sample.")
    # 5. Draw. What puts a score in doubt stands above it, and goes with what is copied.
    size = html.join(describe_size(submission), remark)
    identical = {} if joined else find_identical(systems)
    if comparison is None:
        rendered = render_system(scored, results[baseline], caution)
        known: dict[str, Any] = {baseline: results[baseline]}
    else:
        known = list_systems(comparison, ranking, names, results)
        board = build_leaderboard(known, baseline, size=size, identical=identical, prefix=prefix)
        summary, statistics = render_systems(
            scored, comparison, ranking, names, board, identical=identical, caution=caution
        )
        rendered = Rendered(summary, "", statistics)
    if tried.asked:
        rendered = Rendered(render_box(tried), rendered.details)
    else:
        results_of = {name: [results[run] for run in own] for name, own in runs.items()}
        signature = (ranking or comparison or results[baseline])["signature"]
        about = (baseline, identical, prefix, size, linked_caution, signature)
        link = write_link(known, results_of, *about)
        rendered = rendered._replace(summary=html.doubt(rendered.summary, caution), link=link)
    summary = rendered.summary + html.remedies(remedies) + html.notes(notes)
    chosen = _list_chosen(choices, prepared)
    as_it_was = next(iter(without.values()), before)
    findings = render_findings(submission, prepared.looked, tried, choices, chosen, as_it_was)
    return Computed(
        scored=scored,
        results=results,
        names=names,
        baseline=baseline,
        usual_baseline=usual_baseline,
        runs=runs,
        labels=submission.labels,
        choices=choices,
        rendered=rendered._replace(summary=summary, findings=findings),
    )


def _list_chosen(choices: Choices, prepared: Prepared) -> dict[str, str]:
    """Return the fixes that the visitor has chosen, in words by their kinds."""
    chosen: dict[str, str] = {}
    for found in prepared.first.list_chosen(choices):
        choice, options = choices[found.kind]
        chosen[found.kind] = found.fixed
        for name, value in options.items():
            chosen[found.kind] = describe_setting(name, value)
        if choice == HEAD:
            lines = len(prepared.submission.references)
            chosen[found.kind] = f"{lines:,} lines before those that moved"
    return chosen


def describe_size(submission: Submission) -> str:
    """Return the numbers of lines, documents and references in words.

    >>> describe_size(Submission({"A": ["a", "b"]}, [["a"], ["b", "c"]], None, ["d", "d"]))
    '2 lines, 1 document, 1 to 2 references'
    """
    sizes = [html.count_things(len(submission.references), "line")]
    if submission.documents:
        sizes.append(html.count_things(len(set(submission.documents)), "document"))
    counts = {sum(text is not None for text in references) for references in submission.references}
    return ", ".join([*sizes, html.count_range(counts, "reference")])


def render_system(scored: Scored, result: QuotableReport, caution: str = "") -> Rendered:
    """Return the result of a single system as HTML; `caution` goes with what is copied."""
    _, table = read_segments(scored.key)
    scores = table["bleu"].to_numpy()
    ratios = table["length_ratio"].to_numpy()
    # 1. The score, and the sentence to quote.
    count = html.count_things(len(scores), "line")
    if scored.documents:
        count += f" of {html.count_things(scored.documents, 'document')}"
    interval = write_range(result, digits=1)
    likely = f"{scored.options['confidence']:.0%} interval {interval}" if interval else ""
    caption = html.join(likely, count, scored.remark)
    subject = f"{html.join(scored.systems[0], count, scored.remark)}: "
    told = add_caution(f"{subject}{quote(result)}", caution)
    summary = (
        f'<div class="bleu-headline" data-announce="{html.show(told)}">'
        f"{html.headline(result['score'], caption)}</div>"
        f"{render_copies(result, subject, scored.remark, caution)}"
    )
    # 2. The numbers behind the score, and how the segments spread.
    columns = (result["counts"], result["totals"], result["precisions"], result["bleu_by_order"])
    orders = [
        [f"{n}", f"{count:,}", f"{total:,}", f"{100 * precision:.1f}", f"{100 * score:.2f}"]
        for n, (count, total, precision, score) in enumerate(zip(*columns), 1)
    ]
    head = ["n-grams", "matches", "total", "precision (%)", "BLEU-n"]
    lengths = (
        f"Brevity penalty {result['brevity_penalty']:.4f}:"
        f" {html.count_things(result['translation_length'], 'token')} against"
        f" {result['reference_length']:,} in the references."
    )
    charts = html.histogram(100 * scores, 0, 100, 20, "Lines by BLEU")
    ratio_title = "Length ratio by line (1 = same length as the reference)"
    charts += html.histogram(ratios[~np.isnan(ratios)], 0, 2, 20, ratio_title)
    details = (
        f'{html.rows(head, orders)}{html.paragraph(lengths)}<div class="bleu-sides">{charts}</div>'
    )
    return Rendered(summary, details, html.paragraph("Scores of lines have effective order."))


_USUAL_SETTINGS = (("lowercase", True), ("tokenize", "intl"), ("tokenize", "none"))


def explain_number(key: str, system: str, pasted: str) -> str:
    """Return the settings that give a reported score as HTML."""
    try:
        scored, table = read_segments(key)
        predictions = table[scored.name_column(system, "prediction")].to_pylist()
        references = table["references"].to_pylist()
        with collect_warnings():
            search = request_settings(
                predictions,
                references,
                pasted.strip(),
                None,
                options={},
                metric=load_with(scored.options),
            )
            usual = _score_usual(predictions, references, scored)
        return _render_settings(search, usual, system, scored, is_unspaced(predictions))
    except limits.ERRORS as error:
        text = limits.explain_error(error)
        if text.startswith("reported"):  # the name is Python's
            _, _, expected = text.partition(": pass ")
            has_candidates = expected.startswith(("one BLEU score", "a BLEU score"))
            text = f"Type {expected}" if has_candidates else _EXPECTED_SCORE
        return html.message(text)


def _score_usual(
    predictions: Sequence[str], references: Sequence[Sequence[str]], scored: Scored
) -> dict[tuple[str, object], float]:
    """Score texts under the settings that others use most, each an option and its value."""
    scoring = {**leave_segments_effective(scored.options), "confidence": None}
    return {
        (name, value): request_score(predictions, references, {**scoring, name: value}).result[
            "score"
        ]
        for name, value in _USUAL_SETTINGS
        if scoring[name] != value
    }


def _render_settings(
    search: Reconciliation,
    usual: Mapping[tuple[str, object], float],
    system: str,
    scored: Scored,
    are_unspaced: bool,
) -> str:
    """Return what gives a score: fixes of the texts, usual settings, and all that were searched."""
    # 1. The settings to show. `zh` splits what it does not know as 13a does: it is proposed for
    #    text without spaces only.
    matches: list[SettingScores] = search["matches"] or search["other_matches"]
    settings = matches or search["nearest"]
    shown = settings
    if not are_unspaced:
        without_zh = [setting for setting in settings if setting["options"].get("tokenize") != "zh"]
        shown = without_zh or settings
    # 2. The story: a fix of the texts that the page has named, or the first plausible setting.
    published = read_published(search["reported"])
    number = published.written
    named = scored.named.get(system, {})
    fixed = [phrase for phrase, score in named.items() if _is_written(score, published)]
    plausible = [setting for setting in shown if setting["plausible"]]
    nearest = None if matches else shown[0]
    story = tell_likely(search, plausible[0] if plausible else nearest)
    if fixed:
        story = f"Likely: {fixed[0]}."
    elif search["verified"] is not None:
        verb = "give" if search["verified"] else "do not give"
        story = f"These texts {verb} {number} under this signature. {story}".strip()
    elif not matches:
        if published.conditions:
            number = "these numbers"
        story = f"No setting gives {number}: the texts are probably others. {story}"
    # 3. The question, with the score as it is scored here: without the steps to a setting.
    score = shown[0]["score"] - 100 * sum(step["delta"] for step in shown[0]["steps"])
    question = (
        f"You report a BLEU score of {published.written}. For the output of {system}, we get"
        f" {score:.2f}. Which signature (number of references, case, tokenizer, smoothing) belongs"
        " to your score?"
    )
    # 4. The scores after fixes of the texts, and under usual settings.
    rows = [[phrase, f"{score:.2f}", ""] for phrase, score in named.items()]
    for (name, value), score in usual.items():
        options = {**{each: scored.options[each] for each in SCORING_OPTIONS}, name: value}
        apply = html.button(
            "Apply", "apply", options=json.dumps(options), references=json.dumps(scored.which)
        )
        rows.append([describe_setting(name, value), f"{score:.2f}", apply])
    # 5. All settings in a fold, which is open and first if one of them is the answer.
    is_chance = bool(fixed) or not (matches and plausible) or story.startswith("Probably")
    listed = [
        [
            join_clauses(_describe_steps(setting)) or "as it is scored here",
            f"{setting['score']:.2f}",
            _apply_button(setting, scored),
            setting["signature"],
        ]
        for setting in shown[: limits.SHOWN_SETTINGS]
    ]
    head = f"Settings that give {published.written}{', probably by chance' * is_chance}"
    if not matches:
        head = f"Settings that come nearest to {published.written}"
    parts = [
        f"<details{'' if is_chance else ' open'}><summary>{html.show(head)}</summary>"
        f"{html.rows(['if', 'BLEU', '', 'signature'], listed)}</details>",
        html.rows(["if", "BLEU", ""], rows),
    ]
    return (
        f'<div data-announce="{html.show(story)}">{html.paragraph(story, "quote")}</div>'
        f"{html.paragraph(published.describe(), 'note') if published.describe() else ''}"
        f'<p class="bleu-copies">{html.copy_button(question, "question to the authors")}</p>'
        f"{''.join(reversed(parts) if is_chance else parts)}"
    )


def _is_written(score: float, published: Published) -> bool:
    """Return True if a score, from 0 to 100, is written as a published one."""
    scale = 100 if published.number > 1 else 1
    return abs(score * scale / 100 - published.number) <= 0.5 * 10**-published.decimals


def tell_likely(search: Mapping[str, Any], likely: SettingScores | None) -> str:
    """Return what is likely after a search; `likely` is the first plausible setting, if any.

    >>> case = {"steps": [{"factor": "lowercase", "value": True, "delta": 0.01}]}
    >>> search = {"matches": [case], "other_matches": [], "verified": None, "chance": 0.01}
    >>> tell_likely(search, case)
    'Likely: case is ignored.'
    >>> tell_likely({**search, "chance": 0.58}, None)
    'Probably none of these: some setting gives almost any such score. Ask for the signature.'
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
        near = ": some setting gives almost any such score" if is_frequent else ""
        return f"Probably none of these{near}. Ask for the signature."
    if changes and search["chance"] > 0.05:
        return f"Perhaps: {words}. It may be a coincidence: ask for the signature."
    return f"Likely: {words}."


def _describe_steps(setting: SettingScores) -> list[str]:
    """Return a phrase for each step that changes the score."""
    return [
        describe_setting(step["factor"], step["value"])
        for step in setting["steps"]
        if step["delta"]
    ]


def _apply_button(setting: SettingScores, scored: Scored) -> str:
    """Return a button that applies a setting; all other options, and a chosen reference, stay.

    The demo scores a corpus with its own options, so a mean of segment scores, exchanged texts and
    weights have no button.
    """
    has_other_score = setting["swapped"] or setting["last_pair"] or setting["call"]
    if has_other_score or not setting["options"].keys() <= {*SCORING_OPTIONS}:
        return ""
    if setting["options"].get("tokenize", "none") not in TOKENIZERS:
        return ""
    options = {name: scored.options[name] for name in SCORING_OPTIONS} | setting["options"]
    references = setting["references"] if scored.which == "all" else scored.which
    return html.button(
        "Apply", "apply", options=json.dumps(options), references=json.dumps(references)
    )
