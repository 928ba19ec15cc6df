"""Sets of predictions and references without any mistake: texts of many domains and languages, all invented.

`list_sets()` makes them from the tables of this file and of `languages.py`, the same in each run. Predictions are the
references with noise, as from a system: words dropped, swapped or replaced, and a quote or a dash written another way.
"""

import functools
import random
import re
import string
import zlib
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from languages import LANGUAGES, Language


class Set(NamedTuple):
    """Predictions and references as a decent system would have them.

    true: kinds that `check` may find, because they hold for these texts.
    told: kinds of which `compute` may warn unasked.
    """

    name: str
    domain: str
    predictions: list[str]
    references: list[list[str]]
    options: dict[str, Any]
    true: frozenset[str]
    told: frozenset[str]


# --- Texts ----------------------------------------------------------------------------------------

SINGLE_WORDS = {
    "name": "Anna Boris Carla David Elena Farid Greta Henrik Ilse Jonas Karim Lena Marek Nadia Oskar Paula",
    "family": "Okafor Lindqvist Moreau Tanaka Novak Haddad Brandt Silva Osei Petrov Kumar Walsh",
    "place": "market library harbor station museum bakery theater garden factory hospital school bridge",
    "city": "Lisbon Nairobi Oslo Lima Hanoi Gdansk Quito Tunis Perth Izmir Bergen Cusco",
    "thing": "lamp violin postcard blanket umbrella kettle ladder candle basket notebook carpet drum",
    "things": "lamps violins postcards blankets umbrellas kettles ladders candles baskets notebooks carpets drums",
    "animal": "dog cat horse goat owl fox swan beetle otter crow",
    "adjective": "old quiet red narrow heavy bright wooden small curious broken famous gentle",
    "verbed": "bought painted carried sold repaired borrowed counted found hid moved described returned",
    "adverb": "slowly again yesterday carefully almost never together outside early quietly",
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "month": "January February March April May June July August September October November December",
    "food": "flour butter onions rice lentils tomatoes garlic yogurt honey almonds lemons spinach",
    "drug": "amoxivar lentoprin cardizole bromapan theralin ostavex",
    "var": "count total index items name path result value buffer offset width height user token_id",
    "func": "load save parse render update merge filter_rows get_path send_mail read_all close reset",
    "type": "int float double String boolean long char Node List Map",
    "klass": "Parser Buffer Account Invoice Matrix Graph Session Window Record Cache",
    "dunder": "eq str len init repr hash iter enter exit add getitem call",
    "file": "main util report index config setup data notes draft summary",
    "ext": "py txt csv md log json cfg",
    "folder": "temp new reports users backup notes raw tables north",
    "color": "red blue green black white yellow",
    "tag": "div span p li td section",
    "emoji": "😀 🎉 ❤️ 👍🏽 🌧️ 🐕 🚲",
    "word": "river stone window paper letter engine forest mirror valley orange button winter captain silver",
    "phoneme": "AH0 B K AE1 T IY0 S T R OW1 N D ER0 M UW1 L IH0 NG P AA1 F HH EH1",
    "sign": "ⁿdɛ pʰa tsu ʔɔ ɣij ʃəl ɲam ŋuː βɨʀ θæð",
    "gloss": "dog-PL.NOM 1SG.ACC see-PST-3SG house-LOC NEG DET.F go-PRS-3PL DU.POSS IX-1 BOOK fs-ANNA",
    "gesture": "NOD HEAD-SHAKE POINT:left [hands-up] SMILE gaze:away BROW-RAISE (pause) WAVE*2",
    "morph": "ev-ler-im-de git-ti-k un-happi-ness talo-i-ssa-ni ki-li-m-pat-ia re-writ-able an-a-chew-ed",
}  # fmt: skip

# Parts of texts. A part may contain `$name` of another table; `$$` is a dollar sign.
TABLES: dict[str, list[str]] = {
    **{name: words.split() for name, words in SINGLE_WORDS.items()},
    "digit": list("123456789"),
    "n": [str(number) for number in range(2, 98)],
    "year": [str(year) for year in range(1921, 2024)],
    "bit": ["0", "1"],
    "letter": list("abcdefgh"),
    "option": list("ABCD"),
    "sentence": [
        "The $adjective $place in $city closed on $day.",
        "$name $verbed $n $things at the $place $adverb.",
        "Why did $name leave the $adjective $thing near the $place?",
        "In $year, $n people lived beside the $adjective $place.",
        "No one in $city had seen such a $adjective $animal before.",
        "$name and $name $verbed a $thing, but the $animal ran away.",
        "It rained in $city for $n days, so the $place stayed empty.",
        "The $thing cost $n euros, which $name thought was too much.",
        "On $day, $name's $animal slept in the $place.",
        "A $adjective $thing is better than $n $adjective $things.",
    ],
    "clause": [
        "the $adjective $animal sat in the $place",
        "$name $verbed a $adjective $thing",
        "$n $things were found at the $place",
        "we went to $city on $day",
        "they $verbed the $things $adverb",
        "the $place was $adjective in $month",
    ],
    "lowered": [
        "so um we $verbed the $things and then you know the $animal was gone",
        "i think the $place in the north was $adjective back then",
        "there were like $n people at the $place and it was $adjective",
        "and what we found is that a $thing is not a $thing right",
        "my brother $verbed a $adjective $thing and well he never told us",
    ],
    "expression": ["$var + $n", "$func($var)", "$var[$digit]", "$var * $var", "$var - $digit", "$func($var, $n)"],
    "formula": [
        r"\frac{$letter}{$n}",
        r"\nu_{$letter} + \tau",
        r"\sqrt{$letter^{$digit}}",
        r"\sum_{$letter=1}^{$n} $letter^2",
        r"\rho \neq \nabla \phi",
        r"\text{if } $letter < $n",
        r"\int_0^{$n} \theta \, d\theta",
        r"\beta \times 10^{-$digit}",
    ],
    "move": ["e4", "d5", "Nf3", "Nc6", "Bb5", "O-O", "Qxd7+", "Rfe1", "cxd4", "Kh1", "exd8=Q#", "Bg5", "a6", "h3", "Nxe5"],
    "tone": ["C2", "D", "E2F2", "G>A", "B,4", "c'2", "^F/2", "_B", "z2", "(3ABc", "|", "d/2e/2", "[CEG]2"],
    "atom": ["C", "CC", "C(=O)", "N", "c1ccccc1", "[C@@H]", "O", "C#N", "(Cl)", "[NH3+]", "S(=O)(=O)", "/C=C/", "Br"],
    "residue": list("ACDEFGHIKLMNPQRSTVWY"),
    "logger": ["INFO", "WARN", "ERROR", "DEBUG"],
    "time": ["0$digit:1$digit", "1$digit:2$digit", "1$digit:4$digit"],
    "domain": ["example.org", "example.com/$word", "$word.example.net", "example.org/$word/$word"],
    "speaker": ["ANNA", "THE CAPTAIN", "BORIS", "OLD WOMAN", "VOICE"],
    "element": ["$klass", "$klass<$type>", "Option<$klass>"],
}  # fmt: skip


