"""No stored text derives from a Python name: renaming a class or a field changes no stored byte."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from doorway import MEDIANS, noise_of, picking, plan
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.unsynced_entries import write_tail
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import (
    ALL,
    Duchi,
    Hadamard,
    Hybrid,
    KAry,
    LocalProtocol,
    LongitudinalUnary,
    Piecewise,
    Projective,
    Rappor,
    Unary,
)
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan import contingency, measures, nodes, order_statistics, relations, schema
from hedgerow.plan.canonical_plans import compute_plan_key
from hedgerow.plan.measures import Measure
from hedgerow.policy import records
from hedgerow.policy.canonical import decode_policy, encode_policy
from hedgerow.policy.toml.document import PolicyParts
from hedgerow.privacy.loss import Loss
from hedgerow.publish.kinds.histogram import build_noise_facts
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.streaming.rollback_anchor import StreamAnchor
from hedgerow.publish.streaming.stream import (
    StreamParameters,
    _encode_mechanism,
    _encode_parameters,
    list_stream_mechanisms,
)
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import CentredCounts, CountingStep, ReleaseNoise
from hedgerow.release.payload import encode_payload
from hedgerow.verify.language import program as program_parts
from hedgerow.verify.language.encoding import encode
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.prove.certificate import hash_program
from plan import meetings

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "hedgerow"
REGRESSIONS = ROOT / "tests" / "regressions" / "version_0_1"

# Every module that writes, hashes or reads a stored format.
WRITERS = (
    "database/autobounds/search.py",
    "database/custom_mechanisms.py",
    "database/publishing/publisher.py",
    "database/publishing/stream_draft.py",
    "ledger/anchor.py",
    "ledger/anchored_ledger.py",
    "ledger/creation.py",
    "ledger/entry.py",
    "ledger/interface.py",
    "ledger/postgresql/connection.py",
    "ledger/postgresql/store.py",
    "ledger/rules.py",
    "ledger/sqlite.py",
    "ledger/sqlite_file.py",
    "ledger/unsynced_entries.py",
    "local/metric.py",
    "plan/canonical_expressions.py",
    "plan/canonical_plans.py",
    "plan/canonical_text.py",
    "policy/canonical.py",
    "privacy/loss.py",
    "publish/domain.py",
    "publish/kinds/histogram.py",
    "publish/kinds/synthetic.py",
    "publish/output/publication.py",
    "publish/streaming/rollback_anchor.py",
    "publish/streaming/state_file.py",
    "publish/streaming/stream.py",
    "release/candidate_selection.py",
    "release/payload.py",
    "verify/language/encoding.py",
    "verify/prove/certificate.py",
)
NAME_ATTRIBUTES = {
    "__annotations__",
    "__class__",
    "__dataclass_fields__",
    "__dict__",
    "__match_args__",
    "__name__",
    "__qualname__",
    "__slots__",
    "_asdict",
    "_fields",
}
NAME_FUNCTIONS = {"asdict", "astuple", "fields", "get_type_hints", "vars"}


def find_derived_names(text: str) -> Iterator[tuple[int, str]]:
    """Yield where a module reads the name of a class or a field."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and node.attr in NAME_ATTRIBUTES:
            yield node.lineno, node.attr
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in NAME_FUNCTIONS:
                yield node.lineno, f"{name}()"


def test_writers_of_stored_formats_read_no_python_name() -> None:
    offences = [
        f"{path}:{line}: {name}"
        for path in WRITERS
        for line, name in find_derived_names((SRC / path).read_text(encoding="utf-8"))
    ]
    assert offences == []


@pytest.mark.parametrize(
    "offender",
    [
        "type(law).__name__.lower()",
        "law.__class__",
        "[field.name for field in fields(rule)]",
        "dataclasses.asdict(self)",
        "astuple(entry)",
        "vars(rule)",
        "{name: getattr(self, name) for name in self.__slots__}",
        "self.__dict__",
    ],
)
def test_the_rule_trips(offender: str) -> None:
    assert list(find_derived_names(offender))


def test_the_rule_lets_explicit_tables_pass() -> None:
    assert not list(find_derived_names('{"laplace": Laplace}[kind](Fraction(scale))'))
    assert not list(find_derived_names("[getattr(rule, name) for name in TABLE.values()]"))


@contextmanager
def renamed(*classes: type, with_fields: bool = True) -> Iterator[None]:
    """Give classes, and what dataclasses says of their fields, other names for a while."""
    named: list[tuple[Any, str]] = [
        (one, attribute) for one in classes for attribute in ("__name__", "__qualname__")
    ]
    if with_fields:
        known = (vars(one).get("__dataclass_fields__", {}) for one in classes)
        named += [(field, "name") for each in known for field in each.values()]
    before = [(thing, attribute, getattr(thing, attribute)) for thing, attribute in named]
    try:
        for thing, attribute, name in before:
            setattr(thing, attribute, f"renamed_{name}")
        yield
    finally:
        for thing, attribute, name in before:
            setattr(thing, attribute, name)


def classes_of(module: Any) -> list[type]:
    return [one for one in vars(module).values() if isinstance(one, type) and is_dataclass(one)]


