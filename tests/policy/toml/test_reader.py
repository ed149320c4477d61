from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depth import many
from hedgerow.errors import InvalidArgument
from hedgerow.policy import Policy, parse_policy, read_policy, write_policy
from policy.helpers_page import CLINIC, edited, line, mistakes


def test_the_page_is_read_to_the_letter(tmp_path: Path) -> None:
    file = tmp_path / "clinic.toml"
    file.write_text(CLINIC, encoding="utf-8")
    policy = read_policy(str(file))
    assert (policy.name, policy.engine, policy.ledger_path) == (
        "clinic",
        "duckdb",
        tmp_path / "clinic.ledger",
    )
    budget = policy.budget("patients")
    assert (budget.epsilon, budget.delta, budget.default_epsilon) == (
        3,
        Fraction(1, 10**9),
        Fraction(1, 10),
    )
    assert (budget.default_delta, budget.max_epsilon_per_query, budget.noise) == (
        Fraction(1, 10**12),
        1,
        "laplace",
    )
    visits = policy.table("VISITS")
    assert visits is not None
    assert policy.source_path(visits) == tmp_path / "visits.parquet"
    assert (visits.unit, visits.neighbours, visits.population, visits.version) == (
        "patient_id",
        "add-remove",
        "patients",
        "2026-11",
    )
    assert (visits.max_units, visits.max_rows, visits.max_groups, visits.max_rows_per_group) == (
        2_000_000,
        50_000_000,
        3,
        5,
    )
    assert [column.name for column in visits.columns] == ["age", "cost", "region", "month", "note"]
    assert policy.analysts[0].max_epsilon == 1
    assert policy.warnings == ()


def test_decimals_are_exact() -> None:
    policy = parse_policy(
        edited(
            ("epsilon = 3.0", "epsilon = 0.3"),
            ("max_epsilon_per_query = 1.0", "max_epsilon_per_query = 0.1"),
        )
    )
    assert policy.budgets[0].epsilon == 3 * policy.budgets[0].max_epsilon_per_query


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    file = tmp_path / "clinic.toml"
    file.write_bytes(b"\xef\xbb\xbf" + CLINIC.encode())
    assert read_policy(file) == parse_policy(CLINIC)


def test_all_mistakes_are_reported_at_once_with_their_lines() -> None:
    changes = [
        ("epsilon = 3.0", "epsilon = -3.0"),
        ("neighbours =", "neigbours ="),
        ("max = 110", "max = -1"),
        ("public = true", 'public = "yes"'),
        ("max_epsilon = 1.0", "max_epsilon = true"),
    ]
    text = edited(*changes)
    assert mistakes(text) == [
        (line("epsilon = -3.0", text), "epsilon must be above 0; got -3.0"),
        (
            line("[tables.visits]", text),
            'neighbours is missing: write neighbours = "add-remove" or "change-one"',
        ),
        (
            line("neigbours", text),
            "'neigbours' is not a key of this table; did you mean 'neighbours'?",
        ),
        (line("age ", text), "max must be above min (0); got -1"),
        (
            line("[tables.regions]", text),
            'unit is missing: name the id column of the people to protect, or write unit = "row"',
        ),
        (
            line("[tables.regions]", text),
            'neighbours is missing: write neighbours = "add-remove" or "change-one"',
        ),
        (line('public = "yes"', text), "public must be true or false; got 'yes'"),
        (line("max_epsilon = true", text), "max_epsilon must be a number; got True"),
    ]


