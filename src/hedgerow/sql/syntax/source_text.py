"""The text of a question in tokens, within hard limits, and refusals that underline parts of it.

The limits apply before parsing, because hostile text attacks the parser.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from hedgerow.errors import InvalidArgument, Refused, Unsupported
from hedgerow.sql.syntax.function_synonyms import replace_synonyms

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_TOKENS",
    "NamedArguments",
    "SourceText",
    "Span",
    "tokenise",
]

MAX_BYTES: Final = 64 * 1024
MAX_TOKENS: Final = 5000
MAX_DEPTH: Final = 40
_INVALID_CHARACTERS: Final = re.compile("[\0\ud800-\udfff]")
_MAX_LINE_LENGTH: Final = 100  # characters of a line that a message shows
_MAX_EXCERPT_LENGTH: Final = 300  # characters of an expression in a message

Span = tuple[int, int]  # first character, and the one after the last

_OPEN: Final = {TokenType.L_PAREN, TokenType.CASE}
_CLOSE: Final = {TokenType.R_PAREN, TokenType.END}
# Nodes whose first word has no position in the tree.
_FIRST_WORDS: Final[dict[type[exp.Expr], tuple[str, ...]]] = {
    exp.Case: ("CASE",),
    exp.Cast: ("CAST", "DATE"),
    exp.TryCast: ("TRY_CAST",),
    exp.Extract: ("EXTRACT",),
    exp.Not: ("NOT",),
    exp.Neg: ("-",),
    exp.Distinct: ("DISTINCT",),
    exp.Exists: ("EXISTS",),
    exp.Interval: ("INTERVAL",),
    exp.Join: ("JOIN", ","),
    exp.With: ("WITH",),
    exp.Select: ("SELECT",),
    exp.Subquery: ("SELECT",),
    exp.StrPosition: ("POSITION", "STRPOS", "INSTR", "CHARINDEX", "LOCATE"),
    exp.GroupConcat: ("STRING_AGG", "LISTAGG", "GROUP_CONCAT"),
}
# Words after the last one with a position in the tree.
_FOLLOWING_WORDS: Final[dict[type[exp.Expr], tuple[str, ...]]] = {
    exp.Window: ("OVER",),
    exp.Cast: ("::",),
    exp.Anonymous: ("(",),
}


@dataclass(frozen=True, slots=True)
class NamedArguments:
    """The named arguments of an aggregate.

    ``limits`` is contribution_bounds_per_group, ``outer`` is outer_bounds_per_group.
    """

    method: str | None = None
    bound: Fraction | None = None
    limits: tuple[Fraction, Fraction] | None = None
    clipped: bool = False
    outer: tuple[Fraction, Fraction] | None = None
    bracket: Fraction | None = None


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text, its tokens, and the named arguments that were extracted from them."""

    sql: str
    tokens: tuple[Token, ...]
    named_arguments: tuple[NamedArguments, ...] = ()

    def refusal(
        self, kind: type[Refused], problem: str, where: exp.Expr | Span | None, fix: str
    ) -> Refused:
        """Return a refusal with the problem, the text underlined, and what to write instead."""
        span = (
            where if isinstance(where, tuple) else None if where is None else self.find_span(where)
        )
        if span is None:
            span = (self.tokens[0].start, self.tokens[-1].end + 1) if self.tokens else (0, 1)
        return kind(f"{problem}\n{self._underline(span)}\n{fix}")

    def find_span(self, node: exp.Expr) -> Span | None:
        """Return the span of a node, from its first to its last token, parentheses balanced."""
        places = [
            (part.meta["start"], part.meta["end"])
            for part in node.walk()
            if "start" in part.meta and not self._is_synthesised(part)
        ]
        if not places:
            return self.find_word(*_list_node_words(node))
        first = max(self._count_tokens_before(min(start for start, _ in places)) - 1, 0)
        last = max(self._count_tokens_before(max(end for _, end in places)) - 1, first)
        for words in reversed(list(map(_list_first_words, _walk_spine(node)))):
            first = next(
                (
                    back
                    for back in range(first, max(first - 5, -1), -1)
                    if self.tokens[back].text.upper() in words
                ),
                first,
            )
        if (
            isinstance(node, exp.Paren | exp.Subquery | exp.Tuple)
            and first > 0
            and self.tokens[first - 1].token_type == TokenType.L_PAREN
        ):
            first -= 1
        first, last = self._balance_brackets(first, last)
        if last + 1 < len(self.tokens) and self.tokens[
            last + 1
        ].text.upper() in _FOLLOWING_WORDS.get(type(node), ()):
            first, last = self._balance_brackets(first, min(last + 2, len(self.tokens) - 1))
        return self.tokens[first].start, self.tokens[last].end + 1

    def _is_synthesised(self, part: exp.Expr) -> bool:
        """Return whether the parser added a node.

        NUMERIC becomes DECIMAL(18, 3), whose numbers have positions in another text.
        """
        return (
            isinstance(part.parent, exp.DataTypeParam)
            and self.sql[part.meta["start"] : part.meta["end"] + 1] != part.name
        )

    def format_node(self, node: exp.Expr, max_length: int = _MAX_EXCERPT_LENGTH) -> str:
        """Return a node as one line to show and copy, as typed if possible."""
        span = self.find_span(node)
        found = " ".join(self.sql[span[0] : span[1]].split()) if span else ""
        # The tree lacks named arguments, so it cannot be compared with the text.
        named = any(str(part.this).startswith("\0") for part in node.find_all(exp.Anonymous))
        if not named and not _is_text_of(found, node):
            found = node.sql(dialect=DuckDB(), comments=False, unsupported_level=ErrorLevel.IGNORE)
        return found if len(found) <= max_length else found[: max_length - 1] + "…"

    def find_word(self, *words: str, start: int = 0) -> Span | None:
        """Return the span of the first unquoted token that is one of these words."""
        for token in self.tokens:
            if (
                token.start >= start
                and token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
                and token.text.upper() in words
            ):
                return token.start, token.end + 1
        return None

    def _count_tokens_before(self, place: int) -> int:
        return bisect_right(self.tokens, place, key=lambda token: token.start)

    def _balance_brackets(self, first: int, last: int) -> Span:
        depth = lowest = 0
        for token in self.tokens[first : last + 1]:
            depth += (token.token_type in _OPEN) - (token.token_type in _CLOSE)
            lowest = min(lowest, depth)
        depth -= lowest
        while lowest < 0 and first > 0:
            first -= 1
            lowest += (self.tokens[first].token_type in _OPEN) - (
                self.tokens[first].token_type in _CLOSE
            )
        while depth > 0 and last + 1 < len(self.tokens):
            last += 1
            depth += (self.tokens[last].token_type in _OPEN) - (
                self.tokens[last].token_type in _CLOSE
            )
        return first, last

    def _underline(self, span: Span) -> str:
        begin = self.sql.rfind("\n", 0, span[0]) + 1
        end = self.sql.find("\n", begin)
        end = len(self.sql) if end < 0 else end
        left = (
            begin
            if end - begin <= _MAX_LINE_LENGTH or span[0] - begin < _MAX_LINE_LENGTH // 2
            else span[0] - _MAX_LINE_LENGTH // 4
        )
        right = min(end, left + _MAX_LINE_LENGTH)
        line = "".join(c if c.isprintable() else " " for c in self.sql[left:right])
        marks = " " * (span[0] - left) + "^" * max(1, min(span[1], right) - span[0])
        return (
            f"    {'…' * (left > begin)}{line}{'…' * (right < end)}\n   "
            f" {' ' * (left > begin)}{marks}"
        )


