"""Several systems: the verdict, the leaderboard as a table and as a picture, and the statistics."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import east_asian_width

from . import html
from .metric import ALL_TESTS, describe_intervals, read_macro_average, report
from .scored import Scored

if TYPE_CHECKING:
    from bleu_metric.bleu_report import QuotableReport
    from bleu_metric.bleu_results import RankedSystem

Scores = Mapping[str, Any]  # of a system in a result

_MOST_IN_FULL = 10  # systems whose rows are high, in blocks of first place and behind
_SHOWN_NAME = 32  # characters of a name in a row; its title has all of them
_MARK = "★"  # of the first place
_MARKED = "★ No other system is better, by the test of all pairs."
_MAX_TICKS = 7
_WIDEST_GROWTH = 2  # a system that makes the axis more than twice as long is off the scale


class Standing(NamedTuple):
    """A system in the leaderboard.

    score: from 0 to 100, as are the ends of the interval.
    interval: None without a confidence interval.
    rank: a range such as "1–4"; empty without a ranking.
    is_first: True if no other system is better, by the test of all pairs.
    runs: the scores of several training runs, whose mean is the score.
    """

    name: str
    score: float
    interval: tuple[float, float] | None
    rank: str
    is_first: bool
    runs: tuple[float, ...] = ()

    def find_ends(self) -> tuple[float, float]:
        """Return where the drawing of this system begins and ends."""
        points = [self.score, *self.runs, *(self.interval or ())]
        return min(points), max(points)


class Leaderboard(NamedTuple):
    """The ranked systems, the best first, and the text around them.

    headline: a sentence of one line.
    lead: the size of the lead and of the test set, below the headline.
    tested: the test, for the small print.
    """

    headline: str
    lead: str
    standings: Sequence[Standing]
    tested: str
    signature: str
    prefix: str = ""  # the common beginning of all names, which their rows lack

    @property
    def is_long(self) -> bool:
        """True for more systems than fit on a screen in rows of the usual height."""
        return len(self.standings) > _MOST_IN_FULL

    @property
    def has_marks(self) -> bool:
        """True if each row says that it is first: the first are many, or not in one block."""
        are_first = [standing.is_first for standing in self.standings]
        is_block = are_first == sorted(are_first, reverse=True)
        return bool(self.standings[0].rank) and (self.is_long or not is_block)

    def list_places(self) -> list[str]:
        """Return what stands before each row: a mark, or the place if it isn't that above."""
        if not self.standings[0].rank:
            return [""] * len(self.standings)
        if self.has_marks:
            return [_MARK if standing.is_first else "" for standing in self.standings]
        places = ["first place" if each.is_first else "behind" for each in self.standings]
        return [place if place != above else "" for place, above in zip(places, ["", *places])]


class Table(NamedTuple):
    """The cells of a table, and how many of its first columns have words."""

    head: list[str]
    rows: list[list[str]]
    word_columns: int = 1


class RenderedSystems(NamedTuple):
    """Several systems as HTML: the leaderboard, and the statistics, which are folded."""

    summary: str
    statistics: str