class _Drawn(dict[str, str]):
    """The words for one text: each reading draws a part of a table, or a counted number.

    The words of one name don't depend on other names, so that two templates with the same seed agree.
    """

    def __init__(self, seed: float, row: int) -> None:
        self.seed = seed
        self.row = row
        self.generator_of: dict[str, random.Random] = {}

    def __missing__(self, key: str) -> str:
        if key == "row":
            return str(self.row + 1)
        if key not in TABLES and key[-1].isdigit():  # `word3` is three words
            return " ".join(self[key[:-1]] for _ in range(int(key[-1])))
        if key not in self.generator_of:
            self.generator_of[key] = random.Random(f"{self.seed} {key}")
        return string.Template(self.generator_of[key].choice(TABLES[key])).substitute(self)


WORDS = r"\S+"  # what noise drops, swaps and replaces in sentences
# In code and in tables: marks and lines stay, and so do names of tags, commands and entities.
NAMES = r"(?<![^\W_])(?<![<\\&%])(?<!</)[^\W_]+"
NUMBERS_AND_NAMES = r"(?<![^\W_])(?<!\\)(?:\d+|[^\W\d_]+)"
CHARACTERS = "[^\\s\\d\x00-\x7f、。，！？「」：“”«»ฯ។៕།་][\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3\u0f71-\u0f84\u0f90-\u0fbc]*"  # fmt: skip


class Domain(NamedTuple):
    """Templates of texts, and the pattern of their units for noise.

    true, told: as in `Set`, for all sets of the domain.
    """

    texts: list[str]
    units: str = WORDS
    options: Mapping[str, Any] = MappingProxyType({})
    true: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()


_UNSPACED = frozenset({"spaces"})
PLAIN = {"tokenize": "none"}