def _walk_spine(node: object) -> Iterator[exp.Expr]:
    """Yield a node and its first descendants."""
    while isinstance(node, exp.Expr):
        yield node
        node = node.args.get("this")


def _list_first_words(node: exp.Expr) -> tuple[str, ...]:
    """Return the words that may begin a node and have no position in the tree."""
    words = _FIRST_WORDS.get(type(node), ())
    own = (
        isinstance(node, exp.Func)
        and not isinstance(node, exp.Connector)
        and "start" not in node.meta
    )
    return (*words, *node.sql_names()) if own and isinstance(node, exp.Func) else words


def _is_text_of(text: str, node: exp.Expr) -> bool:
    """Return whether a piece of text parses to exactly this node."""
    if len(text) > _MAX_EXCERPT_LENGTH:
        return True  # it is cut off anyway
    try:
        if isinstance(node, exp.Query):
            return bool(replace_synonyms(sqlglot.parse_one(text, dialect=DuckDB())) == node)
        found = replace_synonyms(sqlglot.parse_one(f"SELECT {text}", dialect=DuckDB()))
    except (
        SqlglotError,
        RecursionError,
        ValueError,
        IndexError,
        KeyError,
        AttributeError,
        TypeError,
    ):
        return False
    return (
        type(found) is exp.Select
        and found.expressions == [node]
        and {name for name, part in found.args.items() if part} == {"expressions"}
    )


def _list_node_words(node: exp.Expr) -> tuple[str, ...]:
    """Return the words that a node without a position may be written with."""
    if isinstance(node, exp.Boolean):
        return ("TRUE", "FALSE")
    if isinstance(node, exp.Var):
        return (node.name.upper(),)
    return tuple(node.sql_names()) if isinstance(node, exp.Func) else (node.key.upper(),)