@pytest.mark.parametrize(
    ("text", "number", "told"),
    [
        ("a = \n", 1, "put text in quotes"),
        ("a = north\n", 1, "put text in quotes"),
        ("[a]\nx = 1\n[a]\n", 3, "this table appears twice"),
        ("b = 0\na = 1\na = 2\nc = 3\n", 3, "this key appears twice"),
        ("x = { a = 1 }\nx.b = 2\n", 2, "was declared before"),
        ("a 1\n", 1, "a key needs '='"),
        ("a = 1 b = 2\n", 1, "write one key on each line"),
        ('a = 1\nb = "open', 2, "add the missing quote"),
        ('a = "open\nb = 2\n', 1, "a quote is missing"),
        ("a = 1\nb = [1", 2, "the list is not closed"),
        ("b = { a = 1", 1, "add '}'"),
        ("[a\n", 1, "this is not valid TOML: expected"),
    ],
)
def test_syntax_errors_are_explained_in_plain_words(text: str, number: int, told: str) -> None:
    ((where, says),) = mistakes(text)
    assert where == number
    assert told in says


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 1e99999999999999999999", "too large an exponent"),
        ("a = " + "1" * 5000, "too many digits"),
        ("a = 0." + "1" * 300, "too many digits"),
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
    ],
)
def test_absurd_numbers_and_nesting_are_refused(text: str, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        parse_policy(text)


def test_an_empty_page_says_what_belongs_on_it() -> None:
    assert [says.partition(" ")[0] for _, says in mistakes("")] == ["database", "no", "budget"]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="No such file"):
        read_policy(tmp_path / "gone.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(InvalidArgument, match="must be UTF-8"):
        read_policy(tmp_path / "latin.toml")
    with pytest.raises(InvalidArgument, match=r"not data: write one with 'hedgerow init x.CSV'"):
        read_policy(tmp_path / "x.CSV")


@st.composite
def garbled(draw: st.DrawFn) -> str:
    """The page after a few slips: lines lost, doubled or swapped, and values put where others
    were.
    """
    lines = CLINIC.splitlines()
    for _ in range(draw(st.integers(1, 4))):
        here, there = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        slip = draw(st.sampled_from(["lose", "double", "swap", "value", "character"]))
        if slip == "lose":
            lines[here] = ""
        elif slip == "double":
            lines.insert(there, lines[here])
        elif slip == "swap":
            lines[here], lines[there] = lines[there], lines[here]
        elif slip == "value":
            key, equals, _ = lines[here].partition("=")
            values = [
                "0",
                "-1",
                "nan",
                "inf",
                "1e400",
                "true",
                '""',
                '" "',
                "[]",
                "[1, 1]",
                "{}",
                "2026-01-01",
                "2026-01-01T10:00:00",
                '"row"',
            ]
            lines[here] = key + equals + draw(st.sampled_from(values)) if equals else ""
        else:
            at = draw(st.integers(0, len(lines[here])))
            lines[here] = lines[here][:at] + draw(st.characters()) + lines[here][at + 1 :]
    return "\n".join(lines) + "\n"


@pytest.mark.long
@settings(derandomize=True, deadline=None, max_examples=many(300))
@given(garbled())
def test_a_garbled_page_is_a_policy_or_a_list_of_mistakes(text: str) -> None:
    found, told = None, ""
    try:
        found = parse_policy(text)
    except InvalidArgument as error:
        told = str(error)
    if found is None:
        numbers = [int(number) for number in re.findall(r"\n  line (\d+): ", told)]
        assert all(1 <= number <= text.count("\n") + 1 for number in numbers)
        assert numbers or "number" in told
    else:
        assert (
            parse_policy(write_policy(found)) == found == Policy.from_canonical(found.canonical())
        )


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ('unit = "row"\nneighbours = "add-remove"\npopulation = "others"\n', "in two populations"),
        ("public = true\n", "one is public and one protected"),
    ],
)
def test_one_file_by_two_names_has_one_budget(tmp_path: Path, rules: str, told: str) -> None:
    """A link is another name for the same people."""
    (tmp_path / "other.parquet").symlink_to(tmp_path / "visits.parquet")
    text = (
        CLINIC + f'[tables.again]\nsource = "other.parquet"\n{rules}[budgets.others]\nepsilon = 1\n'
    )
    with pytest.raises(
        InvalidArgument, match=f"'again' and 'visits' have the same file, but .*{told}"
    ):
        parse_policy(text, tmp_path)
    assert parse_policy(text, tmp_path / "elsewhere").table("again")


@pytest.mark.parametrize("again", ["answers.csv", "./answers.csv", "link.csv"])
def test_a_row_is_not_two_people_by_a_second_table(tmp_path: Path, again: str) -> None:
    """Or a UNION ALL of the two would move by two where one row comes or goes."""
    (tmp_path / "link.csv").symlink_to(tmp_path / "answers.csv")
    rules = 'unit = "row"\nneighbours = "add-remove"\nmax_rows = 100\n'
    first = (
        '[database]\nname = "x"\n[budget]\nepsilon = 1\n[tables.a]\nsource ='
        f' "answers.csv"\n{rules}'
    )
    with pytest.raises(InvalidArgument, match="would count twice, since 'a' has the same file"):
        parse_policy(f'{first}[tables.b]\nsource = "{again}"\n{rules}', tmp_path)
    assert parse_policy(f'{first}[tables.b]\nsource = "others.csv"\n{rules}', tmp_path).table("b")


def test_hard_links_are_one_file_with_one_unit(tmp_path: Path) -> None:
    (tmp_path / "visits.parquet").write_bytes(b"")
    (tmp_path / "other.parquet").hardlink_to(tmp_path / "visits.parquet")
    text = CLINIC + '[tables.again]\nsource = "other.parquet"\npublic = true\n'
    with pytest.raises(
        InvalidArgument,
        match="have the same file, but one is public and one protected",
    ):
        parse_policy(text, tmp_path)
    same = re.search(r"\[tables\.visits\](.*?)(\n\[|\Z)", CLINIC, re.DOTALL)
    assert same is not None
    rules = same[1].replace("visits.parquet", "other.parquet").replace('"patient_id"', '"nurse_id"')
    with pytest.raises(
        InvalidArgument,
        match=(
            "tables of one file must have the same unit: 'visits' has 'patient_id', this"
            " one 'nurse_id'"
        ),
    ):
        parse_policy(CLINIC + f"[tables.again]{rules}\n", tmp_path)


def test_one_file_by_two_names_in_one_population_is_fine(tmp_path: Path) -> None:
    (tmp_path / "other.csv").symlink_to(tmp_path / "regions.csv")
    assert parse_policy(
        CLINIC + '[tables.again]\nsource = "other.csv"\npublic = true\n', tmp_path
    ).table("again")