def render_systems(
    scored: Scored,
    comparison: QuotableReport,
    ranking: QuotableReport | None,
    names: Sequence[str],
    *,
    size: str,
    identical: Mapping[str, str],
    caution: str = "",
) -> RenderedSystems:
    """Return several systems as HTML.

    Args:
        scored: the scored submission.
        comparison: the result of `compare`.
        ranking: the result of `rank` for three systems or more.
        names: those of the systems, the highest score first.
        size: the numbers of segments, documents and references, in words.
        identical: for each system with the texts of an earlier one, the name of the earlier one.
        caution: why the scores are in doubt, which goes with what is copied and saved.
    """
    # 1. The leaderboard, and the sentence to quote.
    board = build_leaderboard(
        comparison, ranking, names, size=html.join(size, scored.remark), identical=identical
    )._replace(prefix=scored.prefix)
    quoted = quote(ranking or comparison)
    sentence = add_remark(quoted, scored.remark)
    if len(names) > 2:
        facts = "; ".join(filter(None, [board.tested, f"signature {board.signature}"]))
        sentence = f"{board.headline} {board.lead} {facts[0].upper()}{facts[1:]}."
    sentence = add_caution(sentence, caution)
    table = _list_for_paper(board, scored.options["confidence"])
    note = f"{board.tested}; {board.signature}" if board.tested else board.signature
    note = add_caution(add_remark(note, scored.remark), caution)
    copies = html.copy_button(sentence, "sentence") + copy_table(table, note, board.signature)
    picture = draw_picture(board, caution)
    copies += html.save_button(picture, "bleu-leaderboard.svg", "Save picture")
    summary = (
        f'<div data-announce="{html.show(f"{board.headline} {board.lead}")}">'
        f"{html.paragraph(board.headline, 'verdict')}{html.paragraph(board.lead, 'lead')}</div>"
        f'{draw_table(board)}<p class="bleu-copies">{copies}</p>'
    )
    # 2. The statistics. With a ranking, one test of all pairs decides on each verdict.
    baseline: str = comparison["baseline"]
    systems: dict[str, Scores] = dict(comparison["systems"])
    notes = []
    if ranking:
        comparisons = len(ranking["pairs"])
        notes.append(f"p and verdicts are corrected for {comparisons} comparisons (Holm).")
        for pair in ranking["pairs"]:
            if baseline in pair["systems"] and "p_adjusted" in pair:
                (name,) = {*pair["systems"]} - {baseline}
                systems[name] = {**systems[name], "p_adjusted": pair["p_adjusted"]}
    detectable = systems[find_rival(names, baseline)].get("detectable_delta")
    if detectable and not identical:
        notes.append(
            f"With this test set, true differences below about {100 * detectable:.1f}"
            " often go unnoticed."
        )
    order = [standing.name for standing in board.standings]
    scores = [system["score"] for system in systems.values()]
    notes.append(explain_rounding(scores, systems[baseline]["score"], digits=2))
    details = _list_statistics(
        systems, order, baseline, confidence=scored.options["confidence"], identical=identical
    )
    claim, _, _signature = quoted.partition("; signature ")
    statistics = html.rows(details.head, details.rows)
    if any(notes):
        statistics += html.message(" ".join(filter(None, notes)), "note")
    statistics += html.paragraph(f"{claim}.", "quote")
    statistics += f'<p class="bleu-copies">{copy_table(details, note, board.signature)}</p>'
    statistics += html.signature(board.signature)
    return RenderedSystems(summary, statistics)


def build_leaderboard(
    comparison: QuotableReport,
    ranking: QuotableReport | None,
    names: Sequence[str],
    *,
    size: str,
    identical: Mapping[str, str],
) -> Leaderboard:
    """Return the leaderboard of a comparison, in the order of the ranking if there is one."""
    systems: Mapping[str, Scores] = comparison["systems"]
    # 1. The order and the ranks; two systems have no ranks.
    ranges: dict[str, Sequence[int]] = {}
    if ranking:
        for entry in ranking["ranking"]:
            ranges[entry["system"]] = entry["rank_range"]
    standings = []
    for name in ranges or names:
        system = systems[name]
        interval = _read_interval(system)
        rank = "–".join(f"{place}" for place in dict.fromkeys(ranges.get(name, ())))
        is_first = name in ranges and ranges[name][0] == 1
        runs = tuple(run["score"] for run in system.get("runs", {}).values())
        standings.append(Standing(name, system["score"], interval, rank, is_first, runs))
    size = html.join(size, _count_runs(standings))
    # 2. The sentences.
    result = ranking or comparison
    if ranking:
        headline = state_ranking(ranking["ranking"], identical)
        lead = f"{_state_lead(standings, identical)} {size}."
    elif len(names) > 2:
        headline = f"{names[0]} has the highest mean of runs."
        lead = f"{_state_lead_of_runs(comparison, names)} {size}."
    else:
        headline = state_verdict(comparison, names, bool(identical))
        lead = f"{size}."
    return Leaderboard(
        headline, lead.strip(), standings, _describe_test(result), result["signature"]
    )


# --- Sentences ------------------------------------------------------------------------------------


def state_verdict(comparison: Mapping[str, Any], names: Sequence[str], are_identical: bool) -> str:
    """Return the result of a comparison of two systems in a sentence; the best one is named first.

    >>> systems = {"A": {"score": 20.0}, "B": {"score": 21.5, "delta": 0.015, "p_value": 0.004}}
    >>> state_verdict({"systems": systems, "baseline": "A"}, ["B", "A"], False)
    'B scores higher than A, by 1.50 BLEU.'
    """
    best, worse = names
    if are_identical:
        return f"{best} and {worse} are identical."
    systems: Mapping[str, Scores] = comparison["systems"]
    rival = systems[find_rival(names, comparison["baseline"])]
    points = f"{100 * abs(rival['delta']):.2f} BLEU"
    if judge(rival) == "may be chance":
        return f"{best} scores {points} higher than {worse}, which may be chance."
    return f"{best} scores higher than {worse}, by {points}."