DOMAINS: dict[str, Domain] = {
    # Code
    "Python": Domain(["def __${dunder}__(self, other):\n    return self.$var == $expression", "class $klass($klass):\n    def __${dunder}__(self):\n        self.$var = $expression\n        super().__init__()", "for $var in $func($var):\n    if $var is None:\n        raise ValueError(f\"{$var!r} is not valid\")\n    print($expression, end='\\n')", "if __name__ == '__main__':\n    $func(__file__)"], NAMES),
    "JavaScript": Domain(["const $var = ($var) => $func(`$${$var}px`, { $var: $n });", "export async function $func($var) {\n  return await this.$var?.$func($expression) ?? '$word';\n}", "if ($var !== null && $var.$var >= $n) { console.log('$word\\t' + $var); }"], NAMES),
    "Java": Domain(["public static $type $func(final $element $var) {\n    return $expression;\n}", "private List<$klass> $var = new ArrayList<>();", "@Override\npublic $type $func() { throw new IllegalStateException(\"$clause\"); }"], NAMES),
    "C with tabs": Domain(["int $func(char *$var)\n{\n\tif (!$var)\n\t\treturn -$digit;\n\treturn $expression;\n}", "#define ${klass}_MAX $n\nstatic size_t $var;\t/* $clause */", "for (i = 0; i < $n; i++)\n\tprintf(\"%s\\n\", $var[i]);"], NAMES),
    "Rust": Domain(["pub fn $func(&mut self, $var: &'a $element) -> Result<Vec<u8>, $klass> {\n    Ok(self.$var.$func()?)\n}", "let mut $var: Option<$klass> = None; // $clause", "match $var { Some(x) if x > $n => println!(\"{x:?}\"), _ => $func(), }"], NAMES),
    "shell": Domain(["grep -rn \"$word\" ./$folder | awk '{print $$$digit}' > $file.$ext", "for f in *.$ext; do mv \"$$f\" \"$${f%.$ext}.bak\"; done", "cat $file.$ext | sed 's/$word/$word/g' && echo \"$clause\"", "tar -xzf $file.tar.gz --strip-components=$digit -C /$folder/$folder"], NAMES),
    "SQL": Domain(["SELECT $var, COUNT(*) FROM $things WHERE $var > $n GROUP BY $var;", "SELECT t1.$var FROM $things AS t1 JOIN $folder AS t2 ON t1.$var = t2.$var WHERE t2.$var = \"$city\"", "UPDATE $things SET $var = '$word' WHERE $var IN ($n, $n, $n);"], NAMES),
    "diffs": Domain(["--- a/$folder/$file.$ext\n+++ b/$folder/$file.$ext\n@@ -$n,$digit +$n,$digit @@ def $func\n-    return $expression\n+    return $expression", "@@ -$n,$digit +$n,$digit @@ class $klass\n- $var = $n\n+ $var = $n\n  $func($var)"], NAMES),
    "regular expressions": Domain([r"^(?P<$var>\w+)\s*=\s*\d{$digit,$n}$$", r"(?<!$letter)\b[A-Z]{2}\.\n+($word|$word)?$$", r"\\$word\\\d+\.(?:$ext|$ext)", r"[^\r\n\t]{1,$n}?(?=$word)"], NAMES),
    "assembly": Domain(["mov eax, [ebp-$n] ; $word\npush $n\ncall _$func", ".L$n:\n\tlw t$digit, $n(sp)\n\tbeq t$digit, zero, .L$n\n\tret"], NAMES),
    "Lisp": Domain(["(defun $word ($letter $letter)\n  (if (< $letter $n) '($word $word) (cons $letter nil)))", "(let (($letter $n)) (map (lambda (x) (* x $letter)) '(1 2 $n)))"], NAMES),
    "Haskell": Domain(["$word :: Int -> [$klass] -> Maybe $klass\n$word n xs = foldr (\\x acc -> x <|> acc) mempty (take n xs)", "instance Show $klass where show x = \"$word\" ++ show $n"], NAMES),
    "comments of code": Domain(["Return the $thing of a $klass, or None if the `$var` is empty.", "Sets `__${dunder}__` to $n; see `$klass.$func()` for details.", "Read all rows of <tt>$var</tt> and close the file."]),
    # Structured data
    "JSON": Domain(["{\"intent\": \"$word\", \"city\": \"$city\", \"rows\": $n}", "{\"name\": \"$name $family\", \"tags\": [\"$word\", \"$word\"], \"age\": $n, \"open\": true}", "{\"text\": \"$clause\", \"label\": \"$word\"}"], NUMBERS_AND_NAMES),
    "lists of JSON": Domain(["[{\"type\": \"$word\", \"span\": [$n, $n]}, {\"type\": \"$word\", \"span\": [$n, $n]}]", "[\"$word\", \"$word\", \"$city\"]", "[]"], NUMBERS_AND_NAMES),
    "JSON by lines": Domain(["{\n  \"$word\": \"$city\",\n  \"$word\": {\n    \"n\": $n\n  }\n}"], NUMBERS_AND_NAMES),
    "YAML": Domain(["$word:\n  - $city\n  - $city\n$word: $n", "name: $name\njobs: # $clause\n  $word: {$letter: $n}\n  path: ./$folder/$file"], NUMBERS_AND_NAMES),
    "settings": Domain(["[$word]\n$var = $n\npath = \"$folder/$file.$ext\"", "export ${klass}_HOME=/$folder/$folder", "$var: $word; $var-$word: ${n}px;"], NUMBERS_AND_NAMES),
    "XML": Domain(["<$tag id=\"$n\"><name>$name</name><city>$city</city></$tag>", "<seg id=\"$row\">$sentence</seg>", "<entry key=\"$word\" xml:lang=\"en\">$clause &amp; $word</entry>"], NAMES),
    "HTML": Domain(["<p>Price: <s>$n</s> <b>$n</b> euros</p>", "<li><a href=\"/$word/$n\">$clause</a>&nbsp;<i>($day)</i></li>", "<h$digit>$word3</h$digit><br/><u>$sentence</u>"], NAMES),
    "HTML by lines": Domain(["<p>", "$sentence", "</p>", "<div class=\"$word\">", "<b>$clause</b>", "</div>"], NAMES),
    "CSV": Domain(["$name,$n,$city,\"$word, $word\",$year", "$row,$word,,$n.$n,\"he said \"\"$word\"\"\"", "$name;$family;$n;$n"], NAMES),
    "rows of fields": Domain(["$name\t$city\t$n", "$word\t$n\t$word3\t$year"], NAMES),
    "triples": Domain(["${name}_$family | occupation | ${word}_maker", "${city}_$place | location | $city | $year", "<H> $name $family <R> $word <T> $city"], NAMES),
    "meaning graphs": Domain(["(w / want-01 :ARG0 (b / $animal) :ARG1 (g / go-0$digit :ARG0 b :location \"$city\"))", "( s / see-01 :ARG0 ( p / person :name ( n / name :op1 \"$name\" ) ) :quant $n )"], NAMES),
    "logical forms": Domain(["answer(A,(${word}(A,stateid('$city')),size(A,$n)))", "lambda $$0 e (and (${word}:t $$0) (> (${word}:i $$0) $n))"], NAMES),
    "slots": Domain(["inform(name=\"$name\";area=$word;price=$n)", "[$word] [value_$word] there are $n $things", "__${klass}__ in __city__ is $adjective and costs __price__"], NAMES),
    # Markup of texts
    "Markdown lists": Domain(["- **$word**: $sentence\n- *$word*: $clause", "1. $sentence\n2. $sentence\n3. $clause", "## $word3\n\n* $clause\n* [$word](https://example.org/$n)", "> $sentence\n\n— `$func()`"]),
    "Markdown tables": Domain(["| $word | $word |\n| --- | ---: |\n| $name | $n |\n| $name | $n |", "| $city | $n |"], NAMES),
    "answers with fences": Domain(["Use `$func`:\n\n```python\n$var = $expression\n```\n\nIt returns the $thing.", "```sql\nSELECT $var FROM $things;\n```\n$sentence", "$sentence\n\n```\n$clause\n```"], NAMES),
    "fences around all": Domain(["```python\n$func($var)\nprint($expression)\n```", "```\n$clause\n```"], NAMES),
    "LaTeX formulas": Domain(["$formula = $formula", r"\begin{aligned} $formula &= $formula \\ &= $n \end{aligned}", r"f($letter) = $formula + \left( $formula \right)"], NUMBERS_AND_NAMES),
    "LaTeX formulas, tokens": Domain([r"\frac { $letter } { $n } = \nu _ { $letter } + \tau ^ { $digit }", r"\nabla \cdot \rho = $n \, \theta _ { $letter $letter }"], NUMBERS_AND_NAMES),
    "LaTeX texts": Domain([r"\section{$word3} As Smith~\cite{$word$year} showed, $$$letter < $n$$ holds for \emph{$clause}.", r"Let $$x_{$digit} \in \mathbb{R}$$; then \textbf{$word} is $$\nu$$-$adjective, i.e.\ $clause."], NAMES),
    "boxed answers": Domain([r"$name has $n $things and sells $n, so the answer is \boxed{$n}.", r"\boxed{$n}", r"We add $n and $n. Therefore \boxed{\frac{$n}{$digit}}."], NAMES),
    "worked answers": Domain(["$name $verbed $n $things, which is $n*$digit=<<$n*$digit=$n>>$n. #### $n", "There are $n + $n = $n $things. The answer is $n."], NAMES),
    "paths of Windows": Domain([r"C:\users\$name\new\$file.$ext", r"D:\temp\reports\$year\notes_$n.$ext", r"\\server\$folder\raw\$file.$ext"], NAMES),
    "addresses of pages": Domain(["https://$domain?q=$word&lang=en_US", "http://www.$domain/%20$word%2F$n#$word", "See https://$domain/$file.html for $clause."], NAMES),
    "software strings": Domain(["Could not open file '%s': $clause", "{name} has {count} new $things in $word", "&Save as...", "Language: en_US, %d of %d $things", "Press <b>%1$$s</b> to $word", "E&xit\tAlt+F$digit", "<x id=\"$digit\"/> $things $verbed by {0}", "Show &amp; hide the $thing"], NAMES),
    "log lines": Domain(["$year-0$digit-1$digit ${time}:1$digit,$n [$logger] $klass.$func: $clause (id=$n)", "[$time] <$name> $clause", "127.0.0.$digit - - [$n/Mar/$year] \"GET /$word/$n HTTP/1.1\" 200 $n$n"]),
    "commit messages": Domain(["fix($word): $clause (#$n)", "Merge branch '$word' of $folder/$file into $word", "Add $klass.__${dunder}__\n\nSigned-off-by: $name <$word@example.org>", "docs: $word3"]),
    "errors of a program": Domain(["Traceback (most recent call last):\n  File \"$file.py\", line $n, in <module>\n$klass: $clause", "$file.c:$n:$digit: warning: unused variable '$var' [-Wunused]"]),
    # Forms of texts
    "dialogues": Domain(["$name: $sentence", "$name: I don't know. $sentence", "Speaker $digit: $clause, right?"]),
    "several turns": Domain(["$name: $sentence\n$name: $sentence\n$name: Yes!", "A: $sentence\nB: $clause?"]),
    "screenplays": Domain(["INT. $word - NIGHT\n\n$speaker\n(quietly)\n$sentence", "$speaker (CONT'D): $sentence", "CUT TO: the $adjective $place."]),
    "poems": Domain(["The $adjective $animal, the $adjective $place,\nand $clause;\nO $word of $month, $word of $word,\n$n winters long.", "$clause,\n$clause,\nand never more."]),
    "songs": Domain(["La la la la la la la la la, $clause\nLa la la la la la la la la", "Oh, $name, oh, $name, oh, oh, oh, oh, oh, oh, oh, oh!", "Na na na na na na na na na na na na, $word!"]),
    "recipes": Domain(["$n g $food, chopped\n½ tsp $food\n1/4 cup $food", "Step $digit: Mix the $food with the $food, then bake for $n min at 180 °C.", "- $food ($n ml)"]),
    "subtitles": Domain(["- $sentence\n- Yes.", "♪ $clause ♪", "<i>$sentence</i>", "(LAUGHS) $sentence", "- Who?\n- $name.", "$clause..."]),
    "one word": Domain(["$word", "$color", "yes", "no", "$n", "$city"]),
    "numbers": Domain(["$n", "$n.$n", "-$n", "$n,$n$digit", "1e-$digit", "$n%"]),
    "dates": Domain(["$year-0$digit-1$digit", "$digit $month $year", "$month $n, $year", "1$digit/0$digit/$year"]),
    "tuples": Domain(["($n, $n)", "($n, -$digit)", "[$n, $n, $n]", "{$n, $n}", "$n"], NUMBERS_AND_NAMES),
    "lists of words": Domain(["['$word', '$word']", "['$city']", "[]", "('$word', $n)"], NUMBERS_AND_NAMES),
    "choices": Domain(["$option", "($option)", "$option)"]),
    "choices with words": Domain(["$option. $clause", "($option) $word", "Answer: $option"]),
    "questions and answers": Domain(["Q: $sentence A: $clause.", "Question: Who $verbed the $thing? Answer: $name."]),
    "short answers": Domain(["$name $family", "in $year", "the $adjective $place", "$n $things", "Yes, $name.", "$day"]),
    "summaries": Domain(["$sentence\n$sentence\n$sentence", "$sentence\n$sentence"]),
    "summaries with markers": Domain(["$clause .<n>$clause .<n>$clause .", "$clause .<n>$clause ."], NAMES),
    "long texts": Domain(["$sentence $sentence $sentence $sentence\n\n$sentence $sentence $sentence $sentence $sentence"]),
    "headlines": Domain(["$name $family $verbed $n $things in $city", "$city: $adjective $place to close in $month", "‘$adjective $animal’ seen near $place"]),
    "title case": Domain(["The $adjective ${animal}s of $city", "How to Paint a $klass in $n Days", "Of $klass and $klass: A $klass of $city"]),
    "posts": Domain(["@$name$n $clause #$word #$city $emoji", "RT @$word: $sentence https://example.org/$n", "$emoji $clause $emoji$emoji", "#$word: $clause :-)"], NAMES),
    "emoji": Domain(["$emoji$emoji $emoji", "$word $emoji", "$emoji"]),
    "speech": Domain(["$lowered"]),
    "speech with marks of time": Domain(["[00:1$digit.$n] $lowered", "[noise] $lowered <unk> [laughter]", "$lowered -- uh $lowered"]),
    "tokenized talks": Domain(["and $clause , but it 's $adjective .", "so , $clause ; that 's $n $things .", "why ? because $clause ."], options=PLAIN),
    "tokenized talks, 13a": Domain(["and $clause , but it 's $adjective .", "so , $clause ; that 's $n $things .", "why ? because $clause ."]),
    "captions": Domain(["a $adjective $animal sitting on top of a $thing", "two people standing next to a $adjective $place", "a $color $thing near a $thing ."], options=PLAIN),
    "captions, 13a": Domain(["a $adjective $animal sits on top of a $thing .", "a man and a $animal near a $adjective $place ."]),
    "encyclopedia, tokens": Domain([" = = $word3 = = ", "The $n @-@ year @-@ old $place cost $digit @,@ $n dollars .", "In $year , $name <unk> $verbed the $thing ; it was $digit @.@ $digit m high ."], options=PLAIN),
    "words by morphemes": Domain(["$morph $morph $morph", "$morph $morph", "$morph $word $morph $morph"]),
    "chess": Domain(["1. $move $move 2. $move $move 3. $move", "$n... $move $n. $move!? {$clause} $move", "$move $move $move 1-0"]),
    "music": Domain(["X:$n\nT:$word3\nM:6/8\nK:G\n|: $tone $tone $tone $tone | $tone $tone :|", "| $tone $tone $tone | $tone $tone $tone |"]),
    "molecules": Domain(["$atom$atom$atom$atom$atom$atom", "$atom$atom.$atom$atom>>$atom$atom$atom"], r"[A-Z][a-z]?"),
    "molecules, tokens": Domain(["C C ( = O ) N c 1 c c c c c 1 $digit", "[C@@H] ( N ) C ( = O ) O . Cl $digit", "B r C C # N / C = C / O $digit"], options=PLAIN),
    "proteins": Domain(["M$residue$residue$residue$residue$residue$residue$residue$residue$residue$residue$residue$residue$residue$residue"], r"[A-Z]{3}"),
    "proteins, tokens": Domain(["M $residue9 $residue9 $residue5"], options=PLAIN),
    "phonemes": Domain(["$phoneme9 $phoneme5", "$phoneme7 | $phoneme4"]),
    "phonetic signs": Domain(["[$sign$sign ˈ$sign]", "/$sign.$sign/ ~ /$sign/", "$sign5"]),
    "glosses": Domain(["$gloss5", "$gloss3 \"$word\" $gloss"]),
    "gestures": Domain(["$gesture3 $clause $gesture", "$gesture4", "<$word> $gesture </$word>"], NAMES),
    "labels of words": Domain(["$name B-PER $verbed O $city B-LOC . O", "O O B-LOC I-LOC O $n", "the_DT ${animal}_NN ${verbed}_VBD $n"]),
    "law": Domain(["§ $n Abs. $digit: $clause; ($letter) $clause.", "($row) $sentence", "Article $row. $sentence", "$row.$digit.$digit The $adjective party shall pay $n %."]),
    "numbered lines": Domain(["$row. $sentence", "$row) $clause"]),
    "medical notes": Domain(["Pt c/o $adjective pain x${n}d. BP 1$n/$n. Rx: $drug $n mg p.o. b.i.d.", "HX: $clause. DX: r/o $drug allergy; f/u in $n wks", "58 y/o M, s/p surgery ($year), on $drug 2x/d."]),
    "mails": Domain(["Dear $name,\n\n$sentence $sentence\n\nBest regards,\n$name $family\n--\nTel. +00 $n $n", "Hi $name,\n$clause?\nThanks!\n$name"]),
    "products": Domain(["$klass X$n - $adjective $thing, $color (Pack of $n) | ${n}cm", "[NEW] $color $thing for $animal, $n\" x $n\", Size: L/XL", "$city ${thing} ${n}W/${n}V – $adjective & $adjective"]),
    "talk about assistants": Domain(["The word assistant: $clause, says $name.", "user: and assistant: are roles; $clause.", "My assistant said: $sentence", "As an AI researcher, $name $verbed the $thing."]),
    "talk about tokens": Domain(["BERT puts a [CLS] symbol before $clause.", "The tag </s> ends a text, and <pad> fills $n rows.", "A model may write `<think>` before $clause.", "We mask $n words by [MASK] or <unk>; $clause.", "In BPE, the pieces bou@@ ght and ##ing mean that $clause."], NAMES),
    "talk about translation": Domain(["Here is the translation prize of $year: $clause.", "Translation: a difficult art, says $name $family.", "Sure, the translation of $word is $adjective.", "The translator wrote: “$clause”."]),
    "people who are sorry": Domain(["I'm sorry, but I can't find the $thing in $city.", "Sorry, I cannot come on $day. $sentence", "Unfortunately, I can't help you with the $adjective $thing, $name."]),
    "marked answers": Domain(["<answer>$n $things</answer>", "<answer>$clause</answer>"], NAMES),
    "reasons and answers": Domain(["<think>$sentence</think>\n<answer>$n</answer>", "<reasoning>$clause</reasoning> $word"], NAMES),
    "calls of tools": Domain(["<tool_call>{\"name\": \"$func\", \"arguments\": {\"$var\": \"$city\"}}</tool_call>", "Action: $func[$word]\nObservation: $clause"], NAMES),
    "quotations": Domain(["“$sentence”", "\"$sentence\"", "‘$clause,’ said $name.", "«$clause», $name: “$word”", "'$word' is not '$word'."]),
    "quoted texts": Domain(["\"$sentence\"", "\"$clause.\""]),
    "two languages": Domain(["$name ने कहा कि $clause बहुत अच्छा है", "Ich habe das $word nicht gefunden, because $clause.", "$name は $clause と言った。", "Yo fui al $place pero $clause, ¿sabes?"]),
    "no capitals": Domain(["$clause, and $clause.", "$clause; why?", "no, $clause!"]),
    "all capitals": Domain(["THE STORM CLOSES $row OF $n PORTS ON $digit MAY.", "WARNING: DO NOT OPEN BOX $n-$digit WHILE LAMP $n IS RED!", "LOT $n SOLD FOR $n EUROS, SAYS CITY COUNCIL."]),
    "scores of games": Domain(["$city United $digit–$digit $city ($name $n', $family 90+$digit')", "$family bt $family 6-$digit 6-$digit 7-6 ($digit)", "$name $family, $n pts, $digit ast"]),
    "addresses": Domain(["$n $family St., Apt. $digit-B, $city $n$n$digit", "Tel.: (0$n) $n$n-$n; fax -$n", "$name.$family@example.org"]),
    "dictionary": Domain(["$word /ˈ$sign/ n. [$digit] a $adjective $thing; cf. $word", "$word (pl. ${word}s), $adjective: $clause"]),
    "references of papers": Domain(["$family, $letter. and $family, $letter. ($year). $word3. J. of $klass, $n($digit):$n–$n$digit. doi:10.1000/$n$n", "[$n] $name $family et al., “$clause,” $year."]),
    "keywords": Domain(["$word, $word, $word", "$word; $city; $word $word", "$word"]),
    "ellipses and dashes": Domain(["$clause… – $clause!", "Well… $clause — perhaps.", "$name — or $name?… $clause"]),
    "placeholders of names": Domain(["PERSON_$digit $verbed the $thing in LOCATION_$digit on DATE.", "[NAME] lives in [CITY], $clause.", "@entity$n $verbed the $thing of @entity$n"], NAMES),
    "bits": Domain(["$bit$bit$bit$bit $bit$bit$bit$bit $bit$bit$bit$bit", "0x$n$letter$letter $bit$bit$bit$bit"]),
    "math in words": Domain(["$letter² + $n·$letter ≤ √$n, so $clause", "∀x ∈ ℝ: x ≥ $n ⇒ $letter ≠ ∅", "3 × $n = ½ of $n °C ± $digit µm"]),
    "mixed lengths": Domain(["Yes.", "$sentence $sentence $sentence $sentence $sentence $sentence", "$sentence", "$word!"]),
}  # fmt: skip


