"""A question about two populations: rows of the one name somebody of the other (docs/decisions/0011 has the proof).

Of the sources one is about the others, and is joined last, by the id of its unit. When the whole question is read, what reads one side
alone goes to that side: conditions, and the keys that are made of the columns of those who name, since these tell the bonds of a unit
apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.plan.expressions import Call, Constant, Expression, Read, reads, replaced
from hedgerow.plan.measures import Measure, Others
from hedgerow.plan.nodes import Filter, Join, Project, Rows
from hedgerow.plan.simple import flat
from hedgerow.sql.catalog import UNIT
from hedgerow.sql.grouping import Grouped
from hedgerow.sql.question import AggregateCall
from hedgerow.sql.text import Text
from hedgerow.sql.ties import Part, Tie

__all__ = ["check_aggregates", "meeting_of", "names_unit", "other_place", "settled"]

# Means and the like are not among them: of each of the others every number of a moment would be clamped by itself, and where all of them
# are, the mean is the middle of the bounds, whatever the data.
_PLAIN: Final = "Ask for COUNT(*), COUNT(x) or SUM(x), or about one population alone."


def other_place(text: Text, parts: Sequence[Part], ties: Sequence[Tie]) -> int | None:
    """The place of the source that is about the others; None where all are about one population."""
    protected = [i for i, part in enumerate(parts) if part.scope.tables]
    names = list(dict.fromkeys(parts[i].scope.population for i in protected))
    if len(names) < 2:
        return None
    first, last = (next(parts[i] for i in protected if parts[i].scope.population == name) for name in (names[0], names[-1]))
    if len(names) > 2:
        _refuse(text, last.node, "This is about more than two populations", "Ask about two of them at a time.")
    for i in protected:
        if parts[i].scope.rows.unit == "row":
            what = "Where every row is somebody of their own, rows of two people would meet"
            _refuse(text, parts[i].node, what, "Join such a table with public ones only.")
    found = next((i for i in protected if _is_named(i, parts, ties)), None)
    if found is None:
        labels = [part.scope.sources[0][1] for part in (first, last)]
        what = f"{labels[1]} is about other people than {labels[0]}, and no row of the one says whom of the other it means"
        _refuse(text, last.node, what, f"Join one source of theirs on its id, such as ON {first.alias}.x = {last.alias}.{_id(last)}.")
    beside = [i for i in protected if i != found]
    if parts[found].keeps or all(parts[i].keeps for i in beside):
        node = parts[found if parts[found].keeps else beside[0]].node
        _refuse(text, node, "A LEFT JOIN of two populations would tell who has no partner", "Write JOIN, which drops rows without one.")
    _check_caps(text, parts, protected, found)
    return found


def _is_named(place: int, parts: Sequence[Part], ties: Sequence[Tie]) -> bool:
    """Whether this is all there is about its population, and a row of the other one has its id."""
    population = parts[place].scope.population
    alone = sum(part.scope.population == population for part in parts) == 1
    return alone and any(names_unit(tie, place) and parts[_other(tie, place)].scope.tables for tie in ties)


def names_unit(tie: Tie, place: int) -> bool:
    """Whether this equality is of the id of this source, and of a column that is no id."""
    ends = tie.ends(place)
    return ends is not None and ends[0].whose == UNIT and not ends[0].lost and not ends[2].is_unit


def _other(tie: Tie, place: int) -> int:
    return tie.second[0] if tie.first[0] == place else tie.first[0]


def _id(part: Part) -> str:
    return next((one.name for one in part.scope.columns if one.whose == UNIT), "id")


def _check_caps(text: Text, parts: Sequence[Part], protected: Sequence[int], found: int) -> None:
    """Of those who are named it is no matter in how many groups they are: one row of theirs is met."""
    for i in protected:
        for name, entry in parts[i].scope.tables:
            caps = [cap for cap in entry.open_caps if i != found or cap != "max_groups"]
            if caps:
                what = f"The caps of {name} are not declared, and where two populations meet they are not found"
                raise text.refusal(Unbounded, what, parts[i].node, f"Declare {' and '.join(caps)} under [tables.{name}].")


def meeting_of(rows: Rows) -> Join | None:
    """Where two populations meet; None where these rows are about one."""
    while isinstance(rows, Filter | Project):
        rows = rows.source
    return rows if isinstance(rows, Join) and rows.others is not None else None


def check_aggregates(text: Text, calls: Sequence[AggregateCall]) -> None:
    """Refuses what has no bound yet for two populations at once."""
    for call in calls:
        measure = call.measure
        if not isinstance(measure, Measure) or measure.kind in ("units", "distinct", "moments") or measure.limits is not None:
            what = f"{call.text} cannot be asked where two populations meet"
            raise text.refusal(Unsupported, what, None, _PLAIN)


def settled(text: Text, rows: Rows, groups: Sequence[Grouped], outputs: Sequence[tuple[str, Expression]], max_groups: int) -> Rows:
    """The rows of a question about two populations, with these columns, the keys first: each side filtered by itself, and the keys of those
    who name others in their bonds."""
    join, conditions = _taken_apart(rows)
    assert join.others is not None
    own, theirs = set(join.source.columns), {name: Read(there) for name, there in join.adds}
    mine, here, there, rest = [], list[Expression](), list[Expression](), list[Expression]()
    for condition in conditions:
        used = set(reads(condition))
        side = here if used <= own else there if used <= set(theirs) else rest
        side.append(replaced(condition, theirs) if side is there else condition)
    for group in groups:
        used = set(reads(group.value.expression))
        if not used & set(theirs) and used != {join.others.by}:
            mine.append(group)
        elif not used <= {join.others.by, *theirs}:
            what = f"{group.text} is made of columns of two populations"
            raise text.refusal(Unsupported, what, None, "Group by columns of each by themselves: GROUP BY a.x, b.y.")
        if group.domain is None:
            what = f"The values of {group.text} are not declared, and where two populations meet they have to be"
            raise text.refusal(Unbounded, what, None, "List them in the policy: values = […].")
    free = (name for i in itertools.count() if (name := f"bond {i}") not in own | set(theirs))
    bonds = {group.value.expression: next(free) for group in mine}
    here += [_among(group) for group in mine]
    source = Project(_filtered(join.source, here), (*((name, Read(name)) for name in sorted(own)), *((n, e) for e, n in bonds.items())))
    others = Others(join.others.by, tuple(bonds.values()), max_groups, join.others.max_rows)
    met = Join(source, _filtered(join.other, there), (), join.adds, 1, others=others)
    made = [(name, Read(bonds[value]) if i < len(groups) and value in bonds else value) for i, (name, value) in enumerate(outputs)]
    return Project(_filtered(met, rest), tuple(made) or (("one", Constant(1, "integer")),))


def _among(group: Grouped) -> Expression:
    """Rows of other groups must not use up the bonds of their unit."""
    return Call("in", (group.value.expression, *(Constant(value, group.value.type) for value in group.domain or ())))


def _filtered(rows: Rows, conditions: Sequence[Expression]) -> Rows:
    for condition in conditions:
        rows = Filter(rows, condition)
    return rows


def _taken_apart(rows: Rows) -> tuple[Join, list[Expression]]:
    conditions: list[Expression] = []
    while isinstance(rows, Filter):
        conditions[:0] = flat(rows.condition, "and")
        rows = rows.source
    assert isinstance(rows, Join)  # a subquery in which two populations meet is refused
    return rows, conditions


def _refuse(text: Text, node: exp.Expr, what: str, instead: str) -> NoReturn:
    raise text.refusal(Unsupported, what, node, instead)
