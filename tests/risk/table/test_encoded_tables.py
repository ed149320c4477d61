"""Tables of every kind become the same codes, and what cannot be read is said in plain words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.risk.table.encoded_tables import (
    EncodedTable,
    encode_table,
    hide_engine_errors,
    open_tables,
    resolve_columns,
)

TABLE = pa.table(
    {"age": [20, 21, 21, None], "sex": ["f", "m", None, "f"], "height": [1.5, 1.5, None, 1.75]}
)


def pattern(codes: Any) -> list[int]:
    """Codes by the order in which they come first."""
    seen: dict[int, int] = {}
    return [seen.setdefault(code, len(seen)) for code in codes.tolist()]


@pytest.fixture(
    params=[
        "arrow",
        "pandas",
        "polars",
        "csv",
        "parquet",
        "arrow file",
        "feather",
        "text of a path",
    ]
)
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    kind = request.param
    if kind in ("arrow", "pandas", "polars"):
        return {"arrow": TABLE, "pandas": TABLE.to_pandas(), "polars": pl.from_arrow(TABLE)}[kind]
    ends = {
        "csv": "csv",
        "parquet": "parquet",
        "arrow file": "arrow",
        "feather": "feather",
        "text of a path": "csv",
    }
    path = tmp_path / f"people.{ends[kind]}"
    {"csv": csv.write_csv, "parquet": parquet.write_table}.get(ends[kind], feather.write_feather)(
        TABLE, path
    )
    return str(path) if kind == "text of a path" else path


def test_every_kind_of_table_has_the_same_codes(data: Any) -> None:
    found = encode_table(data)
    assert found.names == ("age", "sex", "height")
    assert [pattern(column) for column in found.codes] == [[0, 1, 1, 2], [0, 1, 2, 0], [0, 0, 1, 2]]
    assert (found.rows, found.sizes, found.notes) == (4, (3, 3, 3), ())
    nulls = [(3,), (2,), (2,)]  # the rows where each is missing
    for codes, null, rows in zip(found.codes, found.null_codes, nulls, strict=True):
        assert tuple((codes == null).nonzero()[0].tolist()) == rows


def test_rows_stay_in_their_order_and_large_columns_are_wide_enough() -> None:
    many = 70_000
    table = pa.table(
        {
            "id": range(many),
            "half": [i // 2 for i in range(many)],
            "few": [i % 3 for i in range(many)],
        }
    )
    found = encode_table(table)
    assert found.sizes == (many, many // 2, 3)
    assert found.null_codes == (-1, -1, -1)
    ids, halves, few = (column.tolist() for column in found.codes)
    assert len(set(ids)) == many
    assert halves[0::2] == halves[1::2]
    assert len(set(zip(few, (i % 3 for i in range(many)), strict=True))) == 3


def test_columns_are_chosen_in_the_order_given_and_whatever_their_case() -> None:
    found = encode_table(TABLE, ["SEX", "age"])
    assert found.names == ("sex", "age")
    assert found.select_columns(["age"]).names == ("age",)
    assert pattern(found.select_columns(["age"]).codes[0]) == [0, 1, 1, 2]


def test_more_columns_than_one_statement_takes() -> None:
    table = pa.table({f"c{i}": [i, i, 0, 1] for i in range(20)})
    assert [pattern(column) for column in encode_table(table).codes][2:] == [[0, 0, 1, 2]] * 18


def test_values_that_are_lists_and_names_with_quotes() -> None:
    table = pa.table({'a "b"': [[1, 2], [1, 2], [2]], "c": [b"x", b"y", b"x"]})
    found = encode_table(table)
    assert [pattern(column) for column in found.codes] == [[0, 0, 1], [0, 1, 0]]


def test_a_column_that_is_not_there_names_those_that_are_near() -> None:
    with pytest.raises(InvalidArgument, match=r"have no 'hight': did you mean height\.$"):
        encode_table(TABLE, ["age", "hight"])
    with pytest.raises(InvalidArgument, match=r"have no 'income': there are age, sex, height\.$"):
        encode_table(TABLE, ["income"])
    wide = tuple(f"column {i}" for i in range(20))
    with pytest.raises(InvalidArgument, match=r"column 11 and 8 more\.$"):
        resolve_columns(["zzz"], wide)
    # which of the two is meant, nobody knows
    with pytest.raises(InvalidArgument, match="have no 'AGE'"):
        resolve_columns(["AGE"], ("age", "Age"))


@pytest.mark.parametrize("columns", [[], "age"])
def test_columns_are_a_list(columns: Any) -> None:
    with pytest.raises(InvalidArgument, match="columns must be a list of at least one name"):
        encode_table(TABLE, columns)


def test_a_column_is_named_once() -> None:
    with pytest.raises(InvalidArgument, match="columns must all be different; got 'age, age'"):
        encode_table(TABLE, ["age", "AGE"])


def test_one_row_is_answered_and_said_to_mean_nothing() -> None:
    (note,) = encode_table(TABLE.slice(0, 1)).notes
    assert note.startswith("The table has one row")


@pytest.mark.parametrize("kind", ["frame", "file"])
def test_no_rows_are_refused(kind: str, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("age,sex\n")
    with pytest.raises(SourceError, match=r"(the frame|empty\.csv) has no rows"):
        encode_table(TABLE.slice(0, 0) if kind == "frame" else tmp_path / "empty.csv")


def test_free_text_is_named_and_still_coded() -> None:
    story = [
        f"On day {i} a person told us at great length what had happened to her." for i in range(30)
    ]
    found = encode_table(
        pa.table(
            {
                "story": story,
                "id": range(30),
                "text id": [f"n{i}" for i in range(30)],
                "sex": ["f", "m"] * 15,
            }
        )
    )
    assert [note.split(" is ")[0].split(" has ")[0] for note in found.notes] == [
        "story",
        "id",
        "text id",
    ]
    assert "free text of 6" in found.notes[0]
    assert "a different value in almost every row" in found.notes[1]
    assert found.sizes == (30, 30, 30, 2)
    # of so few rows different values say nothing
    assert encode_table(pa.table({"id": range(10)})).notes == ()


def test_files_that_are_not_there_or_not_what_they_seem(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"The file .*gone\.csv does not exist"):
        encode_table(tmp_path / "gone.csv")
    with pytest.raises(
        InvalidArgument, match=r"must be a file that ends in \.csv, \.parquet, \.arrow or \.feather"
    ):
        encode_table(tmp_path / "people.xlsx")
    odd = tmp_path / "a[1].csv"
    odd.write_text("a\n1\n")
    with pytest.raises(InvalidArgument, match=r"must name one file; rename paths"):
        encode_table(odd)
    for name in ("people.parquet", "people.arrow"):
        (tmp_path / name).write_bytes(b"secret of somebody")
        with pytest.raises(SourceError, match=rf"{name} cannot be read") as said:
            encode_table(tmp_path / name)
        assert "secret" not in str(said.value)
    (tmp_path / "torn.csv").write_text('a,b\n1,2\nsecret\n"3,4\n')
    with pytest.raises(
        SourceError, match=r"torn\.csv cannot be read: every line needs as many values"
    ) as said:
        encode_table(tmp_path / "torn.csv")
    assert "secret" not in str(said.value)
    assert (
        "Here 2 lines are malformed.\n  line 3 must have 2 values, like the first line\n "
        " line 4 has an unclosed quote" in str(said.value)
    )
    (tmp_path / "broken.csv").write_text('a,b\n1,"2\n3"\n')  # which is read in one way only
    assert encode_table(tmp_path / "broken.csv").rows == 1
    with pytest.raises(InvalidArgument, match="must be a path, or an Arrow"):
        encode_table([1, 2])


def test_a_check_comes_before_any_row(tmp_path: Path) -> None:
    (tmp_path / "torn.csv").write_text("a,b\n1,2\n3\n")

    def check(columns: int) -> None:
        raise InvalidArgument("columns", "are too many", columns)

    with pytest.raises(InvalidArgument, match="columns are too many; got 2"):
        encode_table(tmp_path / "torn.csv", check=check)


def test_a_frame_is_taken_as_it_was() -> None:
    frame = pd.DataFrame({"a": [1, 1, 2]})
    with open_tables(frame) as opened:
        frame.loc[0, "a"] = 7
        assert opened.list_columns(0) == (("a", "BIGINT"),)
        relation = opened.load_terms(0, ['"a"'])
        ((codes,),), sizes, missing = opened.encode_columns([relation], 1)
    assert (pattern(codes), sizes, missing) == ([0, 0, 1], [2], [-1])


def test_codes_belong_to_names() -> None:
    with pytest.raises(InvalidArgument, match="codes must be one array for each"):
        EncodedTable((), (), (), ())
    with pytest.raises(InvalidArgument, match="codes must be one array for each"):
        EncodedTable(("a",), (), (), ())


def test_our_errors_pass_and_foreign_errors_are_reworded() -> None:
    def refuse() -> None:
        raise InvalidArgument("a", "is wrong")

    with pytest.raises(InvalidArgument, match="a is wrong"):
        hide_engine_errors(refuse, "never said")
    with pytest.raises(SourceError, match=r"^our words$"):
        hide_engine_errors(lambda: 1 / 0, "our words")
