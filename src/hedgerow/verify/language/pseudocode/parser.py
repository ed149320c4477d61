"""The parser of ``*.hr`` files, a small probabilistic language with indented blocks; ``;`` may end
a statement.

    Mean(l : private list, n : public int, eps : public real) : public real
      claim eps for one
      s := 0; i := 0
      while i < n do
        s := s + l[i]; i := i + 1
      z :=$ Laplace(1 / (n * eps))
      return s / n + z

    judge Mean ~ Mean : true ==> res<1> = res<2> [1, 0]

Statements: ``x := e``, ``x :=$ D``, ``if e then`` / ``else``, ``while e do``, ``skip``, ``output
e``, ``return e``. Distributions: Laplace(scale) or Laplace(centre, scale), Geometric, Gaussian,
Exponential(scale), Bernoulli(p), Uniform(low, high), Uniform(bits[n]), Uniform({0,1}^n). Types:
int, real, bool, list, list of one of these, bits[n]; a width that is not a parameter becomes a
public parameter. A list that starts as ``[]`` and grows by ``l := l ++ [e]`` can be returned.
Without ``claim E, D for NEIGHBOURS`` a program claims eps for one entry if eps is a public
parameter, and perfect secrecy otherwise; a program that a judgement is about claims nothing then.
"""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.verify.language.judgement import RESULT, Judgement, tag_name
from hedgerow.verify.language.lowering import lower_steps
from hedgerow.verify.language.program import (
    Claim,
    Expression,
    Kind,
    Parameter,
    Program,
    collect_names,
    find_assigned_names,
)
from hedgerow.verify.language.pseudocode.expressions import TokenCursor
from hedgerow.verify.language.pseudocode.lexer import Token, TokenLine, tokenise_lines
from hedgerow.verify.language.pseudocode.statements import BodyParser
from hedgerow.verify.language.signature import (
    KIND_NAMES,
    build_default_claim,
    check_text_size,
    normalise_claim,
    parse_neighbours,
)
from hedgerow.verify.language.steps import NameSupply
from hedgerow.verify.language.type_inference import resolve_program
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["PseudocodeDocument", "parse_document"]


@dataclass(frozen=True, slots=True)
class PseudocodeDocument:
    """The programs and judgements of a file, in order; an ``UnsupportedProgram`` takes the place of
    each that could not be read. ``helpers`` names the programs that a judgement is about and that
    state no claim of their own.
    """

    programs: tuple[Program | UnsupportedProgram, ...]
    judgements: tuple[Judgement | UnsupportedProgram, ...]
    helpers: frozenset[str] = frozenset()

    @property
    def claiming_programs(self) -> tuple[Program | UnsupportedProgram, ...]:
        """The programs with a claim, stated or implied, and those that could not be read."""
        return tuple(
            one
            for one in self.programs
            if isinstance(one, UnsupportedProgram) or one.name not in self.helpers
        )


def parse_document(text: str) -> PseudocodeDocument:
    """Parse every program and judgement of a file; never raise."""
    try:
        found = tokenise_lines(check_text_size(text))
    except UnsupportedProgram as outside:
        return PseudocodeDocument((outside,), ())
    programs: list[Program | UnsupportedProgram] = []
    judgements: list[Judgement | UnsupportedProgram] = []
    rows = text.splitlines()
    unclaimed = set[str]()
    for block in _group_blocks(found):
        if len(block) < 2 or block[1].tokens[0].text != "claim":
            unclaimed.add(block[0].tokens[0].text)
        if block[0].tokens[0].text == "judge":
            judgements.append(_parse_judgement(block, programs))
        else:
            programs.append(_try_parse_program(block, rows))
    judged = {
        side.name
        for one in judgements
        if isinstance(one, Judgement)
        for side in (one.left, one.right)
    }
    return PseudocodeDocument(tuple(programs), tuple(judgements), frozenset(unclaimed & judged))


def _group_blocks(found: list[TokenLine]) -> list[list[TokenLine]]:
    """Group each head with the lines that are indented below it."""
    blocks: list[list[TokenLine]] = []
    for line in found:
        if line.indent == 0 or not blocks:
            blocks.append([line])
        else:
            blocks[-1].append(line)
    return blocks


def _try_parse_program(block: list[TokenLine], rows: list[str]) -> Program | UnsupportedProgram:
    name = block[0].tokens[0].text
    try:
        return _parse_program(block, rows)
    except UnsupportedProgram as outside:
        return outside.with_name(name)
    except RecursionError:
        return UnsupportedProgram(
            "the program is nested too deeply; flatten it", block[0].place, name
        )


def _parse_program(block: list[TokenLine], rows: list[str]) -> Program:
    head = TokenCursor(block[0].tokens)
    name = head.expect_name()
    parameters = _parse_parameters(head)
    body = block[1:]
    claim = build_default_claim(parameters)
    if body and body[0].tokens[0].text == "claim":
        claim = normalise_claim(_parse_claim(body[0]), parameters, body[0].place)
        body = body[1:]
    if not body or body[0].indent <= block[0].indent:
        raise UnsupportedProgram(f"{name.text} has no body; indent it below its head", name.place)
    used = {word.text for line in block for word in line.tokens if word.kind == "name"}
    fresh = NameSupply(used | {one.name for one in parameters})
    steps = BodyParser(body, parameters, fresh).parse_steps()
    source = "\n".join(rows[block[0].place.line - 1 : block[-1].tokens[-1].place.line])
    return resolve_program(
        Program(
            name.text, parameters, lower_steps(steps, parameters, fresh), claim, source, name.place
        )
    )