# What holds of some of them, and is not an alarm.
TRUE_OF_VERSIONS = {
    "long and short answers": frozenset({"length", "writing", "labels"}),
    "endings of a text": frozenset({"marks"}),
}
# Texts that differ in form between a good system and a reference: templates of both, filled with the same words.
VERSIONS: dict[str, list[tuple[str, str]]] = {
    "answers with code for prose": [("Use `$func`:\n\n```python\n$func($var, $n)\n```\n\nIt returns the $thing.", "Call $func($var, $n), which returns the $thing."), ("$sentence", "$sentence"), ("You can call `$func($var)` here.", "You can call $func($var) here.")],
    "lists for sentences": [("- $things\n- $things and $things\n- $n $things", "There are $things, $things and $things, and $n $things."), ("$sentence", "$sentence"), ("Steps:\n1. $clause\n2. $clause", "First $clause, then $clause."), ("$sentence", "$sentence"), ("$sentence $clause.", "$sentence $clause."), ("$name saw that $clause.", "$name saw that $clause.")],
    "bold words": [("**$name** $verbed the $adjective $thing in $city.", "$name $verbed the $adjective $thing in $city."), ("$sentence", "$sentence"), ("$sentence", "$sentence"), ("$sentence $sentence", "$sentence $sentence"), ("$name saw that $clause.", "$name saw that $clause.")],
    "summaries in one line": [("$sentence $sentence $sentence", "$sentence\n$sentence\n$sentence")],
    "summaries in several lines": [("$sentence\n$sentence\n$sentence", "$sentence $sentence $sentence")],
    "subtitles in one line": [("- $sentence - Yes, $name.", "- $sentence\n- Yes, $name."), ("$clause, $name", "$clause,\n$name")],
    "speakers left out": [("$name: $sentence", "$name: $sentence"), ("I saw $n $things. $sentence", "Speaker 2: I saw $n $things. $sentence"), ("$name: $clause!", "$name: $clause!"), ("$name: $sentence $sentence", "$name: $sentence $sentence"), ("$name: Why? $clause?", "$name: Why? $clause?"), ("$name: No.", "$name: No.")],
    "dates": [("On $month $digit, $year, $name $verbed the $thing.", "On the $digit of $month $year, $name $verbed the $thing."), ("$sentence", "$sentence"), ("$clause, says $name.", "$clause, says $name."), ("$name saw that $clause.", "$name saw that $clause.")],
    "large numbers": [("The $place cost $n,${n}0 euros; $name paid $n%.", "The $place cost $n ${n}0 euros; $name paid $n %."), ("$sentence", "$sentence"), ("$sentence", "$sentence"), ("$clause, says $name.", "$clause, says $name."), ("$name saw that $clause.", "$name saw that $clause.")],
    "contractions": [("It's $adjective; I don't know why $clause, and we've seen it.", "It is $adjective; I do not know why $clause, and we have seen it."), ("They can't come, since $clause.", "They cannot come, since $clause."), ("$sentence", "$sentence"), ("$sentence $sentence", "$sentence $sentence"), ("$name saw that $clause.", "$name saw that $clause.")],
    "paraphrases": [("The $thing was $verbed by $name, who lives near the $place in $city.", "$name, living in $city beside the $place, $verbed the $thing."), ("There were $n $things to be seen at the $place.", "At the $place one could see $n $things."), ("$sentence", "$sentence")],
    "hashtags and emoji left out": [("$clause at the $place, says $name", "$clause at the $place, says $name #$word $emoji"), ("$clause $emoji", "$clause $emoji"), ("$clause #$word", "$clause #$word"), ("@$word: $sentence", "@$word: $sentence"), ("$sentence $clause", "$sentence $clause")],
    "periods in headlines": [("$name $verbed $n $things in $city.", "$name $verbed $n $things in $city"), ("$city: $adjective $place to close in $month", "$city: $adjective $place to close in $month"), ("$name $family on why $clause", "$name $family on why $clause"), ("‘$clause’, says $name", "‘$clause’, says $name"), ("$adjective $things in $month?", "$adjective $things in $month?")],
    "spaces for tabs": [("if $var:\n    return $expression\nelse:\n    $func($var)", "if $var:\n\treturn $expression\nelse:\n\t$func($var)"), ("def $func($var):\n    for $letter in $var:\n        $func($letter)", "def $func($var):\n\tfor $letter in $var:\n\t\t$func($letter)"), ("$var = $expression", "$var = $expression"), ("$func($var, $n)", "$func($var, $n)"), ("import $var", "import $var")],
    "quotes in code": [("$var = '$word' + $func(\"$city\", $n)", "$var = \"$word\" + $func(\"$city\", $n)"), ("$func('$word')  # $clause", "$func(\"$word\")  # $clause"), ("$var = $expression", "$var = $expression"), ("return $func($var)", "return $func($var)")],
    "spaces in JSON": [("{\"$word\":\"$city\",\"n\":$n}", "{\"$word\": \"$city\", \"n\": $n}"), ("{\"$word\": [$n, $n]}", "{\"$word\": [$n,$n]}")],
    "tags of another name": [("<strong>$name</strong> $verbed the <em>$thing</em>. $sentence", "<b>$name</b> $verbed the <i>$thing</i>. $sentence"), ("<p>$sentence</p>", "<p>$sentence</p>")],
    "formulas in dollars": [("Let $$x_$digit < $n$$ and $$$letter = $formula$$.", "Let x_$digit < $n and $letter = $formula."), (r"\dfrac{$letter}{$n} = $formula", r"\frac{$letter}{$n} = $formula"), ("$sentence", "$sentence"), ("Let us see why $clause.", "Let us see why $clause."), ("$formula = $formula", "$formula = $formula"), ("Now $clause, so $clause.", "Now $clause, so $clause."), ("$sentence", "$sentence")],
    "filled pauses left out": [("we $verbed the $things and then the $animal was gone", "so um we $verbed the $things and uh then you know the $animal was gone"), ("i think the $place was $adjective", "i i think uh the $place was $adjective"), ("$lowered", "$lowered"), ("$lowered and $lowered", "$lowered and $lowered"), ("yeah $clause", "yeah $clause")],
    "quotation marks of two languages": [("$name said: “$clause!”", "$name said: «$clause!»"), ("$sentence", "$sentence"), ("The ‘$word’ in $city", "The ‘$word’ in $city")],
    "long and short answers": [("$name $family, who $verbed the $thing in $year", "$name $family"), ("$city", "$city"), ("in $year", "$year")],
    "names kept and translated": [("$name visited the $word $place (in $city) in $month.", "$name visited the $place “$word” in $city in $month.")],
    "British words": [("The tyre of $name's $thing near the theatre was $adjective.", "The tire of $name's $thing near the theater was $adjective."), ("They realised that $clause.", "They realized that $clause.")],
    "titles before names": [("Dr. $name $family $verbed the $thing.", "Doctor $name $family $verbed the $thing."), ("Mr $family and Mrs $family saw $n $things.", "Mr. $family and Mrs. $family saw $n $things."), ("$sentence", "$sentence"), ("$sentence $sentence", "$sentence $sentence"), ("$clause, says $name.", "$clause, says $name."), ("On $day, $clause.", "On $day, $clause.")],
    "endings of a text": [("$sentence $sentence", "$sentence $sentence [...]"), ("$sentence", "$sentence"), ("$clause...", "$clause…")],
}  # fmt: skip