def state_ranking(ranking: Sequence[RankedSystem], identical: Mapping[str, str]) -> str:
    """Return in a line how many systems share first place: those that no other is better than.

    >>> ranking = [{"system": name, "rank_range": [1, 3]} for name in "ABC"]
    >>> state_ranking(ranking, {})
    'All three systems share first place.'
    >>> state_ranking([*ranking[:2], {"system": "C", "rank_range": [3, 3]}], {})
    'Two systems share first place.'
    >>> state_ranking([{"system": "A", "rank_range": [1, 1]}, *ranking[1:]], {"C": "B"})
    'All three systems share first place.'
    >>> last = [{"system": "B", "rank_range": [2, 2]}, {"system": "C", "rank_range": [3, 3]}]
    >>> state_ranking([{"system": "A", "rank_range": [1, 1]}, *last], {})
    'A scores highest, by more than chance.'
    """
    first = [entry for entry in ranking if entry["rank_range"][0] == 1]
    if len(first) == 1:
        is_certain = first[0]["rank_range"] == [1, 1]
        certainty = ", by more than chance" if is_certain else ""
        return f"{first[0]['system']} scores highest{certainty}."
    count = html.write_count(len(first))
    subject = count.capitalize()
    if len(first) == len(ranking):
        subject = f"All {count}"
    elif len(ranking) > _MOST_IN_FULL:
        subject += f" of {html.write_count(len(ranking))}"
    return f"{subject} systems share first place."


def _count_runs(standings: Sequence[Standing]) -> str:
    """Return how many training runs the scores are means of; empty if of one each.

    >>> _count_runs([Standing("A", 2.0, None, "", True, (1.0, 3.0))])
    'means of 2 runs'
    """
    counts = {max(len(standing.runs), 1) for standing in standings}
    return "" if counts == {1} else f"means of {html.count_range(counts, 'run')}"


def _state_lead(standings: Sequence[Standing], identical: Mapping[str, str]) -> str:
    """Return by how much the best system leads, and which of the first are identical."""
    best, second = standings[:2]
    first_names = [standing.name for standing in standings if standing.is_first]
    sentences = []
    if identical.get(second.name) != best.name:
        points = f"{best.score - second.score:.2f} BLEU"
        if len(first_names) == 1:
            sentences.append(f"{second.name} is next, {points} behind.")
        else:
            sentences.append(f"{best.name} leads by {points}, which may be chance.")
    for name in first_names:
        if name in identical:
            sentences.append(f"{name} is identical to {identical[name]}.")
    return " ".join(sentences)