def _parse_parameters(head: TokenCursor) -> tuple[Parameter, ...]:
    head.expect("(")
    found: list[Parameter] = []
    while not head.accept(")"):
        if found:
            head.expect(",")
        name = head.expect_name()
        head.expect(":")
        found.append(_parse_parameter(head, name))
    if head.accept(":"):
        _parse_parameter(head, Token("name", RESULT, head.current.place))
    head.accept("=")
    head.accept(":")
    head.expect_end()
    taken = [one.name for one in found]
    for one in found:
        if taken.count(one.name) > 1:
            raise UnsupportedProgram(f"two parameters are called {one.name}; rename one", one.place)
    widths = sorted(
        {name for one in found if one.width is not None for name in collect_names(one.width)}
        - set(taken)
    )
    implied = [
        Parameter(name, Kind.INT, private=False, place=head.tokens[0].place) for name in widths
    ]
    return (*found, *implied)


def _parse_parameter(head: TokenCursor, name: Token) -> Parameter:
    word = head.advance()
    if word.text not in ("private", "public"):
        raise UnsupportedProgram(
            f"declare {name.text} private or public, as in {name.text} : private real",
            word.place,
        )
    private = word.text == "private"
    if head.accept("list"):
        kind, width = Kind.REAL, None
        if head.accept("of"):
            kind, width = _parse_kind(head)
        elif head.accept("["):
            kind, width = _parse_kind(head)
            head.expect("]")
        return Parameter(name.text, kind, private, list=True, width=width, place=name.place)
    kind, width = _parse_kind(head)
    return Parameter(name.text, kind, private, width=width, place=name.place)


def _parse_kind(head: TokenCursor) -> tuple[Kind, Expression | None]:
    word = head.advance()
    if word.text in KIND_NAMES:
        return KIND_NAMES[word.text], None
    if word.text != "bits":
        raise UnsupportedProgram(
            f"{word.text} is not a type; use int, real, bool, bits[n] or list", word.place
        )
    head.expect("[")
    return Kind.BITS, head.parse_until("]")


def _parse_claim(line: TokenLine) -> Claim:
    cursor = TokenCursor(line.tokens)
    cursor.expect("claim")
    epsilon = cursor.parse_expression()
    delta = cursor.parse_expression() if cursor.accept(",") else None
    cursor.expect("for")
    word = cursor.expect_name()
    k = cursor.advance() if cursor.current.kind == "number" else None
    cursor.accept(";")
    cursor.expect_end()
    if k is not None and not k.text.isdigit():
        raise UnsupportedProgram("the number after the relation must be an integer", k.place)
    number = int(k.text) if k is not None else None
    return Claim(epsilon, parse_neighbours(word.text, number, word.place), delta)


def _parse_judgement(
    block: list[TokenLine], programs: list[Program | UnsupportedProgram]
) -> Judgement | UnsupportedProgram:
    words = tuple(word for line in block for word in line.tokens)
    place = words[0].place
    try:
        known = {one.name: one for one in programs if isinstance(one, Program)}
        lists = {one.name for program in known.values() for one in program.parameters if one.list}
        cursor = TokenCursor(words, lists, allows_tags=True)
        cursor.expect("judge")
        left = _parse_program_name(cursor, known)
        if not cursor.accept("~"):
            raise UnsupportedProgram(
                "write a judgement as: judge A ~ B : precondition ==> postcondition",
                cursor.current.place,
            )
        right = _parse_program_name(cursor, known)
        cursor.expect(":")
        before = cursor.parse_expression()
        cursor.expect("==>")
        after = cursor.parse_expression()
        epsilon = delta = None
        if cursor.accept("["):
            epsilon = cursor.parse_expression()
            delta = cursor.parse_expression() if cursor.accept(",") else None
            cursor.expect("]")
        cursor.accept(";")
        cursor.expect_end()
        judgement = Judgement(left, right, before, after, epsilon, delta, place)
        _check_judgement_names(judgement)
        return judgement
    except UnsupportedProgram as outside:
        return outside.with_name("judge", place)


def _parse_program_name(cursor: TokenCursor, known: dict[str, Program]) -> Program:
    word = cursor.expect_name()
    if word.text not in known:
        raise UnsupportedProgram(
            f"{word.text} is not a program above this line; define it first", word.place
        )
    return known[word.text]


def _check_judgement_names(judgement: Judgement) -> None:
    """Refuse names that do not exist: a precondition mentions parameters, a postcondition also
    final variables and ``res``.
    """
    given, final = set[str](), set[str]()
    for run, program in ((1, judgement.left), (2, judgement.right)):
        parameters = {one.name for one in program.parameters}
        given |= {tag_name(name, run) for name in parameters}
        final |= {
            tag_name(name, run)
            for name in parameters | find_assigned_names(program.body) | {RESULT}
        }
    for expression, known, part in (
        (judgement.precondition, given, "precondition"),
        (judgement.postcondition, final, "postcondition"),
    ):
        for name in sorted(collect_names(expression) - known):
            raise UnsupportedProgram(
                f"the {part} mentions {name}, which no run has there; write x<1> for x in the first"
                " run",
                expression.place,
            )
    for amount in (judgement.epsilon, judgement.delta):
        for name in sorted(collect_names(amount) - given if amount is not None else ()):
            raise UnsupportedProgram(
                f"{name} is not a number; write epsilon and delta of a judgement with numbers such"
                " as ln(3) or 1/2, and parameters such as eps<1>",
                judgement.place,
            )
