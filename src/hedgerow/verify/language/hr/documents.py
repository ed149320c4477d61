"""``*.hr`` files: the small probabilistic language. Blocks are told by indentation, as in Python; ``;`` may end a statement.

    Mean(l : private list, n : public int, eps : public real) : public real
      claim eps for one
      s := 0; i := 0
      while i < n do
        s := s + l[i]; i := i + 1
      z :=$ Laplace(1 / (n * eps))
      return s / n + z

    judge Mean ~ Mean : true ==> res<1> = res<2> [1, 0]

Statements: ``x := e``, ``x :=$ D``, ``if e then`` / ``else``, ``while e do``, ``skip``, ``output e``, ``return e``. Distributions:
Laplace(scale) or Laplace(centre, scale), Geometric, Gaussian, Exponential(scale), Bernoulli(p), Uniform(low, high), Uniform(bits[n]),
Uniform({0,1}^n). Types: int, real, bool, list, list of one of those, bits[n]; a width that is no parameter becomes a public one. A list
that starts as ``[]`` and grows by ``l := l ++ [e]`` may be returned. Without ``claim E, D for NEIGHBOURS`` a program claims eps, for one,
if eps is a public parameter, and else that it tells nothing about what is private.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.hr.body import Body
from hedgerow.verify.language.hr.expressions import Cursor
from hedgerow.verify.language.hr.words import Line, Word, lines
from hedgerow.verify.language.judgements import RESULT, Judgement, tagged
from hedgerow.verify.language.kinds import resolved
from hedgerow.verify.language.lowering import Fresh, lowered
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Claim, Expression, Kind, Parameter, Program, assigned, names
from hedgerow.verify.language.signature import checked_claim, checked_size, neighbours, usual_claim

__all__ = ["Document", "parse"]

_KINDS: Final = {"int": Kind.INT, "real": Kind.REAL, "float": Kind.REAL, "bool": Kind.BOOL}


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds, in order. What could not be read is kept as ``Outside`` among the programs, or among the judgements."""

    programs: tuple[Program | Outside, ...]
    judgements: tuple[Judgement | Outside, ...]


def parse(text: str) -> Document:
    """Every program and every judgement of a file; nothing is raised."""
    try:
        found = lines(checked_size(text))
    except Outside as outside:
        return Document((outside,), ())
    programs: list[Program | Outside] = []
    judgements: list[Judgement | Outside] = []
    rows = text.splitlines()
    for block in _blocks(found):
        if block[0].words[0].text == "judge":
            judgements.append(_judgement(block, programs))
        else:
            programs.append(_program(block, rows))
    return Document(tuple(programs), tuple(judgements))


def _blocks(found: list[Line]) -> list[list[Line]]:
    """Each head with the lines that are indented below it."""
    blocks: list[list[Line]] = []
    for line in found:
        if line.indent == 0 or not blocks:
            blocks.append([line])
        else:
            blocks[-1].append(line)
    return blocks


def _program(block: list[Line], rows: list[str]) -> Program | Outside:
    name = block[0].words[0].text
    try:
        return _read(block, rows)
    except Outside as outside:
        return outside.of(name)
    except RecursionError:
        return Outside("it is nested too deeply to be read", block[0].place, name)


def _read(block: list[Line], rows: list[str]) -> Program:
    head = Cursor(block[0].words)
    name = head.name()
    parameters = _parameters(head)
    body = block[1:]
    claim = usual_claim(parameters)
    if body and body[0].words[0].text == "claim":
        claim = checked_claim(_claim(body[0]), parameters, body[0].place)
        body = body[1:]
    if not body or body[0].indent <= block[0].indent:
        raise Outside(f"{name.text} has no body; indent it below its head", name.place)
    used = {word.text for line in block for word in line.words if word.sort == "name"}
    fresh = Fresh(used | {one.name for one in parameters})
    steps = Body(body, parameters, fresh).steps()
    source = "\n".join(rows[block[0].place.line - 1 : block[-1].words[-1].place.line])
    return resolved(Program(name.text, parameters, lowered(steps, parameters, fresh), claim, source, name.place))