def check_unchanged(write: Callable[[], Any], *classes: type, with_fields: bool = True) -> None:
    before = write()
    with renamed(*classes, with_fields=with_fields):
        assert write() == before


@pytest.mark.parametrize(
    "write",
    [
        lambda: type(SCHEMES[0]).__name__,
        lambda: repr(SCHEMES[0]),
        lambda: [field.name for field in fields(KAry)],
    ],
)
def test_a_name_that_is_derived_is_found(write: Callable[[], Any]) -> None:
    with pytest.raises(AssertionError):
        check_unchanged(write, KAry)


def test_renaming_changes_no_payload() -> None:
    asked = plan(MEDIANS, Measure("rows"))
    noise = ReleaseNoise(
        (picking(MEDIANS, asked), Laplace(Fraction(3)), Gaussian(Fraction(5, 2))),
        noise_of(plan()).threshold,
        CentredCounts(1, ((0, 3),)),
        Fraction(1, 2),
        (CountingStep(4, 1),),
    )
    kinds = (CalibratedSelection, CentredCounts, CountingStep, Gaussian, Laplace, ReleaseNoise)
    check_unchanged(lambda: encode_payload([("a",)], [[1], [2]], noise), *kinds, Threshold)


def test_renaming_changes_no_plan_key() -> None:
    modules = (contingency, measures, nodes, order_statistics, relations, schema)
    kinds = {one for module in modules for one in classes_of(module)}
    asked = plan(MEDIANS, Measure("rows"))
    # `replace` needs the fields of a plan as they are; the rule above keeps them out of keys
    check_unchanged(
        lambda: [compute_plan_key(one) for one in (asked, meetings.asked(("ward",)))],
        *kinds,
        with_fields=False,
    )


def stored_policy() -> PolicyParts:
    (text,) = {
        json.loads(row)["text"] for row in _read_bodies(REGRESSIONS / "clinic.ledger", "policy")
    }
    return decode_policy(text)


def _read_bodies(ledger: Path, kind: str) -> list[str]:
    from hedgerow.ledger.sqlite_file import read_entries

    return [entry.text for entry in read_entries(ledger) if entry.kind == kind]


def test_renaming_changes_no_policy_text() -> None:
    parts = stored_policy()
    check_unchanged(lambda: encode_policy(parts), *classes_of(records), PolicyParts)
    assert decode_policy(encode_policy(parts)) == parts


def test_renaming_changes_no_ledger_file(tmp_path: Path) -> None:
    ledger = tmp_path / "x.ledger"
    anchor = Anchor(
        "id",
        2,
        "hash",
        {"people": Loss(1).to_dict()},
        {"a.csv": "people"},
        {"device": 3, "inode": 4, "born": 5},
    )
    entry = Entry.build("id", 2, "adopt", {"note": "x"}, "previous", "now")

    def write() -> list[str]:
        anchor.write(ledger)
        write_tail(ledger, [entry])
        return [file.read_text(encoding="utf-8") for file in sorted(tmp_path.iterdir())]

    check_unchanged(write, Anchor, Entry, Loss)


SCHEMES: tuple[LocalProtocol, ...] = (
    KAry(5, 300),
    Unary(9, 32768, 100),
    LongitudinalUnary(9, 32768, 100, 50000, 15536),
    Hadamard(100, 40000),
    Projective(100, 3, 5, 40000),
    Duchi(11, 200),
    Piecewise(11, 4, 40000),
    Hybrid(11, 4, 40000, 200, 300),
    Rappor(k=32, h=2, m=4, f=0, p=16_384, q=49_152),
)


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_renaming_changes_no_metric_document(scheme: LocalProtocol) -> None:
    check_unchanged(lambda: Metric.of("m", scheme).to_json(), type(scheme), Metric)
    assert {one.name for one in SCHEMES} == set(ALL)


def test_renaming_changes_no_program_hash() -> None:
    text = (REGRESSIONS / "program.txt").read_text(encoding="utf-8")
    (program,) = read_programs(text)
    kinds = [*classes_of(program_parts), program_parts.Kind, program_parts.Noise]
    check_unchanged(
        lambda: (hash_program(program), encode(program)),  # type: ignore[arg-type]
        *kinds,
        program_parts.Relation,
    )


def test_renaming_changes_no_publication_or_stream(tmp_path: Path) -> None:
    terms = StreamParameters(16, Fraction(0), Fraction(1), epsilon=Fraction(1))
    ways = list_stream_mechanisms(terms)
    anchor = StreamAnchor("s", 3, "head", "state")

    def write() -> list[Any]:
        anchor.write(tmp_path / "anchor")
        facts = [build_noise_facts(way.noise, PrivacyParameters(Fraction(1))) for way in ways]
        page = (tmp_path / "anchor").read_bytes()
        return [_encode_parameters(terms), list(map(_encode_mechanism, ways)), facts, page]

    kinds = (Gaussian, Laplace, PrivacyParameters, StreamAnchor, StreamParameters)
    check_unchanged(write, *kinds, *{type(way) for way in ways})