def tokenise(text: str) -> SourceText:
    """Tokenise a text within the limits; the privacy clause reader handles EXPLAIN."""
    if not isinstance(text, str):
        raise InvalidArgument("sql", "must be text", text)
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise SourceText(text[: 2 * _MAX_LINE_LENGTH], ()).refusal(
            Unsupported,
            "This question is longer than 64 KiB",
            (0, 1),
            "Ask several shorter questions.",
        )
    invalid = _INVALID_CHARACTERS.search(text)
    if invalid:
        clean = _INVALID_CHARACTERS.sub("?", text)
        raise SourceText(clean, ()).refusal(
            Unsupported,
            "Invalid character: NUL or an unpaired surrogate",
            invalid.span(),
            "Leave it out.",
        )
    tokens = _split_tokens(text)
    if not tokens:
        raise SourceText(text or " ", ()).refusal(
            Unsupported,
            "This statement is empty",
            (0, 1),
            "Write a SELECT, such as SELECT COUNT(*) FROM ….",
        )
    found = SourceText(text, tokens)
    for token, problem, fix in _find_violations(tokens):
        raise found.refusal(Unsupported, problem, (token.start, token.end + 1), fix)
    return found


def _split_tokens(text: str) -> tuple[Token, ...]:
    try:
        return tuple(DuckDB().tokenize(text))
    except (SqlglotError, RecursionError, ValueError, IndexError, KeyError) as error:
        found = re.search(r"from (\d+):(\d+)$", str(error.__cause__))
        place = _compute_offset(text, int(found[1]), int(found[2])) if found else 0
        where = (place, len(text))
        raise SourceText(text, ()).refusal(
            Unsupported, "A quote or a comment is not closed", where, "Close it."
        ) from None


def _compute_offset(text: str, line: int, column: int) -> int:
    starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
    return min(starts[min(line, len(starts)) - 1] + column, max(len(text) - 1, 0))


def _find_violations(tokens: tuple[Token, ...]) -> Iterator[tuple[Token, str, str]]:
    if len(tokens) > MAX_TOKENS:
        yield (
            tokens[MAX_TOKENS],
            f"This question has more than {MAX_TOKENS} tokens",
            "Ask several shorter questions.",
        )
    depth = 0
    lists = set(_find_literal_lists(tokens))
    for place, token in enumerate(tokens):
        depth += (token.token_type in _OPEN) - (token.token_type in _CLOSE)
        if depth > MAX_DEPTH:
            yield (
                token,
                f"Parentheses and CASE are nested more than {MAX_DEPTH} levels deep here",
                "Simplify the expression.",
            )
        if token.token_type in _REFUSED_TOKENS and place not in lists:
            yield token, *_REFUSED_TOKENS[token.token_type]


def _find_literal_lists(tokens: tuple[Token, ...]) -> Iterator[int]:
    """Find the brackets that open a list of literals, such as [0.25, 0.5], which IN and QUANTILE
    take, or the first parts of a call, [1:5], which UNNEST takes."""
    for place, token in enumerate(tokens):
        if token.token_type == TokenType.L_BRACKET and place:
            if tuple(part.token_type for part in tokens[place - 1 : place + 5]) == _FIRST_PARTS:
                yield place
            end = place + 1
            while end < len(tokens) and tokens[end].token_type in _LIST_TOKENS:
                end += 1
            closed = end < len(tokens) and tokens[end].token_type == TokenType.R_BRACKET
            if closed and tokens[place - 1].token_type in _BEFORE_LISTS:
                yield place


_LIST_TOKENS: Final = frozenset(
    (TokenType.NUMBER, TokenType.STRING, TokenType.COMMA, TokenType.DASH)
)
_FIRST_PARTS: Final = (
    *(TokenType.R_PAREN, TokenType.L_BRACKET, TokenType.NUMBER),
    *(TokenType.COLON, TokenType.NUMBER, TokenType.R_BRACKET),
)
_BEFORE_LISTS: Final = frozenset(
    (TokenType.L_PAREN, TokenType.COMMA, TokenType.IN, TokenType.ARRAY)
)
_PARAMETERS: Final = ("Parameters and placeholders are not supported", "Write the value itself.")
_LISTS: Final = (
    "Lists, structs and maps are not supported",
    "Use plain columns; to test membership, write x IN (1, 2); for several quantiles, write"
    " QUANTILE(x, [0.25, 0.5]).",
)
_REFUSED_TOKENS: Final = {
    TokenType.PARAMETER: _PARAMETERS,
    TokenType.PLACEHOLDER: _PARAMETERS,
    TokenType.SESSION_PARAMETER: _PARAMETERS,
    TokenType.L_BRACKET: _LISTS,
    TokenType.L_BRACE: _LISTS,
    TokenType.ARROW: ("Lambdas and JSON paths are not supported", "Use plain columns."),
    TokenType.DARROW: ("Lambdas and JSON paths are not supported", "Use plain columns."),
}
