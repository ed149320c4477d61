from __future__ import annotations

import csv
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.helpers_engine_answers import answer
from engines.helpers_visits import ANSWER, BY_CITY, ROWS, VISITS
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable, map_engine_types
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Type

TYPES = {
    "BOOLEAN": "boolean",
    "TINYINT": "integer",
    "BIGINT": "integer",
    "HUGEINT": "integer",
    "UBIGINT": "integer",
    "UHUGEINT": "integer",
    "UINTEGER": "integer",
    "DECIMAL(18,0)": "integer",
    "DECIMAL(18,3)": "real",
    "FLOAT": "real",
    "DOUBLE": "real",
    "VARCHAR": "text",
    "UUID": "text",
    "ENUM('a', 'b')": "text",
    "DATE": "date",
    "TIMESTAMP": "timestamp",
    "TIMESTAMP_NS": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
    "TIMESTAMPTZ_NS": "timestamp",
    "BLOB": None,
    "INTEGER[]": None,
    "STRUCT(a INTEGER)": None,
    "ENUM('a')[]": None,
    "TIME": None,
    "INTERVAL": None,
}


@pytest.mark.parametrize("engine_type", TYPES)
def test_types_of_the_engine_in_our_words(engine_type: str) -> None:
    (found,) = map_engine_types([("c", engine_type)])
    assert (found.name, found.type) == ("c", TYPES[engine_type])
    assert found.is_wide == (
        engine_type
        in ("HUGEINT", "UHUGEINT", "UBIGINT", "DECIMAL(18,0)", "DECIMAL(18,3)", "TIMESTAMPTZ_NS")
    )
    assert found.has_time == engine_type.startswith("TIMESTAMP")