class Source(NamedTuple):
    """A way to make rows: a function from a row and a generator to the system's text and the reference.

    Noise is put into the system's text. The other fields are as in `Domain`.
    """

    make: Callable[[int, random.Random], tuple[str, str]]
    units: str
    options: Mapping[str, Any]
    true: frozenset[str]
    told: frozenset[str]


def make_text(text: str, row: int, seed: float) -> str:
    """Return a template filled with words; templates with the same names and seed have the same."""
    return string.Template(text).substitute(_Drawn(seed, row))


def make_sentence(language: Language, generator: random.Random) -> str:
    """Return a sentence of a language, and sometimes a second one."""
    joint = "" if language.tokenize else " "
    count = generator.choice((1, 1, 2))
    return joint.join(_fill(language, generator) for _ in range(count))


def _fill(language: Language, generator: random.Random) -> str:
    return generator.choice(language.frames.split("|")).format(
        a=generator.choice(language.names.split("|")),
        p=generator.choice(language.places.split("|")),
        t=generator.choice(language.things.split("|")),
        n=generator.randint(2, 98),
    )


def _of_domains(domains: list[Domain]) -> Callable[[int, random.Random], tuple[str, str]]:
    def make(row: int, generator: random.Random) -> tuple[str, str]:
        template = generator.choice(generator.choice(domains).texts)
        text = make_text(template, row, generator.random())
        return text, text

    return make


