"""EXPLAIN PRIVACY and WITH DIFFERENTIAL_PRIVACY OPTIONS(…).

Both are read from the tokens and removed before parsing. Numbers are read from the text, so 0.1 is
exactly a tenth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, NoReturn

from sqlglot.tokenizer_core import Token, TokenType

from hedgerow.errors import Unsupported
from hedgerow.sql.catalog import find_closest_name
from hedgerow.sql.question import QueryOptions
from hedgerow.sql.rules.statements import FIRST_WORDS, REFUSED_WORDS, SELECT_FORM
from hedgerow.sql.syntax.named_arguments import NUMBER, extract_named_arguments
from hedgerow.sql.syntax.select_top import move_top
from hedgerow.sql.syntax.source_text import SourceText, tokenise
from hedgerow.sql.syntax.syntax_hints import suggest_keyword

__all__ = ["TokenisedQuery", "tokenise_query"]

_OPTIONS: Final = {"epsilon": "epsilon", "delta": "delta", "max_groups_contributed": "max_groups"}
_OPTION_NAMES: Final = ", ".join(_OPTIONS)


@dataclass(frozen=True, slots=True)
class TokenisedQuery:
    """The tokens left for the parser, the whole text, the options, and whether to explain only."""

    text: SourceText
    body: tuple[Token, ...]
    options: QueryOptions
    explain: bool


def tokenise_query(text: str) -> TokenisedQuery:
    """Tokenise a query and extract its privacy clause."""
    written = tokenise(text)
    body, explain = written.tokens, False
    if body[0].token_type == TokenType.COMMAND and body[0].text.upper() == "EXPLAIN":
        written, explain = _strip_explain(written, body[0]), True
        body = written.tokens[1:]
    _check_start(written, body)
    options, body = _extract_options(written, body)
    written, body = extract_named_arguments(written, move_top(body))
    return TokenisedQuery(written, body, options, explain)


def _extract_options(
    written: SourceText, body: Sequence[Token]
) -> tuple[QueryOptions, tuple[Token, ...]]:
    """Extract the options, which follow the outermost SELECT."""
    places = [
        i
        for i in range(1, len(body))
        if _is_word(body[i - 1], "WITH") and _is_word(body[i], "DIFFERENTIAL_PRIVACY")
    ]
    main = _find_main_select(body)
    if not places:
        _check_option_words(written, [] if main is None else body[main + 1 : main + 3])
        return QueryOptions(), tuple(body)
    wrong = next((i for i in places if main is None or i != main + 2), None)
    if wrong is not None:
        token = body[wrong]
        problem = (
            "WITH DIFFERENTIAL_PRIVACY is only allowed once, directly after the outermost SELECT"
        )
        fix = (
            "Write SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) …, and plain"
            " SELECTs in subqueries."
        )
        raise written.refusal(Unsupported, problem, (token.start, token.end + 1), fix)
    options, rest = _OptionsScanner(written, body, places[0]).scan()
    return options, (*body[: places[0] - 1], *rest)


def _check_option_words(written: SourceText, behind: Sequence[Token]) -> None:
    """Refuse OPTIONS(…) without WITH DIFFERENTIAL_PRIVACY, which would parse as a function."""
    words = [
        token.text.upper()
        for token in behind
        if token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
    ]
    if words in (["OPTIONS", "("], ["DIFFERENTIAL_PRIVACY", "OPTIONS"], ["WITH", "OPTIONS"]):
        problem, fix = (
            "OPTIONS must follow WITH DIFFERENTIAL_PRIVACY",
            "Write SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) ….",
        )
        raise written.refusal(Unsupported, problem, (behind[0].start, behind[0].end + 1), fix)


def _find_main_select(body: Sequence[Token]) -> int | None:
    """Return the position of the first SELECT outside parentheses."""
    depth = 0
    for place, token in enumerate(body):
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth == 0 and token.token_type == TokenType.SELECT:
            return place
    return None


def _check_start(written: SourceText, body: Sequence[Token]) -> None:
    """Refuse several statements, and statements that sqlglot keeps as raw text and logs."""
    end = next(
        (i for i, token in enumerate(body) if token.token_type == TokenType.SEMICOLON), len(body)
    )
    second = next((token for token in body[end:] if token.token_type != TokenType.SEMICOLON), None)
    if second is not None and end > 0:
        raise written.refusal(
            Unsupported,
            "Only one statement is allowed at a time",
            (second.start, second.end + 1),
            "Ask the questions one by one.",
        )
    first = body[0]
    word = first.text.upper()
    if first.token_type in (TokenType.STRING, TokenType.IDENTIFIER) or word not in FIRST_WORDS:
        meant = suggest_keyword(word)
        problem, fix = REFUSED_WORDS.get(
            word,
            (
                "This is not a SELECT statement",
                SELECT_FORM if meant is None else f"Did you mean {meant}?",
            ),
        )
        raise written.refusal(Unsupported, problem, (first.start, first.end + 1), fix)


def _is_word(token: Token, word: str) -> bool:
    return (
        token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
        and token.text.upper() == word
    )


def _strip_explain(written: SourceText, token: Token) -> SourceText:
    """Blank out EXPLAIN and tokenise again: the tokenizer takes the rest for raw text."""
    blank = " " * (token.end + 1 - token.start)
    again = tokenise(written.sql[: token.start] + blank + written.sql[token.end + 1 :])
    if again.tokens[0].text.upper() != "PRIVACY":
        problem, fix = (
            "EXPLAIN would show the engine's plan, which depends on the data",
            "Write EXPLAIN PRIVACY SELECT ….",
        )
        raise written.refusal(Unsupported, problem, (token.start, token.end + 1), fix)
    if len(again.tokens) == 1:
        raise written.refusal(
            Unsupported, "EXPLAIN PRIVACY needs a SELECT", None, "Write EXPLAIN PRIVACY SELECT …."
        )
    return replace(again, sql=written.sql)


class _OptionsScanner:
    """A scanner of OPTIONS(name = number, …)."""

    def __init__(self, text: SourceText, tokens: Sequence[Token], place: int) -> None:
        self._text, self._tokens, self._place = text, tokens, place

    def scan(self) -> tuple[QueryOptions, Sequence[Token]]:
        """Return the options, and the tokens after them."""
        self._next("OPTIONS")
        self._next("(")
        found: dict[str, Fraction | int] = {}
        sign = self._next() if self._peek() == ")" else ","
        while sign == ",":
            name, value = self._scan_option(found)
            found[name] = value
            sign = self._next(",", ")")
        return QueryOptions(**found), self._tokens[self._place + 1 :]  # type: ignore[arg-type]

    def _scan_option(self, found: dict[str, Fraction | int]) -> tuple[str, Fraction | int]:
        written = self._next().casefold()
        name = _OPTIONS.get(written)
        if name is None:
            close = find_closest_name(written, _OPTIONS)
            fix = f"Did you mean {close}?" if close else f"The options are {_OPTION_NAMES}."
            self._refuse(f"There is no option {written[:60]}", _POLICY_OPTIONS.get(written, fix))
        if name in found:
            self._refuse(f"{written} is given twice", "Give it once.")
        self._next("=")
        number = self._next()
        if number == "." and self._peek().isdecimal():  # the tokenizer cuts .5 in two
            number += self._next()
        if not NUMBER.fullmatch(number):
            self._refuse(
                f"{written} takes a literal number",
                f"Write {written} = {_EXAMPLES[name]}.",
            )
        return name, self._check_value(written, name, Fraction(number))

    def _check_value(self, written: str, name: str, value: Fraction) -> Fraction | int:
        if name == "max_groups":
            if value.denominator != 1 or not 1 <= value <= 10**9:
                self._refuse(
                    f"{written} must be a whole number of at least 1", f"Write {written} = 1."
                )
            return int(value)
        if value <= 0 or (name == "delta" and value >= 1):
            rule = (
                "epsilon must be greater than 0"
                if name == "epsilon"
                else "delta must be between 0 and 1"
            )
            self._refuse(rule, f"Write {written} = {_EXAMPLES[name]}.")
        return value

    def _peek(self) -> str:
        return self._tokens[self._place + 1].text if self._place + 1 < len(self._tokens) else ""

    def _next(self, *wanted: str) -> str:
        self._place += 1
        if self._place >= len(self._tokens):
            self._place -= 1
            self._refuse("OPTIONS( is not closed", "Write OPTIONS(epsilon = 0.5).")
        token = self._tokens[self._place]
        found = (
            repr(token.text)
            if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER)
            else token.text
        )
        if wanted and found.upper() not in wanted:
            self._refuse(
                f"Expected {' or '.join(wanted)} here",
                "Write OPTIONS(epsilon = 0.5, delta = 1e-12, max_groups_contributed = 2).",
            )
        return found

    def _refuse(self, problem: str, fix: str) -> NoReturn:
        token = self._tokens[self._place]
        raise self._text.refusal(Unsupported, problem, (token.start, token.end + 1), fix)


_EXAMPLES: Final = {"epsilon": "0.5", "delta": "1e-12", "max_groups": "2"}
_POLICY_OPTIONS: Final = {
    "privacy_unit_column": "Leave it out: the policy declares the privacy unit.",
    "max_rows_contributed": (
        "Leave it out: the policy sets max_rows_per_group; for one aggregate, use"
        " contribution_bounds_per_group."
    ),
}
