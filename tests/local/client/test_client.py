from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hedgerow.errors import BudgetExceeded, InvalidArgument, LedgerError
from hedgerow.local.client.client import Client
from hedgerow.local.client.encoder import compute_cohort, compute_permanent_bits
from hedgerow.local.collector.batch_parsing import parse_addition
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry
from hedgerow.verify.audit import audit
from local.auditing import AUDITED, bits_of, differing
from local.client.helpers_javascript import (
    AROUND,
    NODE,
    PLANTED,
    SUITE,
    Ask,
    planted_in,
    reporting,
    run_node,
)
from local.shrink import HEAD, SHIPPED, SOURCE, shrink
from local.vectors import METRICS, bytes_of, values_of

HOME, COIN = METRICS["rappor"], METRICS["coin"]
needs_node = pytest.mark.skipif(
    NODE is None, reason="Node.js is not installed: the JavaScript client is not tested"
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "client.json"


SHARP = Metric("home", "rappor", tuple((dict(HOME.parameters) | {"p": 1536, "q": 64000}).items()))


def off(place: Path, metric: Metric, value: int | str, reports: int, forget: bool = False) -> float:
    """How far the shares of ones are from what the permanent bits of the first client make them,
    each report from a client just started.
    """
    secret, given, skip = (
        Client(metric, place)._state.secret,
        dict(metric.parameters),
        2 * (metric.protocol == "rappor"),
    )
    zero, one = ("p", "q") if skip else ("zero", "one")
    expected = (
        np.array(
            [given[one if bit else zero] for bit in compute_permanent_bits(metric, secret, value)]
        )
        / 65536
    )
    seen = []
    for _ in range(reports):
        seen.append(bits_of(Client(metric, place).report(value), skip))
        if forget:
            place.unlink()
    return float(np.abs(np.mean(seen, axis=0)[: expected.size] - expected).max())


@pytest.mark.long
@pytest.mark.parametrize(("metric", "value"), [(SHARP, "a"), (METRICS["longitudinal_unary"], 4)])
def test_the_memo_survives_restarts(place: Path, metric: Metric, value: int | str) -> None:
    """A share of 400 coins is off by 0.2 or more once in 10^13 times (Hoeffding), and there are 32
    of them at most.

    One that forgets is seen: wherever a permanent bit is not that of the value, for a quarter of
    all bits of RAPPOR.
    """
    assert off(place, metric, value, 400) < 0.2
    assert Client(metric, place).left == 0


def test_a_memo_that_was_deleted_shows(place: Path) -> None:
    Client(SHARP, place, secret=bytes_of("secret", 32))
    assert off(place, SHARP, "a", 50, forget=True) > 0.4


def test_a_report_names_the_cohort_of_the_client_and_has_its_size(place: Path) -> None:
    client = Client(HOME, place, secret=bytes_of("secret", 32))
    records = [client.report("a") for _ in range(20)]
    assert {record[:2] for record in records} == {
        compute_cohort(HOME, bytes_of("secret", 32)).to_bytes(2, "big")
    }
    assert {len(record) for record in records} == {2 + 4}
    assert len(set(records)) > 1  # fresh coins: all alike once in 10^100 times


def test_the_cap_refuses_new_values_and_lets_old_ones_pass(place: Path) -> None:
    client = Client(HOME, place, cap=2)
    assert [
        client.left,
        client.report("a") and client.left,
        client.report("b") and client.left,
    ] == [2, 1, 0]
    for again in (client, Client(HOME, place, cap=2), Client(replace(HOME, epoch=9), place, cap=2)):
        with pytest.raises(
            BudgetExceeded,
            match=(
                r"^The metric 'home\.page' has used its cap of 2 distinct values on this client,"
                r" and this"
            ),
        ):
            again.report("c")
        again.report("a")
    assert client.lifetime_epsilon == pytest.approx(2 * float(HOME.scheme.lifetime_epsilon))


def test_where_nothing_is_memoised_each_report_is_paid_for(place: Path) -> None:
    client = Client(COIN, place, cap=2)
    assert client.report(1) in {b"\0", b"\1"}
    client.report(1)
    with pytest.raises(
        BudgetExceeded,
        match=r"^The metric 'survey\.coin' has used its cap of 2 reports on this client\.",
    ):
        Client(COIN, place, cap=2).report(1)
    assert client.lifetime_epsilon == COIN.lifetime_epsilon(2)


def test_a_refused_value_costs_nothing_and_is_not_disclosed(place: Path) -> None:
    client = Client(HOME, place)
    before = place.read_bytes()
    with pytest.raises(
        InvalidArgument, match=r"^value must be text of 1 to 4096 bytes in UTF-8\.$"
    ):
        client.report("secret page" * 1000)
    assert place.read_bytes() == before
    assert client.left == 1


def test_no_value_is_written_down(place: Path) -> None:
    Client(HOME, place).report("https://example.org/")
    assert b"example" not in place.read_bytes()
    assert [file.name for file in place.parent.iterdir()] == [place.name]


def test_deleted_storage_is_a_new_client_with_new_noise(place: Path) -> None:
    """What the documentation says: after it the person has paid for one value twice, and nobody
    can know.
    """
    old = Client(HOME, place)
    old.report("a")
    place.unlink()
    with pytest.raises(LedgerError, match="deleted or replaced"):
        old.report("a")
    new = Client(HOME, place)
    assert new.left == 1
    new.report("a")


def test_metrics_of_one_person_share_a_file_and_count_apart(place: Path) -> None:
    Client(HOME, place).report("a")
    Client(METRICS["rappor other"], place).report("b")
    Client(COIN, place).report(0)
    with pytest.raises(BudgetExceeded):
        Client(HOME, place).report("b")


def test_changed_parameters_count_under_the_same_id(place: Path) -> None:
    """Else a collector could have a value answered with new permanent noise by changing a
    threshold.
    """
    Client(HOME, place).report("a")
    changed = Metric(HOME.id, "rappor", tuple((dict(HOME.parameters) | {"q": 49168}).items()))
    with pytest.raises(BudgetExceeded, match="this value is new"):
        Client(changed, place).report("a")


@pytest.mark.parametrize("name", METRICS)
def test_every_protocol_reports(place: Path, name: str) -> None:
    metric = METRICS[name]
    record = Client(metric, place).report(values_of(metric)[-1])
    assert metric.scheme.aggregate(np.frombuffer(record, np.uint8).reshape(1, -1))[-1] == 1


@pytest.mark.parametrize("cap", [0, -1, 1.5, True])
def test_the_cap_is_a_whole_number(place: Path, cap: int) -> None:
    with pytest.raises(InvalidArgument, match=r"^cap must be a whole number between 1 and 1000000"):
        Client(HOME, place, cap=cap)
    assert not place.exists()


@needs_node
def test_the_javascript_client_passes_its_suite() -> None:
    code, told = run_node(SHIPPED)
    assert code == 0, told
    passed = re.search(r"^# pass (\d+)$", told, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) == SUITE.read_text(encoding="utf-8").count("\ntest(")


"""What a browser has: storage, and a way to the collector and to the metric."""


@needs_node
def test_the_lines_of_javascript_in_the_guide_send_a_report() -> None:
    guide = Path(__file__).parents[3].joinpath("docs", "local.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"```text\n(import \{.*?)```", guide, re.DOTALL)
    metric = Metric.of("exercise", KAry.calibrate(domain=4, epsilon=1))
    code = AROUND % json.dumps(metric.to_json()) + lines.replace(
        "https://collector.example/hedgerow-local.js", SHIPPED.as_uri()
    )
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", code], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    address, headers, body = done.stdout.split()
    assert address == "https://collector.example/v1/reports"
    given = json.loads(headers)
    addition = parse_addition(
        EpochCalendar([metric]), given["Content-Type"], given["Batch-Key"], bytes.fromhex(body)
    )
    assert addition.chunks[0][-1] == 1


def test_the_javascript_client_is_one_small_module_that_needs_nothing() -> None:
    text = SHIPPED.read_text(encoding="ascii")
    assert len(text) < 10_000
    assert re.findall(r"\bimport\b(?!Key)|require\(|Math\.random", text) == []
    assert sorted(path.name for path in SHIPPED.parent.glob("*.js")) == [SHIPPED.name, SOURCE.name]


def test_the_javascript_that_is_shipped_is_made_from_its_source() -> None:
    """If it is not: python tests/local/shrink.py."""
    assert SHIPPED.read_text(encoding="ascii") == shrink(SOURCE.read_text(encoding="ascii"))


@pytest.mark.parametrize(
    ("source", "shipped"),
    [
        ("const a = 1; // one\nconst b = 2;\n", "const a=1;\nconst b=2;"),
        ("f(a, // first\n\tb);", "f(a,b);"),
        ('say("a  // b", `c  ${d}  /* e */`);', 'say("a  // b",`c  ${d}  /* e */`);'),
        ('say("\\" // no", 1);', 'say("\\" // no",1);'),
        ("text.match(/[/ ] \\/ /g)", "text.match(/[/ ] \\/ /g)"),
        ("a = b / c / d;", "a=b/c/d;"),
        ("f((a) => a, (b, c) => c, async (d) => d);", "f(a=>a,(b,c)=>c,async(d)=>d);"),
        ("a = b + +c - -d;", "a=b+ +c- -d;"),
        ("if (x) {\n\treturn { y, };\n}\nelse z();", "if(x){return{y}}\nelse z();"),
        ("/** Why. */\nexport async function f() {}\n", "export async function f(){}"),
    ],
)
def test_shrinking_leaves_what_is_meant(source: str, shipped: str) -> None:
    assert shrink(source) == HEAD + shipped + "\n"


@pytest.fixture(scope="module")
def javascript() -> Iterator[Ask]:
    with reporting(SHIPPED) as ask:
        yield ask


def audited(ask: Ask, metric: Metric, one: int | str, other: int | str) -> float:
    """A certified lower bound on the epsilon of one report of the JavaScript client; wrong once
    in 10^9 runs.
    """
    found = audit(
        lambda value, count: ask(metric, value, count),
        one,
        other,
        samples=1000,
        confidence=1 - 1e-9,
        batch=True,
    )
    return found.epsilon


@needs_node
@pytest.mark.parametrize(("name", "values"), AUDITED)
def test_the_javascript_client_loses_no_more_than_stated(
    javascript: Ask, name: str, values: tuple[int, int]
) -> None:
    assert audited(javascript, METRICS[name], *values) <= METRICS[name].epsilon


@needs_node
@pytest.mark.long
def test_a_javascript_rappor_loses_no_more_than_stated_and_a_bit_never_cleared_does(
    javascript: Ask, tmp_path: Path
) -> None:
    metric = Metric("home", "rappor", tuple((dict(HOME.parameters) | {"k": 8, "m": 1}).items()))
    values = differing(metric)
    assert audited(javascript, metric, *values) <= metric.epsilon
    good, bad = (
        "(await permanent(metric, secret, value)).map((bit) => ",
        "(await bloom(metric, 0, value)).map((bit) => bit || ",
    )
    with reporting(planted_in(tmp_path, good, bad)) as planted:
        assert audited(planted, metric, *values) > metric.epsilon


@needs_node
@pytest.mark.long
@pytest.mark.parametrize("bug", PLANTED)
def test_bugs_planted_in_the_javascript_client_are_caught(bug: str, tmp_path: Path) -> None:
    good, bad, where = PLANTED[bug]
    code, told = run_node(planted_in(tmp_path, good, bad))
    assert code != 0
    assert re.search(rf"^not ok \d+ - {where}", told, re.MULTILINE), told