def _of_versions(
    versions: list[tuple[str, str]],
) -> Callable[[int, random.Random], tuple[str, str]]:
    def make(row: int, generator: random.Random) -> tuple[str, str]:
        version = generator.choice(versions)
        seed = generator.random()
        ours, theirs = (make_text(text, row, seed) for text in version)
        return ours, theirs

    return make


def _of_languages(languages: list[Language]) -> Callable[[int, random.Random], tuple[str, str]]:
    def make(row: int, generator: random.Random) -> tuple[str, str]:
        text = make_sentence(generator.choice(languages), generator)
        return text, text

    return make


@functools.cache
def list_sources() -> dict[str, Source]:
    """Return the domains, the languages, and a mixture of each, by name."""
    none: frozenset[str] = frozenset()
    sources: dict[str, Source] = {}
    for name, domain in DOMAINS.items():
        sources[name] = Source(_of_domains([domain]), *domain[1:])
    for name, versions in VERSIONS.items():
        true = TRUE_OF_VERSIONS.get(name, none)
        sources[name] = Source(_of_versions(versions), NAMES, {}, true, true)
    for name, language in LANGUAGES.items():
        make = _of_languages([language])
        if language.tokenize:
            options = {"tokenize": language.tokenize}
            sources[name] = Source(make, CHARACTERS, options, none, none)
            sources[f"{name}, 13a"] = Source(make, CHARACTERS, {}, _UNSPACED, _UNSPACED)
        else:
            sources[name] = Source(make, WORDS, {}, none, none)
    sources["all domains"] = Source(_of_domains(list(DOMAINS.values())), WORDS, {}, none, none)
    every = _of_languages(list(LANGUAGES.values()))
    sources["all languages"] = Source(every, WORDS, {}, _UNSPACED, _UNSPACED)
    return sources