def _parameters(head: Cursor) -> tuple[Parameter, ...]:
    head.need("(")
    found: list[Parameter] = []
    while not head.takes(")"):
        if found:
            head.need(",")
        name = head.name()
        head.need(":")
        found.append(_typed(head, name))
    if head.takes(":"):
        _typed(head, Word("name", RESULT, head.here.place))
    head.takes("=")
    head.takes(":")
    head.ended()
    taken = [one.name for one in found]
    for one in found:
        if taken.count(one.name) > 1:
            raise Outside(f"two parameters are called {one.name}", one.place)
    widths = sorted({name for one in found if one.width is not None for name in names(one.width)} - set(taken))
    implied = [Parameter(name, Kind.INT, private=False, place=head.words[0].place) for name in widths]
    return (*found, *implied)


def _typed(head: Cursor, name: Word) -> Parameter:
    word = head.next()
    if word.text not in ("private", "public"):
        raise Outside(f"say of {name.text} whether it is private or public, as in {name.text} : private real", word.place)
    private = word.text == "private"
    if head.takes("list"):
        kind, width = Kind.REAL, None
        if head.takes("of"):
            kind, width = _kind(head)
        elif head.takes("["):
            kind, width = _kind(head)
            head.need("]")
        return Parameter(name.text, kind, private, list=True, width=width, place=name.place)
    kind, width = _kind(head)
    return Parameter(name.text, kind, private, width=width, place=name.place)


def _kind(head: Cursor) -> tuple[Kind, Expression | None]:
    word = head.next()
    if word.text in _KINDS:
        return _KINDS[word.text], None
    if word.text != "bits":
        raise Outside(f"{word.text} is no type; there are int, real, bool, bits[n] and list", word.place)
    head.need("[")
    width = head.expression()
    head.need("]")
    return Kind.BITS, width


def _claim(line: Line) -> Claim:
    cursor = Cursor(line.words)
    cursor.need("claim")
    epsilon = cursor.expression()
    delta = cursor.expression() if cursor.takes(",") else None
    cursor.need("for")
    word = cursor.name()
    k = cursor.next() if cursor.here.sort == "number" else None
    cursor.takes(";")
    cursor.ended()
    if k is not None and not k.text.isdigit():
        raise Outside("the number of neighbours must be whole", k.place)
    return Claim(epsilon, neighbours(word.text, int(k.text) if k is not None else None, word.place), delta)


def _judgement(block: list[Line], programs: list[Program | Outside]) -> Judgement | Outside:
    words = tuple(word for line in block for word in line.words)
    place = words[0].place
    try:
        known = {one.name: one for one in programs if isinstance(one, Program)}
        lists = {one.name for program in known.values() for one in program.parameters if one.list}
        cursor = Cursor(words, lists, tags=True)
        cursor.need("judge")
        left = _called(cursor, known)
        if not cursor.takes("~"):
            raise Outside("a judgement is: judge A ~ B : before ==> after", cursor.here.place)
        right = _called(cursor, known)
        cursor.need(":")
        before = cursor.expression()
        cursor.need("==>")
        after = cursor.expression()
        epsilon = delta = None
        if cursor.takes("["):
            epsilon = cursor.expression()
            delta = cursor.expression() if cursor.takes(",") else None
            cursor.need("]")
        cursor.takes(";")
        cursor.ended()
        judgement = Judgement(left, right, before, after, epsilon, delta, place)
        _speaks(judgement)
        return judgement
    except Outside as outside:
        return outside.of("judge") if outside.place.line else Outside(outside.reason, place, "judge")


def _called(cursor: Cursor, known: dict[str, Program]) -> Program:
    word = cursor.name()
    if word.text not in known:
        raise Outside(f"{word.text} is not a program that was read above", word.place)
    return known[word.text]


def _speaks(judgement: Judgement) -> None:
    """Relations speak of what there is: parameters before; after, also variables and what was told."""
    given, final = set[str](), set[str]()
    for run, program in ((1, judgement.left), (2, judgement.right)):
        parameters = {one.name for one in program.parameters}
        given |= {tagged(name, run) for name in parameters}
        final |= {tagged(name, run) for name in parameters | assigned(program.body) | {RESULT}}
    for expression, known, where in ((judgement.before, given, "before"), (judgement.after, final, "after")):
        for name in sorted(names(expression) - known):
            raise Outside(f"{name} is not there {where} the programs; write x<1> for x in the first run", expression.place)
    for amount in (judgement.epsilon, judgement.delta):
        for name in sorted(names(amount) if amount is not None else ()):
            raise Outside(f"{name} is no number; epsilon and delta of a judgement are numbers such as ln(3) or 1/2", judgement.place)