def _state_lead_of_runs(comparison: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return by how much the best of several systems leads, and if known, whether by chance.

    >>> systems = {"A": {"score": 21.5}, "B": {"score": 20.0, "delta": -0.015, "p_value": 0.3}}
    >>> _state_lead_of_runs({"systems": systems, "baseline": "A"}, ["A", "B", "C"])
    'B is next, 1.50 BLEU behind, which may be chance.'
    """
    best, second, *_ = names
    systems: Mapping[str, Scores] = comparison["systems"]
    points = f"{systems[best]['score'] - systems[second]['score']:.2f} BLEU"
    sentence = f"{second} is next, {points} behind"
    if comparison["baseline"] == best and judge(systems[second]) == "may be chance":
        sentence += ", which may be chance"
    return f"{sentence}."


def quote(result: QuotableReport) -> str:
    """Return the sentence of a result's report, which ends with its signature."""
    sentence, _, _ = result.report().partition("\n")
    return sentence


def add_remark(text: str, remark: str) -> str:
    """Add to a copied text what was changed before scoring, if something was."""
    return f"{text} Before scoring: {remark}." if remark else text


def add_caution(text: str, caution: str) -> str:
    """Add to a copied text why its score is in doubt, if it is."""
    return f"{text} Caution: {caution}" if caution else text


def _describe_test(result: QuotableReport) -> str:
    """Return the test by the name that sentences have for it; empty without a test."""
    name = str(result.get("test"))
    if name not in ALL_TESTS or "n_resamples" not in result:
        return ""
    words = f"{ALL_TESTS[name].says}, {result['n_resamples']:,} resamples"
    if "documents" in result:
        words += f" by document ({html.count_things(result['documents'], 'document')})"
    if result.get("family_wise"):
        words += f", ranks at a family-wise error of {100 * result['alpha']:g}%"
    scores = result["ranking"] if "ranking" in result else result["systems"].values()
    kind = describe_intervals(scores)
    if kind:
        words += f", intervals: {kind}"
    return words


# --- The axis -------------------------------------------------------------------------------------


class Axis(NamedTuple):
    """The axis that all intervals share, in points of BLEU."""

    low: float
    high: float
    ticks: list[float]

    def place(self, value: float) -> float:
        """Return where a value is: 0 at the start of the axis, 1 at its end.

        >>> Axis(30.0, 40.0, [30.0, 35.0, 40.0]).place(32.5)
        0.25
        """
        return (value - self.low) / (self.high - self.low)

    def has(self, standing: Standing) -> bool:
        """Return whether a system is on the scale."""
        return standing.score >= self.low


def find_axis(standings: Sequence[Standing]) -> Axis:
    """Return an axis for the leading group; a system far behind it is off the scale.

    From the best score down, systems are added as long as the axis stays short. At least half of
    the systems, and two, are on it.

    >>> scores = (33.4, 33.1, 32.4, 31.5, 8.0)
    >>> intervals = [(score - 1, score + 1) for score in scores]
    >>> axis = find_axis([Standing("A", *ends, "", True) for ends in zip(scores, intervals)])
    >>> axis.ticks
    [31.0, 32.0, 33.0, 34.0]
    >>> axis.has(Standing("E", 8.0, None, "", False))
    False
    """
    by_score = sorted(standings, key=lambda standing: -standing.score)
    least = max(2, (len(by_score) + 1) // 2)
    low, high = by_score[0].find_ends()
    for count, standing in enumerate(by_score):
        start, end = standing.find_ends()
        lowest, highest = min(low, start), max(high, end)
        if count >= least and highest - lowest > _WIDEST_GROWTH * max(high - low, 1):
            break
        low, high = lowest, highest
    # Equal scores without intervals need an axis as well.
    margin = max(0.04 * (high - low), 0.1)
    low -= margin
    high += margin
    step = _find_step(high - low)
    first = math.ceil(low / step)
    last = math.floor(high / step)
    ticks = [round(step * number, 2) for number in range(first, last + 1)]
    return Axis(low, high, ticks)


def _find_step(width: float) -> float:
    """Return the distance of ticks: 1, 2 or 5 times a power of ten.

    >>> [_find_step(width) for width in (0.2, 6.0, 9.0, 80.0)]
    [0.05, 1.0, 2.0, 20.0]
    """
    power = 10.0 ** math.floor(math.log10(width / _MAX_TICKS))
    return next(
        factor * power for factor in (1, 2, 5, 10) if width / (factor * power) <= _MAX_TICKS
    )


# --- Tables ---------------------------------------------------------------------------------------


def draw_table(board: Leaderboard) -> str:
    """Return the leaderboard as a table of HTML, in which one axis has all intervals."""
    axis = find_axis(board.standings)
    best = board.standings[0]
    is_ranked = bool(best.rank)
    ticks = "".join(
        f'<text x="{100 * axis.place(tick):.2f}%" y="12" text-anchor="middle">{tick:g}</text>'
        for tick in axis.ticks
    )
    drawn_axis = f'<svg height="16" aria-hidden="true">{ticks}</svg>'
    title = f"{board.prefix}…" if board.prefix else "system"
    head = [
        f'<th scope="col" class="all-names">{html.show(title)}</th>',
        '<th scope="col" class="number">BLEU</th>',
        f'<td class="drawn">{drawn_axis}</td>',
        '<th scope="col" class="number lead">to the best</th>',
    ]
    if is_ranked:
        head = ['<th scope="col" class="tier"><span class="bleu-unseen">place</span></th>', *head]
        head.append('<th scope="col" class="number">rank</th>')
    has_ranks = board.is_long and is_ranked
    if has_ranks:
        head.append('<td class="ranks"></td>')
    lines = []
    for standing, place in zip(board.standings, board.list_places()):
        cells = [
            f'<th scope="row" class="name" dir="auto"'
            f' title="{html.show(board.prefix + standing.name)}">'
            f"{html.show(html.shorten(standing.name, _SHOWN_NAME))}</th>",
            f'<td class="number" title="{standing.score:.2f}"><b>{standing.score:.1f}</b></td>',
            f'<td class="drawn">{_draw_row(standing, best, axis)}</td>',
            f'<td class="number lead">{_write_lead(standing, best)}</td>',
        ]
        if is_ranked:
            shown = _FIRST_MARK if place == _MARK else place
            cells = [f'<td class="tier">{shown}</td>', *cells]
            cells.append(f'<td class="number">{standing.rank}</td>')
        if has_ranks:
            cells.append(f'<td class="ranks">{_draw_ranks(standing, len(board.standings))}</td>')
        kind = ' class="first"' if standing.is_first else ""
        lines.append(f"<tr{kind}>{''.join(cells)}</tr>")
    notes = [
        _MARKED if board.has_marks else "",
        "Bars at the right: the places that a system may have." if has_ranks else "",
        _explain_board(board),
    ]
    note = html.paragraph(" ".join(filter(None, notes)), "note") if any(notes) else ""
    kind_of_table = " long" if board.is_long else ""
    return (
        f'<div class="bleu-box" tabindex="0" role="group" aria-label="Leaderboard">'
        f'<table class="bleu-board{kind_of_table}"><thead><tr>{"".join(head)}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>{note}"
    )


_FIRST_MARK = f'<span aria-hidden="true">{_MARK}</span><span class="bleu-unseen">first place</span>'


def _draw_ranks(standing: Standing, count: int) -> str:
    """Return the range of ranks of a system as a bar, from the first place at the left."""
    low, _, high = standing.rank.partition("–")
    start = 100 * (int(low) - 1) / count
    width = 100 * (int(high or low) - int(low) + 1) / count
    return (
        f'<svg height="12" aria-hidden="true"><rect class="rank" x="{start:.1f}%"'
        f' width="{width:.1f}%" y="3" height="6"/></svg>'
    )


def _draw_row(standing: Standing, best: Standing, axis: Axis) -> str:
    """Return the interval of a system on the axis, over a band that is the interval of the best."""
    words = f"{standing.score:.1f}"
    if standing.interval:
        words += f", interval {write_interval(standing.interval, 1)}"
    if standing.runs:
        words += f", runs {', '.join(f'{run:.1f}' for run in standing.runs)}"
    drawn = ""
    if best.interval:
        start, end = (100 * axis.place(end) for end in best.interval)
        drawn = f'<rect class="band" x="{start:.2f}%" width="{end - start:.2f}%" height="100%"/>'
    if not axis.has(standing):
        drawn += f'<path class="off" d="M11,5L3,11L11,17"/><text x="16" y="15">{words[:4]}</text>'
    else:
        if standing.interval:
            start, end = (100 * max(axis.place(end), 0) for end in standing.interval)
            drawn += f'<line x1="{start:.2f}%" x2="{end:.2f}%" y1="11" y2="11"/>'
        for run in standing.runs:
            drawn += f'<circle class="run" cx="{100 * axis.place(run):.2f}%" cy="11" r="3"/>'
        drawn += f'<circle cx="{100 * axis.place(standing.score):.2f}%" cy="11" r="5"/>'
    return f'<svg height="22" role="img" aria-label="{words}">{drawn}</svg>'


def _write_lead(standing: Standing, best: Standing) -> str:
    """Return the difference to the best system, which itself has a dash.

    >>> best = Standing("A", 33.42, None, "1", True)
    >>> [_write_lead(best._replace(name=f"{score}", score=score), best) for score in (32.4, 33.4)]
    ['−1.0', '0.0']
    """
    if standing.name == best.name:
        return "–"
    return html.write_signed(standing.score - best.score, 1).lstrip("+")


def explain_rounding(scores: Iterable[float], best: float, digits: int) -> str:
    """Return a sentence if a difference is not that of the rounded scores beside it.

    >>> explain_rounding([33.1149, 33.1351], best=33.1149, digits=2)
    'Differences are rounded after subtraction.'
    """
    shown_best = Decimal(f"{best:.{digits}f}")
    for score in scores:
        subtracted = Decimal(f"{score:.{digits}f}") - shown_best
        if subtracted != Decimal(f"{score - best:.{digits}f}"):
            return "Differences are rounded after subtraction."
    return ""


def _explain_board(board: Leaderboard) -> str:
    scores = [standing.score for standing in board.standings]
    return explain_rounding(scores, scores[0], digits=1)


def write_interval(ends: tuple[float, float], digits: int = 2) -> str:
    """Write an interval in words.

    >>> write_interval((31.0, 33.456))
    '31.00 to 33.46'
    """
    low, high = ends
    return f"{low:.{digits}f} to {high:.{digits}f}"


def _list_for_paper(board: Leaderboard, confidence: float | None) -> Table:
    """Return the columns that a paper prints: system, BLEU, interval, and rank if there is one."""
    has_intervals = any(standing.interval for standing in board.standings)
    is_ranked = bool(board.standings[0].rank)
    head = ["System", "BLEU"]
    if has_intervals:
        head.append(f"{confidence:.0%} CI")
    if is_ranked:
        head.append("Rank")
    rows = []
    for standing in board.standings:
        row = [standing.name, f"{standing.score:.1f}"]
        if has_intervals:
            ends = standing.interval
            row.append(write_interval(ends, 1).replace(" to ", "–") if ends else "")
        if is_ranked:
            row.append(standing.rank)
        rows.append(row)
    return Table(head, rows)


def copy_table(table: Table, note: str, signature: str) -> str:
    """Return the buttons that copy a table and a note, as Markdown and as LaTeX.

    The note may contain the signature, which is code in Markdown.
    """
    rows = report.format_markdown([table.head, *table.rows], table.word_columns)
    markdown = f"{rows}\n\n{report.format_paragraph(note, code=signature)}"
    latex = f"{write_latex(table)}\n% {report.escape_unseen(note)}"
    return html.copy_button(markdown, "as Markdown") + html.copy_button(latex, "as LaTeX")


def write_latex(table: Table) -> str:
    """Write a table in LaTeX, with the signs as a paper sets them.

    >>> print(write_latex(Table(["System", "Rank"], [["A", "1–2"], ["<B", "−3"]])))
    \\begin{tabular}{lr}
    \\toprule
    System & Rank \\\\
    \\midrule
    A & 1--2 \\\\
    \\textless{}B & $-$3 \\\\
    \\bottomrule
    \\end{tabular}
    """
    latex = report.format_latex([table.head, *table.rows], table.word_columns)
    for sign, command in {"−": "$-$", "–": "--"}.items():
        latex = latex.replace(sign, command)
    return latex


def _list_statistics(
    systems: Mapping[str, Scores],
    order: Sequence[str],
    baseline: str,
    *,
    confidence: float | None,
    identical: Mapping[str, str],
) -> Table:
    """Return the table of intervals and tests against the baseline."""
    has_intervals = any("confidence_interval" in system for system in systems.values())
    interval = f"{confidence:.0%} interval" if has_intervals else "interval"
    is_corrected = any("p_adjusted" in system for system in systems.values())
    p_name = "corrected p" if is_corrected else "p"
    head = ["system", "verdict", "BLEU", interval, "difference", "interval of difference", p_name]
    rows = []
    for name in order:
        system = systems[name]
        verdict = _judge_texts(name, system, baseline, identical)
        difference = html.write_signed(100 * system["delta"]) if "delta" in system else ""
        ends = [html.write_signed(100 * end) for end in system.get("delta_interval", ())]
        numbers = [f"{system['score']:.2f}", write_range(system), difference, " to ".join(ends)]
        rows.append([name, verdict, *numbers, _write_short_p(_read_p_value(system))])
    return Table(head, rows, word_columns=2)


def _write_short_p(p: float | None) -> str:
    """Write a p-value as a table prints it, but with the digits that a verdict depends on.

    >>> [_write_short_p(p) for p in (1.0, 0.31249, 0.0476, 0.0152, 0.0021, 0.00001, None)]
    ['1.00', '0.31', '0.048', '0.015', '0.002', '<0.001', '']
    """
    if p is None:
        return ""
    if p < 0.001:
        return "<0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def write_range(scores: Scores, digits: int = 2) -> str:
    """Return the interval of a score in BLEU; empty without one."""
    ends = _read_interval(scores)
    return write_interval(ends, digits) if ends else ""


def _read_interval(scores: Scores) -> tuple[float, float] | None:
    """Return the ends of the interval of a score, from 0 to 100; None without one."""
    if "confidence_interval" not in scores:
        return None
    low, high = scores["confidence_interval"]
    return 100 * low, 100 * high


def _judge_texts(name: str, system: Scores, baseline: str, identical: Mapping[str, str]) -> str:
    """Return the verdict of the test, and if a system's texts are those of an earlier one."""
    earlier = identical.get(name)
    if earlier is None:
        return judge(system)
    is_as_baseline = name != baseline and earlier == identical.get(baseline, baseline)
    verdict = "" if is_as_baseline else judge(system)
    return html.join(verdict, f"identical to {earlier}")


def judge(system: Scores) -> str:
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


def _read_p_value(system: Scores) -> float | None:
    """Return the p-value of the test; among several systems, of that of all pairs."""
    return system.get("p_adjusted", system.get("p_value"))


def find_rival(names: Sequence[str], baseline: str) -> str:
    """Return the best system but for the baseline; names are in the order of scores."""
    return next(name for name in names if name != baseline)


def find_identical(systems: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return, for each system that has the texts of an earlier one, the name of the earlier one.

    >>> find_identical({"A": ["a"], "B": ["b"], "C": ["a"]})
    {'C': 'A'}
    """
    identical = {}
    first_of: dict[tuple[str, ...], str] = {}
    for name, texts in systems.items():
        first = first_of.setdefault(tuple(texts), name)
        if first != name:
            identical[name] = first
    return identical


# --- Groups ---------------------------------------------------------------------------------------


def render_groups(results: Mapping[str, QuotableReport]) -> str:
    """Return a table of the score of each system per group, after all segments and the mean.

    Systems are in the order of their scores, and the best of each group is bold. The text is empty
    without groups. A single system has intervals, too.
    """
    if not all("groups" in result for result in results.values()):
        return ""
    names = sorted(results, key=lambda name: -results[name]["score"])
    is_single = len(names) == 1
    head = ["group", "BLEU", "interval"] if is_single else ["group", *names]
    by_system = [_list_groups(results[name]) for name in names]
    rows = []
    shown_rows = []
    for groups in zip(*by_system):
        label, of_first = groups[0]
        scores = [f"{of_system['score']:.2f}" for _, of_system in groups]
        best = max(scores, key=float)
        bold = [html.bold(score) if score == best else score for score in scores]
        interval = [write_range(of_first)] if is_single else []
        rows.append([label, *scores, *interval])
        shown_rows.append([label, *(scores if is_single else bold), *interval])
    signature = results[names[0]]["signature"]
    copies = copy_table(Table(head, rows), signature, signature)
    folded = f'{html.rows(head, shown_rows)}<p class="bleu-copies">{copies}</p>'
    return html.fold("Score per group", folded, level=2)


def _list_groups(result: QuotableReport) -> list[tuple[str, Scores]]:
    """Return all segments, the mean of the groups, and each group, with their scores."""
    groups = [(label or "no label", scores) for label, scores in result["groups"].items()]
    return [("all", result), ("mean of the groups", read_macro_average(result)), *groups]


# --- The picture ----------------------------------------------------------------------------------
#
# It uses what browsers, editors and converters to PDF have in common: shapes and text, with each
# attribute on its element, without CSS, scripts and fonts of its own.

_PICTURE_WIDTH = 960
_MARGIN = 32
_ROW_HEIGHT = 34
_SMALL_ROW_HEIGHT = 20  # of many systems
_PICTURE_NAME = 26  # characters that fit between the place and the score
_LEAD_LINE = 110  # characters of 15 px that fit in a line
_SMALL_LINE = 140  # characters of 11 px
_SCORE_X = 432
_AXIS_X = 456
_AXIS_WIDTH = 330
_LEAD_X = 868
_INK = "#1f2937"
_MUTED = "#4b5563"
_ACCENT = "#1d4ed8"
_FIRST_FILL = "#eef4ff"
_BAND_FILL = "#d3e2ff"


def draw_picture(board: Leaderboard, caution: str = "") -> str:
    """Return the leaderboard as an SVG file, with the test and the signature in small print.

    `caution` says why the scores are in doubt.
    """
    axis = find_axis(board.standings)
    best = board.standings[0]
    is_ranked = bool(best.rank)
    name_x = _MARGIN + 104 if is_ranked else _MARGIN + 8
    row_height = _SMALL_ROW_HEIGHT if board.is_long else _ROW_HEIGHT
    # 1. Headline and lead.
    y = 52
    parts = [_write(_fit(board.headline, 54), _MARGIN, y, size=28, weight="bold")]
    for line in textwrap.wrap(board.lead, _LEAD_LINE):
        y += 24
        parts.append(_write(line, _MARGIN, y, size=15, fill=_MUTED))
    # 2. The head of the table, with the ticks of the axis.
    y += 40
    head = {"anchor": "end", "fill": _MUTED}
    title = f"{board.prefix}…" if board.prefix else "system"
    parts += [
        _write(_fit(title, _PICTURE_NAME), name_x, y, size=12, fill=_MUTED),
        _write("BLEU", _SCORE_X, y, size=12, **head),
        _write("to the best", _LEAD_X, y, size=12, **head),
    ]
    for tick in axis.ticks:
        x = _AXIS_X + _AXIS_WIDTH * axis.place(tick)
        parts.append(_write(f"{tick:g}", x, y, size=12, anchor="middle", fill=_MUTED))
    if is_ranked:
        parts.append(_write("rank", _PICTURE_WIDTH - _MARGIN - 8, y, size=12, **head))
    # 3. The rows.
    y += 12
    for standing, place in zip(board.standings, board.list_places()):
        parts.append(_draw_picture_row(standing, best, axis, y, name_x, height=row_height))
        if place:
            place_y = y + row_height / 2 + 5
            parts.append(_write(place, _MARGIN + 8, place_y, size=12, weight="bold", fill=_ACCENT))
        y += row_height
    # 4. The small print.
    y += 8
    dots = "Dots: BLEU."
    if best.interval:
        dots = "Dots and lines: BLEU and its confidence interval. Band: the interval of the best."
    notes = [
        dots,
        "Hollow dots: runs." if any(standing.runs for standing in board.standings) else "",
        _MARKED if board.has_marks else "",
        _explain_board(board),
    ]
    told = add_caution("", caution).strip()
    for text in (told, " ".join(filter(None, notes)), board.tested, board.signature):
        for line in textwrap.wrap(text, _SMALL_LINE):
            y += 16
            parts.append(_write(line, _MARGIN, y, size=11, fill=_MUTED))
    height = y + 24
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_PICTURE_WIDTH}" height="{height}"'
        f' viewBox="0 0 {_PICTURE_WIDTH} {height}" font-family="Helvetica, Arial, sans-serif"'
        f' role="img">\n<title>{_escape(board.headline)}</title>\n'
        f'<rect width="{_PICTURE_WIDTH}" height="{height}" fill="#ffffff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _draw_picture_row(
    standing: Standing, best: Standing, axis: Axis, y: float, name_x: float, *, height: int
) -> str:
    """Return a row of the picture, from `y` down."""
    parts = []
    middle = y + height / 2
    size, radius = (15, 6) if height == _ROW_HEIGHT else (12, 4)
    line_y = middle + 5  # of text
    # 1. The backgrounds: of the systems in first place, and the interval of the best.
    if standing.is_first:
        width = _PICTURE_WIDTH - 2 * _MARGIN
        parts.append(_fill_rectangle(_MARGIN, y, width, height, fill=_FIRST_FILL))
    if best.interval:
        start, end = (_AXIS_X + _AXIS_WIDTH * axis.place(end) for end in best.interval)
        parts.append(_fill_rectangle(start, y, end - start, height, fill=_BAND_FILL))
    # 2. The texts.
    name = _fit(standing.name, _PICTURE_NAME)
    score = f"{standing.score:.1f}"
    lead = _write_lead(standing, best)
    end_x = _PICTURE_WIDTH - _MARGIN - 8
    parts += [
        _write(name, name_x, line_y, size=size, weight="bold", title=standing.name),
        _write(score, _SCORE_X, line_y, size=size, weight="bold", anchor="end"),
        _write(lead, _LEAD_X, line_y, size=size, anchor="end"),
        _write(standing.rank, end_x, line_y, size=size, anchor="end"),
    ]
    # 3. The interval, or an arrow with the score of a system that is off the scale.
    stroke = f'stroke="{_ACCENT}" stroke-width="3" fill="none"'
    if not axis.has(standing):
        arrow = f"M{_AXIS_X + 10},{middle - 6}L{_AXIS_X + 3},{middle}L{_AXIS_X + 10},{middle + 6}"
        parts.append(f'<path d="{arrow}" {stroke}/>')
        parts.append(_write(score, _AXIS_X + 18, line_y, size=12, fill=_MUTED))
        return "\n".join(parts)
    if standing.interval:
        start, end = (_AXIS_X + _AXIS_WIDTH * max(axis.place(end), 0) for end in standing.interval)
        parts.append(f'<path d="M{start:.1f},{middle}H{end:.1f}" {stroke}/>')
    for run in standing.runs:
        x = _AXIS_X + _AXIS_WIDTH * axis.place(run)
        hollow = f'fill="#ffffff" stroke="{_ACCENT}" stroke-width="1.5"'
        parts.append(f'<circle cx="{x:.1f}" cy="{middle}" r="3.5" {hollow}/>')
    x = _AXIS_X + _AXIS_WIDTH * axis.place(standing.score)
    parts.append(f'<circle cx="{x:.1f}" cy="{middle}" r="{radius}" fill="{_ACCENT}"/>')
    return "\n".join(parts)


def _fit(text: str, limit: int) -> str:
    """Shorten a text in its middle to a width in letters; Chinese characters are two wide."""
    is_wide = any(east_asian_width(character) in "WF" for character in text)
    return html.shorten(text, limit // 2 if is_wide else limit)


def _escape(text: str) -> str:
    """Escape a text for XML, which forbids two characters that HTML allows."""
    return html.show(re.sub("[\ufffe\uffff]", "\ufffd", text))


def _write(
    text: str,
    x: float,
    y: float,
    *,
    size: int,
    weight: str = "normal",
    anchor: str = "start",
    fill: str = _INK,
    title: str = "",
) -> str:
    """Return a text of the picture; `title` is shown by browsers when the mouse is over it."""
    tooltip = f"<title>{_escape(title)}</title>" if title else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}"'
        f' text-anchor="{anchor}" fill="{fill}">{tooltip}{_escape(text)}</text>'
    )


def _fill_rectangle(x: float, y: float, width: float, height: float, *, fill: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'
    )
