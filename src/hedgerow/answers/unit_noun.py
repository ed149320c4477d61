"""The words for one privacy unit and for several, as notes and caveats use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hedgerow.privacy.unit import Unit

__all__ = ["UnitNoun", "name_unit"]

_IRREGULAR: Final = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "staff": "member of staff",
}
# The first ending that fits is replaced; a double s ("business") is no plural.
_PLURAL_ENDINGS: Final = (
    ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ss", None),
    ("s", ""),
)


@dataclass(frozen=True, slots=True)
class UnitNoun:
    """A noun for the privacy unit: "patient" and "patients", say."""

    singular: str
    plural: str


def name_unit(population: str, unit: Unit) -> UnitNoun:
    """Return the noun for the units of a population; "unit" where its name is no plural."""
    if unit.owner == "row":
        return UnitNoun("row", "rows")
    name = population.casefold()
    if name in _IRREGULAR:
        return UnitNoun(_IRREGULAR[name], population)
    for ending, singular in _PLURAL_ENDINGS:
        if name.endswith(ending) and len(name) > len(ending) and singular is not None:
            return UnitNoun(population[: -len(ending)] + singular, population)
        if name.endswith(ending):
            break
    return UnitNoun("unit", "units")