# --- Noise ----------------------------------------------------------------------------------------

# One sign in some texts is written another way.
SIGNS = [("“", '"'), ("”", '"'), ("’", "'"), ("'", "’"), (" – ", " - "), ("—", "–"), ("…", "..."), (", ", " "), (";", ",")]  # fmt: skip
SIGN_KINDS = frozenset({"typography"})  # true of such texts, if `check` looks


_EDGES = ".,;:!?\"'()“”‘’«»„…。，、।؟"  # marks that stay where a word is replaced


def _shape(unit: str) -> str:
    """Return the kind of a unit, so that a word takes the place of a word, a number of a number."""
    core = unit.strip(_EDGES)
    if core.isdigit():
        return "number"
    if core[:1].isupper():
        return "Word" if core[1:2].islower() or len(core) == 1 else "WORD"
    return "word" if core[:1].isalpha() else "sign"


class Noise:
    """Changes of texts as a system would make them, with the units of all texts to draw from."""

    def __init__(self, texts: list[str], units: str) -> None:
        self.pattern = re.compile(f"({units})")
        self.pool: dict[str, list[str]] = {}
        for text in texts[:400]:
            for unit in self.pattern.findall(text):
                self.pool.setdefault(_shape(unit), []).append(unit.strip(_EDGES))

    def change(self, text: str, level: float, generator: random.Random) -> str:
        """Return the text with a share of its units dropped, swapped, replaced or doubled."""
        parts = self.pattern.split(text)
        places = range(1, len(parts), 2)  # between them is what stays: spaces, marks, lines
        for place in places:
            if generator.random() >= level:
                continue
            way = generator.random()
            is_long = len(parts) > 5
            is_apart = parts[place - 1][-1:].isspace() or parts[place + 1][:1].isspace()
            if way < 0.2 and is_long and (is_apart or not parts[place].isascii()):
                parts[place] = ""
            elif way < 0.35 and is_long and place + 2 < len(parts):
                parts[place], parts[place + 2] = parts[place + 2], parts[place]
            else:
                parts[place] = self._replace(parts[place], generator)
        return self._change_sign("".join(parts), level, generator) or text

    def _replace(self, unit: str, generator: random.Random) -> str:
        """Return another unit of the same shape between the marks of this one."""
        core = unit.strip(_EDGES)
        drawn = generator.choice(self.pool.get(_shape(unit)) or [core])
        return unit.replace(core, drawn, 1) if core and drawn else unit

    def _change_sign(self, text: str, level: float, generator: random.Random) -> str:
        if self.pattern.pattern == f"({WORDS})" and generator.random() < level / 4:
            text = text.replace(*generator.choice(SIGNS), 1)
        # A dropped word leaves one space, not two; spaces at the beginning of lines stay.
        return re.sub(r"(?<=\S) {2,}(?=\S)", " ", text).strip(" ")


