"""The tokenizer of captions, `ptb`: the tokens that pycocoevalcap scores, without Java.

pycocoevalcap runs Stanford's PTBTokenizer 3.4.1, and then removes punctuation. The kinds of tokens
follow the conventions of the Penn Treebank and were compared with the tokens that the program
prints; its source was not read. `TOKEN_CLASSES` has one record per kind. Together they are one
regular expression: at each position, the first kind that fits takes its text. Where two kinds fit,
the program takes the longer text, so kinds with longer texts stand first. Characters that no kind
fits are left out: spaces, most punctuation, and characters that the program does not know, such as
most emoji.

The program knows letters, digits and marks of many scripts. `CHARACTER_CLASSES` lists them as it
classifies the characters of the Basic Multilingual Plane, whatever Unicode version a Python has.

The time grows with the length of a caption. A kind that fails has looked at few characters, or at
characters that a later kind takes as one token, and no pattern can fit the same text in two ways.

Called by the tokenizer `ptb` of `tokenizers.py`. To add a kind of token, add a record to
`TOKEN_CLASSES`, above the kinds whose text it may begin.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from .unicode import read_ranges

# --- Tables ---------------------------------------------------------------------------------------

# Abbreviations that keep their period.
_ABBREVIATIONS = """
    adj adm adv alex assoc asst atty ave brig capt cf cie cmdr col cpl dept det dr drs elec ens ft
    gen gov govs hon insp invt jos lt maj messrs mlle mme mr mrs ms msgr mt natl pfc ph pres prof
    pvt rep reps rev sen sens sfc sgt spc st ste supt treas vs wm
"""

# Abbreviations that may end a sentence: they keep their period, and a single letter after it is a
# token of its own.
_FINAL_ABBREVIATIONS = """
    al ala apr ariz assn aug bancorp bhd bldg blvd bros calif co colo conn corp cos ct dak dec esq
    est etc ext feb fla fri ga inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn mo mon
    mont neb nev nov oct okla penn plc rd rt sep sept seq sq sr sys tel tenn thu thurs tue tues
    univ va vt wed wis wisc wyo
"""

# Final abbreviations that begin with a capital letter; in lower case they are words.
_CAPITALIZED_ABBREVIATIONS = "Ark Az Del Ill La Mass Miss Ore Pa Tex Wash"

# Abbreviations with a letter that must be lowercase, as patterns.
_PARTLY_LOWERCASE_ABBREVIATIONS = "[Mm][ft][Gg]"
_PARTLY_LOWERCASE_FINAL_ABBREVIATIONS = "[Pp]{1,2}[Tt][ey][Ss]?"

# Abbreviations that keep their period before a number.
_ABBREVIATIONS_BEFORE_NUMBERS = "art ca fig figs no nos op pp prop"

# Words that start a sentence, with a capital letter: before them, the period after a single letter
# is a full stop.
_SENTENCE_STARTERS = r"""
    A About According Additionally After An As At But Earlier He Her Here However If In It Last
    Many More Mr\. Ms\. Now Once One Other Our She Since So Some Such That The Their Then There
    These They This We What When While Yet You
"""

# Words that are not split at their apostrophe, in addition to the kinds with rules.
_WITH_APOSTROPHE = "c'est cap'n li'l nat'l"
_WITH_STRAIGHT_APOSTROPHE = "c'mon|e'er|s'mores"

# Words that end, and words that begin, with an apostrophe.
_BEFORE_APOSTROPHE = "dunkin ol somethin"
_AFTER_APOSTROPHE = "cause em til till"

# The types of files whose names may begin with a digit.
_FILE_TYPES = """
    bat bmp c cgi class cpp dll docx? exe gif gz h html? jar java jpe?g mov mp3 pdf php pl png ppt
    ps py sql tar txt wav x xml zip