def saved(folder: Path, kind: str) -> Path:
    path = folder / f"visits.{kind}"
    if kind == "parquet":
        pq.write_table(pa.table(ROWS), path)
    else:
        lines = [
            ",".join("" if value is None else str(value) for value in row)
            for row in zip(*ROWS.values(), strict=True)
        ]
        path.write_text("\n".join([",".join(ROWS), *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_answer(kind: str, tmp_path: Path) -> None:
    source = DuckDB({"visits": RegisteredTable(str(saved(tmp_path, kind)), VISITS)})
    assert answer(source, BY_CITY) == ANSWER
    assert [column.name for column in source.schema("visits")] == list(ROWS)
    source.close()


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_the_name_of_a_folder_is_not_read_as_a_column(kind: str, tmp_path: Path) -> None:
    # as in a data lake, where readers take this for the value in every row
    folder = tmp_path / "city=Bern" / f"{VISITS.unit}=7"
    folder.mkdir(parents=True)
    source = DuckDB({"visits": RegisteredTable(str(saved(folder, kind)), VISITS)})
    assert answer(source, BY_CITY) == ANSWER
    source.close()


def refusal(data: Any, schema: Schema = VISITS) -> str:
    with pytest.raises(SourceError) as caught:
        DuckDB({schema.table: RegisteredTable(data, schema)})
    assert caught.value.__context__ is None
    return str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert (
        refusal(tmp_path / "gone.csv")
        == f"There is no file {tmp_path / 'gone.csv'}. Check the path."
    )


def test_other_endings_and_patterns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"must end in \.csv or \.parquet"):
        RegisteredTable(tmp_path / "t.json", VISITS)
    (tmp_path / "a*.csv").write_text("x\n")
    with pytest.raises(InvalidArgument, match="must name one file"):
        RegisteredTable(tmp_path / "a*.csv", VISITS)


def test_a_table_goes_by_the_name_in_its_schema() -> None:
    with pytest.raises(InvalidArgument, match="names in their schemas"):
        DuckDB({"other": RegisteredTable(pa.table(ROWS), VISITS)})


@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_a_missing_column_is_named(kind: str, tmp_path: Path) -> None:
    data = pa.table(ROWS) if kind == "frame" else saved(tmp_path, kind)
    wider = replace(VISITS, columns=(*VISITS.columns, Column("hair", "text")))
    assert refusal(data, wider) == (
        "The table visits has no column hair. Correct the name in the policy; the"
        " columns are id, age, city, pay."
    )
    assert refusal(data, replace(VISITS, unit="person")) == (
        "The table visits has no column person. Correct the name in the policy; the"
        " columns are id, age, city, pay."
    )


def test_a_column_of_another_type_is_named() -> None:
    schema = replace(VISITS, columns=(Column("city", "integer"),))
    assert refusal(pa.table(ROWS), schema) == (
        "The column city of visits holds text, but the policy declares integers. Change"
        " the type in the policy, or convert the column."
    )
    nested = pa.table({"id": [1], "city": [[1, 2]]})
    dated = replace(
        schema,
        columns=tuple(
            replace(one, type="date") if one.name == "city" else one for one in schema.columns
        ),
    )
    assert refusal(pa.table(ROWS), dated).endswith(
        "or convert the column, for instance with pandas.to_datetime."
    )
    assert refusal(nested, schema) == (
        "The column city of visits holds values of another type, but the policy declares"
        " integers. Change the type in the policy, or convert the column."
    )


def test_ids_are_whole_numbers_or_text() -> None:
    found = refusal(pa.table({**ROWS, "id": [True] * 6}))
    assert found == (
        "The id column id of visits holds booleans. Ids must be integers or text:"
        " convert the column, or name another unit in the policy."
    )


def test_upper_and_lower_case_may_differ_in_unambiguous_names() -> None:
    renamed = {name.upper(): values for name, values in ROWS.items()}
    source = DuckDB({"visits": RegisteredTable(pa.table(renamed), VISITS)})
    assert answer(source, BY_CITY) == ANSWER
    source.close()


def test_columns_that_differ_in_case_alone_are_refused() -> None:
    schema = Schema("t", (Column("SS", "integer"),), "row")
    assert refusal(pa.table({"ß": [1], "ss": [2]}), schema) == (
        "The table t has several columns SS that differ in case alone. Rename all but one of them."
    )


def test_a_file_with_a_wrong_ending_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"secret" * 100)
    assert (
        refusal(path)
        == "The file t.parquet is not a valid .parquet file. Save it again, or correct its ending."
    )


@pytest.mark.parametrize("line", ["1,2", "1,2,a,3,secret", '1,2,"secret,3\n', "1,2,\udcffsecret,3"])
def test_a_malformed_line_is_refused_without_quoting_it(line: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(
        b"id,age,city,pay\n1,30,a,1.5\n" + line.encode("utf-8", "surrogateescape") + b"\n"
    )
    assert refusal(path).startswith(
        "The file t.csv cannot be read. Correct it: every line needs as many values as the first"
    )


def test_invalid_unicode_is_reported_before_any_question(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    marked = pa.table({**ROWS, "city": ["secret"] * 6})
    pq.write_table(marked, path, compression="none", use_dictionary=False, write_statistics=False)
    path.write_bytes(path.read_bytes().replace(b"secret", b"secr\xff\xfe"))
    assert (
        refusal(path)
        == "The table visits is damaged: some of its values cannot be read. Create its data again."
    )


def units(data: Any, declared: Column | None) -> int:
    """How many people there are, whom the reference would find too."""
    schema = Schema("t", () if declared is None else (declared,), "id")
    source = DuckDB({"t": RegisteredTable(data, schema)})
    plan = Aggregate(Group(Bound(Table(schema), (), 1, 1)), (Measure("units"),))
    found: int = answer(source, plan)[()][0]
    source.close()
    raw = [
        {"id": one}
        for one in (data if isinstance(data, pa.Table) else read_csv(data)).column("id").to_pylist()
    ]
    assert interpret_plan(plan, {"t": raw}, lambda unit, group: 0) == {(): (found,)}
    return found


def read_csv(path: Path) -> pa.Table:
    with path.open(encoding="utf-8", newline="") as file:
        return pa.table({"id": [line["id"] or None for line in csv.DictReader(file)]})


SPELLED = ["1", " 1", "01", "1.0", "+1", "1 ", "2", "2.4", "x", " ", "\u2003\t", ""]
CSV_IDS: dict[str, tuple[Column | None, int]] = {
    "integer": (Column("id", "integer"), 2),
    "real": (Column("id", "real"), 3),
    "text": (Column("id", "text"), 9),
    # 2 is not moved to 1: strangers stay two
    "bounded": (Column("id", "integer", Fraction(0), Fraction(1)), 2),
    "undeclared": (None, 9),
}


@pytest.mark.parametrize("case", CSV_IDS)
def test_an_id_in_a_text_file_is_its_exact_spelling(case: str, tmp_path: Path) -> None:
    declared, found = CSV_IDS[case]
    path = tmp_path / "t.csv"
    path.write_text("id,x\n" + "".join(f'"{one}",1\n' for one in SPELLED), encoding="utf-8")
    assert units(path, declared) == found


ARROW_IDS: dict[str, tuple[pa.Array, Column | None, int]] = {
    "rounded": (
        pa.array([0.9, 1.0, 1.2, None, float("nan")], pa.float64()),
        Column("id", "integer"),
        1,
    ),
    "bounded": (pa.array([1.0, 2.0, 3.0]), Column("id", "integer", Fraction(0), Fraction(1)), 3),
    "as reals": (pa.array([2**53, 2**53 + 1]), Column("id", "real"), 1),
    "decimals": (
        pa.array([Decimal(2**53) / 4 * 4, Decimal(2**53 + 1)], pa.decimal128(20, 1)),
        Column("id", "real"),
        1,
    ),
    "zeros": (pa.array([0.0, -0.0, float("nan")], from_pandas=False), Column("id", "real"), 1),
    "written out": (pa.array([1, 2, None]), Column("id", "text"), 2),
    "unsigned": (pa.array([2**63, 2**64 - 1, 2**64 - 1], pa.uint64()), Column("id", "integer"), 2),
    "blank": (pa.array(["", " ", "\u3000\n", "a", "a "]), Column("id", "text"), 2),
    "blank, undeclared": (pa.array(["", " ", "\u3000\n", "a", "a "]), None, 2),
    "every kind of white space": (
        pa.array([*filter(str.isspace, map(chr, range(0x3001))), "\u2003\x85 "]),
        None,
        0,
    ),
    "seen after white space": (pa.array(["\x1f!", " a", "\u00a0~", "\u3000\u00e9"]), None, 4),
    "at the ends of what is visible": (
        pa.array(["!", "~", "\x7f", "\x00", "\u00e9", "\ufeff", "\u200b", "~ "]),
        None,
        8,
    ),
}


@pytest.mark.parametrize("case", ARROW_IDS)
def test_an_id_is_read_as_its_declared_type(case: str) -> None:
    array, declared, found = ARROW_IDS[case]
    assert units(pa.table({"id": array}), declared) == found


@pytest.mark.parametrize(("type_", "words"), [("boolean", "booleans"), ("date", "dates")])
def test_ids_are_not_declared_as_anything_else(type_: Type, words: str, tmp_path: Path) -> None:
    schema = Schema("t", (Column("id", type_),), "id")
    told = (
        f"The id column id of t holds {words}. Ids must be integers or text: convert the"
        " column, or name another unit in the policy."
    )
    (tmp_path / "t.csv").write_text("id,x\n1,1\n")
    assert refusal(tmp_path / "t.csv", schema) == told
    if type_ == "boolean":
        assert refusal(pa.table({"id": [1]}), schema) == told