# --- Sets -----------------------------------------------------------------------------------------

LEVELS = (0.03, 0.1, 0.3, 0.6)
# What is special about one set of each source.
VARIANTS = ("equal", "many references", "broken row", "many references, equal")


class _Plan(NamedTuple):
    """The size of a set, its noise, and a variant."""

    size: int
    level: float
    variant: str = ""


def _plan(number: int) -> list[_Plan]:
    """Return the sets of the source with this number, so that sizes and levels are spread evenly."""
    variant = VARIANTS[number % 4]
    return [
        _Plan((12, 40)[number % 2], 0.1),
        _Plan(200 if number % 8 else 2_000, LEVELS[1 + number % 3]),
        _Plan((40, 3, 12)[number % 3], (0.03, 0.6, 0.3)[number % 3]),
        _Plan((40, 120, 12)[number % 3], 0.3, variant),
    ]


def _make_set(name: str, plan: _Plan, seed: int) -> Set:
    source = list_sources()[name]
    generator = random.Random(seed)
    pairs = [source.make(row, generator) for row in range(plan.size)]
    texts = [text for _, text in pairs]
    noise = Noise(texts, source.units)
    predictions = [noise.change(text, plan.level, generator) for text, _ in pairs]
    references = [[text] for text in texts]
    true = source.true | SIGN_KINDS
    told = source.told
    if plan.variant == "equal":
        predictions = list(texts)
    if plan.level <= 0.1 or plan.variant.endswith("equal"):
        true |= {"identical"}
        told |= {"identical"}
    if plan.variant.startswith("many references"):
        for row in references:
            row += [noise.change(row[0], 0.2, generator) for _ in range(3)]
    if plan.variant == "many references, equal":  # to one of them, another one in each row
        predictions = [generator.choice(row) for row in references]
    if plan.variant == "broken row":
        predictions[plan.size // 2] = predictions[plan.size // 2][:-1] or "?"
    words = [plan.variant] if plan.variant else []
    label = ", ".join([name, f"{plan.size} rows", f"noise {plan.level}", *words])
    return Set(label, name, predictions, references, dict(source.options), true, told)


def list_sets(every: int = 1) -> Iterator[Set]:
    """Yield the sets; with `every` above 1, one in `every`, without large ones."""
    number = 0
    for place, name in enumerate(list_sources()):
        for plan in _plan(place):
            number += 1
            is_chosen = number % every == 0 and (every == 1 or plan.size <= 200)
            if is_chosen:
                seed = zlib.crc32(f"{name} {plan}".encode())
                yield _make_set(name, plan, seed)