"""

# Tokens that are replaced, in lower case. Punctuation that no kind takes needs no replacement.
_NORMAL_FORMS = {
    "&amp;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "(": "-lrb-",
    ")": "-rrb-",
    "[": "-lsb-",
    "]": "-rsb-",
    "{": "-lcb-",
    "}": "-rcb-",
    "¢": "cents",
    "£": "#",
    "¤": "$",
    "₠": "$",
    "€": "$",
    "\x80": "$",  # the euro sign of Windows-1252
    "¼": "1/4",
    "½": "1/2",
    "¾": "3/4",
    "⅓": "1/3",
    "⅔": "2/3",
    **{
        form.replace("'", apostrophe): form
        for form in ("'s", "'m", "'d", "'ll", "'re", "'ve", "n't")
        for apostrophe in ("’", "\x92", "&apos;")
    },
    **{f"n{apostrophe}t": "n`t" for apostrophe in ("‘", "‛", "\x91")},
    # Entities of HTML for spaces, dashes and quotation marks are removed.
    **dict.fromkeys(["''", "&quot;", "&apos;", "&nbsp;", "&ndash;", "&mdash;"], ""),
    # Dashes; five hyphens and more are kept.
    **dict.fromkeys(["--", "---", "----"], ""),
}

# In lower case. Longer tokens, such as addresses, keep the entity.
_CAPITALS_WITH_AMPERSAND = re.compile(r"[a-z+&;]+\.?")

# Quotation marks as the program prints them.
_QUOTATION_MARKS = {
    **dict.fromkeys("`‘‛‹\x91", "`"),
    **dict.fromkeys("’›\x92", "'"),
    **dict.fromkeys("“«\x93", "``"),
    **dict.fromkeys("”»\x94", "''"),
    **{mark: mark for mark in "‚„‟"},
}
# As printed; pycocoevalcap removes them.
_REMOVED_QUOTATION_MARKS = {"`", "``", "'", "''"}

_APOSTROPHE = "(?:['’]|&apos;)"
_ANY_APOSTROPHE = "(?:['’‘`]|&apos;)"


def _any_of(words: str) -> str:
    """Return a pattern for the words of a table, with apostrophes of any kind.

    The words are grouped by their first letter, so that few are tried at a position.

    >>> _any_of("ol sen ma'am sens")
    "(?:m(?:a(?:['’]|&apos;)am)|o(?:l)|s(?:ens|en))"
    """
    groups: dict[str, list[str]] = {}
    for word in sorted(words.split(), reverse=True):  # longer words first
        groups.setdefault(word[0], []).append(word[1:].replace("'", _APOSTROPHE))
    alternatives = (f"{first}(?:{'|'.join(rest)})" for first, rest in sorted(groups.items()))
    return f"(?:{'|'.join(alternatives)})"


# --- Parts of patterns ----------------------------------------------------------------------------

# One character stands for each class of characters beyond ASCII, and the patterns see only these.
# `CHARACTER_CLASSES` has the members. A letter of any script is thus a letter for all kinds that
# are not limited to `[A-Za-z]`, as in the program.
LETTER = "é"
DIGIT = "３"
MARK = "\u0301"  # combining marks and vowel signs
SYMBOL = "©"
SUPERSCRIPT = "²"
QUOTATION_MARK = "“"  # of any form but those of an apostrophe
LEFT_APOSTROPHE = "‘"
APOSTROPHE = "’"
DASH = "–"
HYPHEN = "‐"
FRACTION_SLASH = "⁄"
DECIMAL = "٫"
IDEOGRAPHIC_COMMA = "、"
SPACE = " "  # a no-break space
UNKNOWN = "\ufffd"  # the program leaves the character out: it splits words, but not addresses

_ANY_LETTER = f"[A-Za-z{LETTER}]"
_ALNUM = f"[A-Za-z0-9{LETTER}{DIGIT}]"
_DIGIT = f"[0-9{DIGIT}]"
_LETTER_OR_MARK = f"[A-Za-z{LETTER}{MARK}]"
_ALNUM_OR_MARK = f"[A-Za-z0-9{LETTER}{DIGIT}{MARK}]"
_ENTITY = "&[AEIOUaeiou](?:acute|grave|uml);"

_SUFFIX = r"(?:'(?i:ll|re|ve|[smd])(?![A-Za-z])|(?:’|&apos;)(?i:ll|re|ve|[smd]))"
# The beginning of a suffix: no token ends with the apostrophe of one, even if a letter follows.
_SUFFIX_AHEAD = f"{_APOSTROPHE}(?i:ll|re|ve|[smd])"
_NOT = r"(?i:n(?:['’‘`]|&apos;)t)"
# The words of which the first half is a token, unless more letters or a suffix follow.
_HALF = (
    r"(?=[CGLWcglw])(?i:can(?=not)|gon(?=na)|got(?=ta)|wan(?=na)|gim(?=me)|lem(?=me))"
    rf"(?=(?i:not|na|ta|me)(?!{_ALNUM_OR_MARK}|[-_{HYPHEN}]{_ALNUM}|{_SUFFIX_AHEAD}))"
)
# A period before a comma, colon or semicolon belongs to the word.
_KEPT_PERIOD = rf"(?:\.(?=[,;:{IDEOGRAPHIC_COMMA}]))?"
_HYPHENATED = rf"(?:[-_{HYPHEN}](?:[DLOdlo]{_ANY_APOSTROPHE}{_ALNUM})?{_ALNUM}+)*"
_IN_ADDRESS = r"[^\s\"<>|(){}]"
_LAST_OF_ADDRESS = r"[^\s\"<>|(){}.,!?-]"
_DOMAIN_LABEL = r"[^\sA-Z0-9\"$'(),\-./:;<=>?@[\\\]^_`{|}!]{1,99}"
_SITE = rf"(?:{_DOMAIN_LABEL}\.){{1,9}}(?i:com|net|org|edu)"
_WWW = r"(?i:www)\.(?:[^\s\"<>|(){}.,!?]{1,99}\.){1,9}[A-Za-z]{2,4}"
_MARKED_WORD = f"(?:{_LETTER_OR_MARK}|{_ENTITY})(?:{_ALNUM_OR_MARK}|{_ENTITY})*"
_MARKED_REST = rf"(?:{MARK}|{_ENTITY}){_ALNUM_OR_MARK}*(?:{_ENTITY}{_ALNUM_OR_MARK}*)*"
_TAG_NAME = "[A-Za-z][A-Za-z0-9_:.-]*"
_TAG = (
    rf"(?:<{_TAG_NAME}(?:[ ]+{_TAG_NAME}(?:[ ]*=[ ]*(?:\"[^\"<>]*\"|'[^'<>]*'))?)*[ ]*/?[ ]*>"
    rf"|</{_TAG_NAME}[ ]*>|<[!?][A-Za-z-][^>]{{0,253}}>)"
)
# Words with a slash have up to two hyphens, before letters.
_OF_SLASH = r"[A-Za-z0-9]+(?:-[A-Za-z]+){0,2}"
_SLASH = r"\\?/"  # tokens of the Penn Treebank escape it
# Initials or a word after each hyphen.
_AFTER_HYPHENS = r"(?:-(?:(?:[A-Za-z]\.){2,}|[A-Za-z0-9]+(?![A-Za-z0-9])))+"
_BRACKETS = "lrb|rrb|lsb|rsb|lcb|rcb"
_FINAL_ABBREVIATION = (
    rf"(?=\w{{2,7}}\.)(?:(?i:{_any_of(_FINAL_ABBREVIATIONS)})"
    rf"|(?=[A-Z])(?i:{_any_of(_CAPITALIZED_ABBREVIATIONS.lower())})"
    rf"|{_PARTLY_LOWERCASE_FINAL_ABBREVIATIONS}|[Pp][Hh]\.[Dd])\."
)
# After the period of an abbreviation, the rest of a longer token: a token with hyphens, the name
# of a file, or words without a space.
_HYPHENS_AHEAD = r"[A-Za-z0-9]{0,63}(?:[.,][A-Za-z0-9]{0,63}){0,8}-[A-Za-z0-9]"
_PERIOD_AHEAD = rf"\.[,;:{IDEOGRAPHIC_COMMA}]"
_FILE_AHEAD = rf"(?:{_ALNUM}{{1,63}}\.){{1,3}}(?i:{_any_of(_FILE_TYPES)})(?=[ ,.!?]|$)"
_WORDS_AHEAD = (
    rf"{_LETTER_OR_MARK}"
    rf"(?:{_ALNUM_OR_MARK}|[.!?]{_LETTER_OR_MARK}|{_PERIOD_AHEAD}|{_SUFFIX_AHEAD})"
)


class TokenClass(NamedTuple):
    """A kind of token.

    name: its name.
    pattern: the regular expression for its text.
    example: a text that contains the kind.
    tokens: the tokens of the example, separated by spaces.
    is_address: True if its text has "@", "/" or a period with a character after it.
    """

    name: str
    pattern: str
    example: str
    tokens: str
    is_address: bool = False


# The kinds, in the order in which they are tried.
TOKEN_CLASSES = (
    TokenClass(
        "plain word",  # a fast path for most words of captions
        rf"(?!{_HALF}){_LETTER_OR_MARK}+(?=[,;:!?{SYMBOL}]?{QUOTATION_MARK}?(?:[ \"(){{}}<>|]|$))",
        example="a dog runs",
        tokens="a dog runs",
    ),
    TokenClass("tag", _TAG, example="<b>bold</b>", tokens="<b> bold </b>"),
    TokenClass(
        "URL",
        rf"(?i:https?)://{_IN_ADDRESS}+{_LAST_OF_ADDRESS}",
        example="see http://a.org/b.",
        tokens="see http://a.org/b",
        is_address=True,
    ),
    TokenClass(
        "site with www, or page of a site",
        rf"(?:{_WWW}|{_SITE})/{_IN_ADDRESS}+{_LAST_OF_ADDRESS}|{_WWW}(?!-?{_ALNUM_OR_MARK}|{_ENTITY})",
        example="at flickr.com/photos or www.12-a.cz",
        tokens="at flickr.com/photos or www.12-a.cz",
        is_address=True,
    ),
    TokenClass(
        "e-mail address",
        # The name has a limit, because each word of a text without spaces would look for its end.
        rf"(?:<|&(?i:lt);)?[A-Za-z0-9]{_IN_ADDRESS}{{0,253}}@[^\s\"<>|(){{}}.]+(?:\.[^\s\"<>|(){{}}.]+)*>?",
        example="ask me@foo.org.",
        tokens="ask me@foo.org",
        is_address=True,
    ),
    TokenClass(
        "@name", r"@[A-Za-z_][A-Za-z0-9_]*", example="@jane_2 waves", tokens="@jane_2 waves"
    ),
    TokenClass(
        "#tag",
        rf"#(?:{_LETTER_OR_MARK}|{_ENTITY})+",
        example="fun #nieve #été!",
        tokens="fun #nieve #été",
    ),
    TokenClass(
        "emoticon",
        r"[<>]?[:;=][-o*']?[()DOPdp[\]|\\@{](?![A-Za-z0-9])"
        r"|\([-=x^~<>'][_.-]?[-=x^~<>']\)|[-=x^~<>']_[-=x^~<>']",
        example="nice :-) (^^)",
        tokens="nice :--rrb- -lrb-^^-rrb-",
    ),
    TokenClass(
        "telephone number",
        # Digits with hyphens alone are words.
        r"(?![0-9]+(?:-[0-9]+)+(?![0-9 ]))(?:\([0-9]{2,3}\)[- ]?|\+[0-9]{1,2}[- ][0-9]{2,4}[- ]"
        r"|\+?[0-9]{2,4}[- ](?:[0-9]{2,4}[- ])?)[0-9]{3,4}[- ]?[0-9]{3,5}",
        example="call (555) 123-4567",
        tokens="call -lrb-555-rrb- 123-4567",
    ),
    TokenClass("two apostrophes", "''", example="''so''s", tokens="so s"),
    TokenClass(
        "year without a century",
        rf"{_APOSTROPHE}(?:[2-9]0(?i:s)|[0-9]{{2}}(?=[ ]|$))",
        example="the '90s of '98",
        tokens="the '90s of '98",
    ),
    TokenClass(
        "word before n't", rf"[A-Za-z]*[A-MO-Za-mo-z](?={_NOT})", example="don't", tokens="do n't"
    ),
    TokenClass("n't", rf"{_NOT}(?!{_ANY_LETTER})", example="isn’t", tokens="is n't"),
    TokenClass("'t before is, was", r"'[Tt](?=(?i:is|was))", example="'tis", tokens="'t is"),
    TokenClass(
        "word after an apostrophe",
        rf"{_APOSTROPHE}[Nn]{_APOSTROPHE}|{_APOSTROPHE}(?i:{_any_of(_AFTER_APOSTROPHE)})",
        example="rock 'n' roll with 'em",
        tokens="rock 'n' roll with 'em",
    ),
    TokenClass(
        "suffix",
        rf"{_SUFFIX}|'[Nn](?=[ ]|$)|(?:’|&apos;)[Nn]",
        example="it's more'n mine",
        tokens="it 's more 'n mine",
    ),
    TokenClass(
        "apostrophe between vowels",
        rf"{_ANY_LETTER}+[AEIOUYaeiouy](?!{_SUFFIX_AHEAD}(?!{_ANY_LETTER})){_ANY_APOSTROPHE}"
        rf"[A-Zaeiou]{_ANY_LETTER}*",
        example="Xi'an qu'une",
        tokens="xi'an qu'une",
    ),
    TokenClass(
        "name with an apostrophe",
        rf"(?!.{_APOSTROPHE}(?i:ll|re|ve)(?![-_{HYPHEN}]?{_ALNUM}))"
        rf"[DLOdlo]{_ANY_APOSTROPHE}{_ALNUM}{{2,}}{_HYPHENATED}{_KEPT_PERIOD}"
        rf"|(?!.{_APOSTROPHE}(?i:ll|re|ve)(?!{_ANY_LETTER}))[nA-HJ-XZ]{_ANY_APOSTROPHE}{_ANY_LETTER}{{2,}}"
        rf"|[Oo]{_ANY_APOSTROPHE}[Oo]",
        example="O'Neill at one o'clock, l'été",
        tokens="o'neill at one o'clock l'été",
    ),
    TokenClass(
        "word with an apostrophe",
        rf"(?=[A-Za-z]{{1,8}}['’&])(?:(?i:{_WITH_STRAIGHT_APOSTROPHE})"
        rf"|(?i:{_any_of(_WITH_APOSTROPHE)})(?!(?<=[Ll])[Ll])|(?i:{_any_of(_BEFORE_APOSTROPHE)})"
        rf"(?!{_SUFFIX_AHEAD}){_APOSTROPHE})",
        example="c'est ol' s'mores",
        tokens="c'est ol' s'mores",
    ),
    TokenClass(
        "elision",
        rf"(?:[DJLdjl]{_APOSTROPHE}|[Yy]{_APOSTROPHE}(?={_ANY_LETTER}))(?!(?i:ll|re|ve|[smd]))",
        example="y'all j'ai",
        tokens="y' all j' ai",
    ),
    TokenClass(
        "HTML entity",
        r"&(?i:amp|lt|gt|quot|apos|nbsp|ndash|mdash);|&#[0-9]+;",
        example="salt &amp; pepper",
        tokens="salt & pepper",
    ),
    TokenClass(
        "capitals with &, + or $",
        rf"S&P-500|(?![A-Z]+{_ENTITY})[A-Z]+(?:(?:\+|&(?i:amp;)?)[A-Z]+)+{_KEPT_PERIOD}|[A-Z]+\$",
        example="AT&T for US$5",
        tokens="at&t for us$ 5",
    ),
    TokenClass("programming language", r"[Cc]\+\+|[CcFf]#", example="C++", tokens="c++"),
    TokenClass(
        "initials",
        rf"(?:[A-Za-z0-9]{{1,40}}-){{1,9}}(?:[A-Za-z]\.){{2,}}(?:{_AFTER_HYPHENS})?{_KEPT_PERIOD}"
        rf"|(?:[A-Za-z]\.){{2,}}(?!{_LETTER_OR_MARK}|{_ENTITY}|{_HYPHENS_AHEAD})",
        example="a U.S. flag",
        tokens="a u.s. flag",
    ),
    TokenClass(
        "abbreviation that may end a sentence",
        # A single character after it, or a hyphen and a character, are tokens of their own.
        rf"{_FINAL_ABBREVIATION}(?!{_WORDS_AHEAD}|{_FILE_AHEAD}|{_ENTITY}"
        rf"|(?!-[A-Za-z0-9](?!-?[A-Za-z0-9]|{_PERIOD_AHEAD}|(?<=[A-Za-z])\.[A-Za-z]\.))"
        rf"{_HYPHENS_AHEAD})",
        example="Acme Inc.-5 and etc.a_b",
        tokens="acme inc. -5 and etc. a_b",
    ),
    TokenClass(
        "hyphens after a period or comma",
        rf"[A-Za-z0-9]+(?:[.,][A-Za-z0-9]{{0,63}}){{1,9}}{_AFTER_HYPHENS}{_KEPT_PERIOD}",
        example="a 0.5-inch nail, approx.-max. 10.02.-11",
        tokens="a 0.5-inch nail approx.-max 10.02.-11",
    ),
    TokenClass(
        "words without a space",
        rf"{_MARKED_WORD}(?:[.!?]{_MARKED_WORD})+{_KEPT_PERIOD}",
        example="the end.Start",
        tokens="the end.start",
    ),
    TokenClass(
        "file name",
        rf"{_ALNUM}{{1,63}}(?:\.{_ALNUM}{{1,63}}){{0,3}}\.(?i:{_any_of(_FILE_TYPES)})"
        r"(?=[ ,.!?]|$)",
        example="2.jpg",
        tokens="2.jpg",
    ),
    TokenClass("site", _SITE, example="また、a.comで", tokens="また、a.com で", is_address=True),
    TokenClass(
        "single letter with a period",
        rf"[A-Za-z]\.(?![ ](?=[A-Z])(?i:{_any_of(_SENTENCE_STARTERS)})(?:[ ]|$)"
        rf"|[ ]{_TAG}(?:[ ]|$))",
        example="Samuel L. Jackson has plan B. The dog runs",
        tokens="samuel l. jackson has plan b the dog runs",
    ),
    TokenClass(
        "abbreviation",
        # All have two to seven letters; without the lookahead, 80 are tried at each position.
        rf"(?=\w{{2,7}}\.)(?:(?i:{_any_of(_ABBREVIATIONS)})|{_PARTLY_LOWERCASE_ABBREVIATIONS}"
        rf"|(?i:{_any_of(_ABBREVIATIONS_BEFORE_NUMBERS)})(?=\.[ ]?\d))\.",
        example="Mr. Smith has no. 5",
        tokens="mr. smith has no. 5",
    ),
    TokenClass(
        "words with a slash",
        rf"{_OF_SLASH}(?:{_SLASH}{_OF_SLASH}){{1,2}}",
        example="a 1/4-inch nail and/or 2/3rds",
        tokens="a 1/4-inch nail and/or 2/3rds",
    ),
    TokenClass("first half of a word", _HALF, example="cannot", tokens="can not"),
    TokenClass(
        "date",
        rf"{_DIGIT}{{1,2}}{_SLASH}{_DIGIT}{{1,2}}{_SLASH}{_DIGIT}{{2,4}}",
        example="१२/०३/२०२०",
        tokens="१२/०३/२०२०",
    ),
    TokenClass(
        "fraction",
        rf"(?:(?<![0-9{DIGIT}.,]){_DIGIT}{{1,4}}[- ])?"
        rf"{_DIGIT}{{1,4}}(?:{_SLASH}|{FRACTION_SLASH}){_DIGIT}{{1,4}}",
        example="1 1/2 cups",
        tokens="1 1/2 cups",
    ),
    TokenClass(
        "number",
        rf"[-+]?(?:{_DIGIT}+(?:[.,:{DECIMAL}]{_DIGIT}+)+"
        rf"|[.,:{DECIMAL}]{_DIGIT}+(?:[.,:{DECIMAL}]{_DIGIT}+)*)|[-+]{_DIGIT}+",
        example="1,000.50 at 10:30 and -5",
        tokens="1,000.50 at 10:30 and -5",
    ),
    TokenClass(
        "word",
        # Marks do not follow a hyphen, or the digit that a word begins with.
        rf"(?:{_ANY_LETTER}{_ALNUM}*(?:{_MARKED_REST}|{_HYPHENATED})|{_MARKED_REST}"
        rf"|{_DIGIT}{_ALNUM}*{_HYPHENATED}){_KEPT_PERIOD}",
        example="well-known naïve हिन्दी 3rd",
        tokens="well-known naïve हिन्दी 3rd",
    ),
    TokenClass(
        "escaped bracket",
        rf"-(?i:{_BRACKETS})-",
        example="two -LRB-brown-RRB- dogs",
        tokens="two -lrb- brown-rrb dogs",
    ),
    TokenClass("ellipsis", r"\.{3,5}|\.(?:[ ]\.){2,3}", example="at 5...7", tokens="at 5 7"),
    TokenClass(
        "repeated marks",
        rf"[!?]{{2,}}|-{{2,}}|<<|>>|_+|(?:\\\*)+|\*+|#+|@+|{SUPERSCRIPT}+",
        example="wow!! 10²³",
        tokens="wow !! 10 ²³",
    ),
    TokenClass(
        "quotation marks",
        rf"[`{QUOTATION_MARK}{LEFT_APOSTROPHE}{APOSTROPHE}]{{1,2}}",
        example="„so“",
        tokens="„ so",
    ),
    TokenClass(
        "symbol",
        rf"[]$%&+=~^|\\/<>(){{}}[{SYMBOL}{FRACTION_SLASH}{IDEOGRAPHIC_COMMA}]",
        example="5% (½)",
        tokens="5 % -lrb- 1/2 -rrb-",
    ),
)

# The spaces after a token are taken with it. No kind fits there, and trying all would take as long
# as the tokens.
_TOKEN = re.compile(f"({'|'.join(kind.pattern for kind in TOKEN_CLASSES)})[ ]*")

# A fast path for texts that can't have an address.
_TOKEN_WITHOUT_ADDRESSES = re.compile(
    f"({'|'.join(kind.pattern for kind in TOKEN_CLASSES if not kind.is_address)})[ ]*"
)

# Java's program starts a new line at each of these, and pycocoevalcap then pairs later captions
# with wrong images. A line feed within a caption is safe: pycocoevalcap replaces it with a space.
LINE_BREAKS = "[\\v\\f\\r\u2028\u2029]"


def tokenize_ptb(segment: str) -> list[str]:
    """Split and lower-case as pycocoevalcap does, without punctuation, for captions.

    In pycocoevalcap, the first word of the next caption can decide whether a final `B.` keeps its
    period. Here a caption's tokens depend on the caption alone.

    >>> tokenize_ptb("Two dogs can't cross St. Mark's Square (empty).")
    ['two', 'dogs', 'ca', "n't", 'cross', 'st.', 'mark', "'s", 'square', '-lrb-', 'empty', '-rrb-']
    """
    text = segment.replace("\n", " ").replace("\u00ad", "")
    may_have_address = "." in text[:-1] or "@" in text or "/" in text
    pattern = _TOKEN if may_have_address else _TOKEN_WITHOUT_ADDRESSES
    if text.isascii():
        found = pattern.findall(text)
    else:
        translated = text.translate(_CLASS_OF)
        found = [text[match.start() : match.end(1)] for match in pattern.finditer(translated)]
    tokens = []
    for token in map(str.lower, found):
        if token.isalnum() and token not in _NORMAL_FORMS:  # most tokens
            tokens.append(token)
        else:
            # The program joins the parts of a token by no-break spaces. pycocoevalcap's BLEU splits
            # there.
            tokens += _normalize(token).split()
    return tokens


def _normalize(token: str) -> str:
    """Return the form of a token that the program prints, or "" if pycocoevalcap removes it.

    >>> _normalize("(555) 123-4567")
    '-lrb-555-rrb- 123-4567'
    """
    if token in _NORMAL_FORMS:
        return _NORMAL_FORMS[token]
    if len(token) <= 2 and token[0] in _QUOTATION_MARKS and token[-1] in _QUOTATION_MARKS:
        printed = "".join(_QUOTATION_MARKS[character] for character in token)
        return "" if printed in _REMOVED_QUOTATION_MARKS else printed
    if len(token) == 1:  # most symbols
        return token
    if token.startswith(".") and not token.strip(". "):
        return ""  # an ellipsis
    if _CAPITALS_WITH_AMPERSAND.fullmatch(token):
        return token.replace("&amp;", "&")
    return token.replace("(", "-lrb-").replace(")", "-rrb-")  # in telephone numbers, emoticons


# --- Classes of characters ------------------------------------------------------------------------

# Hexadecimal ranges of code points beyond ASCII, by the character that stands for the class. The
# program's tokens told the classes; test_pycocoevalcap.py asks it for each character.
# Characters in no class are unknown to the program.
CHARACTER_CLASSES = {
    LETTER: """
        00AA 00B5 00BA 00C0-00D6 00D8-00F6 00F8-02C1 02C6-02D1 02E0-02E4 02EC 02EE 0370-0374
        0376-0377 037A-037D 0386 0388-038A 038C 038E-03A1 03A3-03F5 03F7-0481 048A-0527
        0531-0556 0559 0561-0587 05D0-05EA 05F0-05F2 0620-064A 066E-066F 0671-06D3 06D5
        06E5-06E6 06EE-06EF 06FA-06FC 06FF 0710 0712-072F 074D-07A5 07B1 07CA-07EA 07F4-07F5
        07FA 0800-0815 081A 0824 0828 0840-0858 08A0 08A2-08AC 0904-0939 093D 0950 0958-0961
        0971-0977 0979-097F 0985-098C 098F-0990 0993-09A8 09AA-09B0 09B2 09B6-09B9 09BD 09CE
        09DC-09DD 09DF-09E1 09F0-09F1 0A05-0A0A 0A0F-0A10 0A13-0A28 0A2A-0A30 0A32-0A33
        0A35-0A36 0A38-0A39 0A59-0A5C 0A5E 0A72-0A74 0A85-0A8D 0A8F-0A91 0A93-0AA8 0AAA-0AB0
        0AB2-0AB3 0AB5-0AB9 0ABD 0AD0 0AE0-0AE1 0B05-0B0C 0B0F-0B10 0B13-0B28 0B2A-0B30
        0B32-0B33 0B35-0B39 0B3D 0B5C-0B5D 0B5F-0B61 0B71 0B83 0B85-0B8A 0B8E-0B90 0B92-0B95
        0B99-0B9A 0B9C 0B9E-0B9F 0BA3-0BA4 0BA8-0BAA 0BAE-0BB9 0BD0 0C05-0C0C 0C0E-0C10
        0C12-0C28 0C2A-0C33 0C35-0C39 0C3D 0C58-0C59 0C60-0C61 0C85-0C8C 0C8E-0C90 0C92-0CA8
        0CAA-0CB3 0CB5-0CB9 0CBD 0CDE 0CE0-0CE1 0CF1-0CF2 0D05-0D0C 0D0E-0D10 0D12-0D3A 0D3D
        0D4E 0D60-0D61 0D7A-0D7F 0D85-0D96 0D9A-0DB1 0DB3-0DBB 0DBD 0DC0-0DC6 0E01-0E30
        0E32-0E33 0E40-0E46 0E81-0E82 0E84 0E87-0E88 0E8A 0E8D 0E94-0E97 0E99-0E9F 0EA1-0EA3
        0EA5 0EA7 0EAA-0EAB 0EAD-0EB0 0EB2-0EB3 0EBD 0EC0-0EC4 0EC6 0EDC-0EDF 0F00 0F40-0F47
        0F49-0F6C 0F88-0F8C 1000-102A 103F 1050-1055 105A-105D 1061 1065-1066 106E-1070
        1075-1081 108E 10A0-10C5 10C7 10CD 10D0-10FA 10FC-1248 124A-124D 1250-1256 1258
        125A-125D 1260-1288 128A-128D 1290-12B0 12B2-12B5 12B8-12BE 12C0 12C2-12C5 12C8-12D6
        12D8-1310 1312-1315 1318-135A 1380-138F 13A0-13F4 1401-166C 166F-167F 1681-169A
        16A0-16EA 1700-170C 170E-1711 1720-1731 1740-1751 1760-176C 176E-1770 1780-17B3 17D7
        17DC 1820-1877 1880-18A8 18AA 18B0-18F5 1900-191C 1950-196D 1970-1974 1980-19AB
        19C1-19C7 1A00-1A16 1A20-1A54 1AA7 1B05-1B33 1B45-1B4B 1B83-1BA0 1BAE-1BAF 1BBA-1BE5
        1C00-1C23 1C4D-1C4F 1C5A-1C7D 1CE9-1CEC 1CEE-1CF1 1CF5-1CF6 1D00-1DBF 1E00-1F15
        1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC
        1FBE 1FC2-1FC4 1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2071 207F
        2090-209C 2102 2107 210A-2113 2115 2119-211D 2124 2126 2128 212A-212D 212F-2139
        213C-213F 2145-2149 214E 2183-2184 2C00-2C2E 2C30-2C5E 2C60-2CE4 2CEB-2CEE 2CF2-2CF3
        2D00-2D25 2D27 2D2D 2D30-2D67 2D6F 2D80-2D96 2DA0-2DA6 2DA8-2DAE 2DB0-2DB6 2DB8-2DBE
        2DC0-2DC6 2DC8-2DCE 2DD0-2DD6 2DD8-2DDE 2E2F 3005-3006 3031-3035 303B-303C 3041-3096
        309D-309F 30A1-30FA 30FC-30FF 3105-312D 3131-318E 31A0-31BA 31F0-31FF 3400-4DB5
        4E00-9FCC A000-A48C A4D0-A4FD A500-A60C A610-A61F A62A-A62B A640-A66E A67F-A697
        A6A0-A6E5 A717-A71F A722-A788 A78B-A78E A790-A793 A7A0-A7AA A7F8-A801 A803-A805
        A807-A80A A80C-A822 A840-A873 A882-A8B3 A8F2-A8F7 A8FB A90A-A925 A930-A946 A960-A97C
        A984-A9B2 A9CF AA00-AA28 AA40-AA42 AA44-AA4B AA60-AA76 AA7A AA80-AAAF AAB1 AAB5-AAB6
        AAB9-AABD AAC0 AAC2 AADB-AADD AAE0-AAEA AAF2-AAF4 AB01-AB06 AB09-AB0E AB11-AB16
        AB20-AB26 AB28-AB2E ABC0-ABE2 AC00-D7A3 D7B0-D7C6 D7CB-D7FB F900-FA6D FA70-FAD9
        FB00-FB06 FB13-FB17 FB1D FB1F-FB28 FB2A-FB36 FB38-FB3C FB3E FB40-FB41 FB43-FB44
        FB46-FBB1 FBD3-FD3D FD50-FD8F FD92-FDC7 FDF0-FDFB FE70-FE74 FE76-FEFC FF21-FF3A
        FF41-FF5A FF66-FFBE FFC2-FFC7 FFCA-FFCF FFD2-FFD7 FFDA-FFDC
    """,
    MARK: """
        02C2-02C5 02D2-02DF 02E5-02EB 02ED 02EF-036F 0375 0378-0379 0384-0385 03F6 0483-0487
        055A-055F 0591-05BD 05BF 05C1-05C2 05C4-05C5 05C7 0615-061A 064B-065E 0670 06D6-06E4
        06E7-06ED 06FD-06FE 070F 0711 0730-074C 07A6-07B0 07EB-07F3 0900-0903 093C 093E-094E
        0951-0955 0962-0963 0981-0983 09BC 09BE-09C4 09C7-09C8 09CB-09CD 09D7 09E2-09E3
        0A01-0A03 0A3C 0A3E-0A4F 0A81-0A83 0ABC 0ABE-0ACF 0B82 0BBE-0BC2 0BC6-0BC8 0BCA-0BCD
        0C01-0C03 0C3E-0C56 0D3E-0D44 0D46-0D48 0E31 0E34-0E3A 0E47-0E4E 0EB1 0EB4-0EBC
        0EC8-0ECD
    """,
    DIGIT: """
        0660-0669 06F0-06F9 07C0-07C9 0966-096F 09E6-09EF 0A66-0A6F 0AE6-0AEF 0B66-0B6F
        0BE6-0BEF 0C66-0C6F 0CE6-0CEF 0D66-0D6F 0E50-0E59 0ED0-0ED9 0F20-0F29 1040-1049
        1090-1099 17E0-17E9 1810-1819 1946-194F 19D0-19D9 1A80-1A89 1A90-1A99 1B50-1B59
        1BB0-1BB9 1C40-1C49 1C50-1C59 A620-A629 A8D0-A8D9 A900-A909 A9D0-A9D9 AA50-AA59
        ABF0-ABF9 FF10-FF19
    """,
    SYMBOL: """
        0080 00A1-00A9 00AC 00AE-00B1 00B4 00B6-00B8 00BC-00BF 00D7 00F7 037E 0387 0589 05BE
        05C0 05C3 05C6 05F3-05F4 0600-0603 0606-060C 0614 061B 061E-061F 066A 066D 06D4
        0700-070D 07F6-07F8 0964-0965 0E3F 0E4F 1FBD 2016-2017 2020-2023 2030-2038 203B
        203E-2042 207A-207E 208A-208E 20A0 20A4 20AC 2100-2101 2103-2106 2108-2109 2114
        2116-2118 211E-2123 2125 2127 2129 212E 213A-213B 2140-2144 214A-214D 214F 2153-215E
        2190-2BFF 3002 3012 30FB FF01-FF0F FF1A-FF20 FF3B-FF40 FF5B-FF65 FFE0-FFE1
        FFE5-FFE6
    """,
    SUPERSCRIPT: "00B2-00B3 00B9 2070 2074-2079 2080-2089",
    QUOTATION_MARK: "0093-0094 00AB 00BB 201A 201C-201F 2039-203A",
    LEFT_APOSTROPHE: "0091 2018 201B",
    APOSTROPHE: "0092 2019",
    HYPHEN: "058A 2010-2011",
    DASH: "0096-0097 2013-2015",
    FRACTION_SLASH: "2044",
    DECIMAL: "066B-066C",
    IDEOGRAPHIC_COMMA: "3001",
    SPACE: "00A0",
}


# The first and the last code point of each range, and the character of its class.
CLASS_RANGES = sorted(
    (first, last, character)
    for character, table in CHARACTER_CLASSES.items()
    for first, last in read_ranges(table)
)


class _ClassOf(dict[int, str]):
    """The class of each character, for `str.translate`; looked up when a text first has it."""

    def __missing__(self, code_point: int) -> str:
        if code_point > 0xFFFF:  # unknown to the program, and too many to be stored
            return UNKNOWN
        following = bisect_right(CLASS_RANGES, code_point, key=lambda found: found[0])
        _, last, character = CLASS_RANGES[following - 1]
        self[code_point] = character if code_point <= last else UNKNOWN
        return self[code_point]


_CLASS_OF = _ClassOf({code_point: chr(code_point) for code_point in range(128)})
