from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hedgerow.engines.duckdb.session import DuckDBSession
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.statement import Statement
from hedgerow.errors import SourceError


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "it's.parquet"
    pq.write_table(pa.table({"x": [1, 2, 3]}), path)
    return path


def count(relation: str) -> Statement:
    return Statement(f'SELECT COUNT(*) FROM "{relation}"', (), (False,))


def test_a_file_that_is_listed_is_read(parquet: Path) -> None:
    session = DuckDBSession([parquet], EngineLimits(threads=1, memory=10**8))
    assert session.attach_file("t0", parquet).columns == (("x", "BIGINT"),)
    assert session.run_statement(count("t0"))[1][0].tolist() == [3]
    session.close()
    session.close()


FORBIDDEN = (
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM read_parquet('http://127.0.0.1:9/x.parquet')",
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "COPY (SELECT 1 AS x) TO '{parquet}' (FORMAT parquet)",
    "ATTACH '{folder}/other.db'",
    "EXPORT DATABASE '{folder}/all'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET threads = 4",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET allowed_paths",
    "SELECT * FROM planted",
)


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_statements_reach_no_other_files_or_settings(statement: str, parquet: Path) -> None:
    planted = pa.table({"x": [1]})  # a table must not be found among Python's variables
    session = DuckDBSession([parquet], EngineLimits())
    before = parquet.read_bytes()
    sql = statement.format(folder=parquet.parent, parquet=str(parquet).replace("'", "''"))
    with pytest.raises(duckdb.Error):
        session.run_statement(Statement(sql, (), ()))
    session.close()
    assert planted.num_rows == 1
    assert parquet.read_bytes() == before
    assert list(parquet.parent.iterdir()) == [parquet]


def test_settings_stay_locked() -> None:
    session = DuckDBSession([], EngineLimits(threads=1, memory=123_000_000))
    names = (
        "threads",
        "enable_external_access",
        "lock_configuration",
        "temp_directory",
        "TimeZone",
        "python_enable_replacements",
    )
    sql = "SELECT " + ", ".join(f"current_setting('{name}')::VARCHAR" for name in names)
    (found,) = session._connection.execute(sql).fetchall()
    session.close()
    assert found == ("1", "false", "true", "", "UTC", "false")


def test_memory_is_limited(parquet: Path) -> None:
    session = DuckDBSession([], EngineLimits(threads=1, memory=20_000_000))
    with pytest.raises(duckdb.Error):
        session.run_statement(
            Statement(
                "SELECT COUNT(*) FROM (SELECT hash(i) h, COUNT(*) FROM range(5000000) t(i) GROUP"
                " BY h)",
                (),
                (False,),
            )
        )
    session.close()


def test_several_threads_may_ask_at_once() -> None:
    session = DuckDBSession([], EngineLimits())
    session.attach_object("t0", pa.table({"x": list(range(1000))}))
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda _: session.run_statement(count("t0"))[1][0].tolist(), range(20))
        )
    session.close()
    assert found == [[1000]] * 20


def test_keys_keep_their_type_and_missing_keys_are_none() -> None:
    first, last = (
        "true, 7, -0.5, 'é', DATE '0001-01-01'",
        "false, -9223372036854775808, 1e300, '', DATE '9999-12-31'",
    )
    lines = f"({first}), (NULL, NULL, NULL, NULL, NULL), ({last})"
    session = DuckDBSession([], EngineLimits())
    keys, (number,) = session.run_statement(
        Statement(
            f"SELECT *, 5 FROM (VALUES {lines})",
            ("boolean", "integer", "real", "text", "date"),
            (False,),
        )
    )
    session.close()
    assert keys == [
        [True, None, False],
        [7, None, -(2**63)],
        [-0.5, None, 1e300],
        ["é", None, ""],
        [date.min, None, date.max],
    ]
    assert [{type(value) for value in column if value is not None} for column in keys] == [
        {bool},
        {int},
        {float},
        {str},
        {date},
    ]
    assert number.tolist() == [5, 5, 5]


def test_an_answer_may_have_no_rows() -> None:
    session = DuckDBSession([], EngineLimits())
    keys, numbers = session.run_statement(
        Statement("SELECT 'a' AS k, 1 AS n, '1' AS w WHERE false", ("text",), (False, True))
    )
    session.close()
    assert (keys, [column.tolist() for column in numbers]) == ([[]], [[], []])


def test_nothing_about_a_csv_file_is_guessed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('\ufeffa,"b ""c""",d\n1;2,"x, y",\n"",NULL,"line\nbreak"\n', encoding="utf-8")
    session = DuckDBSession([path], EngineLimits())
    assert session.attach_file("t0", path).columns == (
        ("a", "VARCHAR"),
        ('b "c"', "VARCHAR"),
        ("d", "VARCHAR"),
    )
    keys, _ = session.run_statement(Statement('SELECT * FROM "t0"', ("text", "text", "text"), ()))
    session.close()
    assert keys == [["1;2", ""], ["x, y", "NULL"], [None, "line\nbreak"]]


@pytest.mark.parametrize("first", ["", "a,,b", "a,b,A", '"a', "a,\udcff"])
def test_the_first_line_names_every_column(first: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(first.encode("utf-8", "surrogateescape") + b"\n1,2,3\n" * bool(first))
    session = DuckDBSession([path], EngineLimits())
    with pytest.raises(SourceError, match="first line"):
        session.attach_file("t0", path)
    session.close()


@pytest.mark.parametrize("names", [["uid", "UID"], ["x", "x"], ["x", "y", "X"]])
def test_names_that_differ_in_case_alone_are_refused(names: list[str], tmp_path: Path) -> None:
    table, path = pa.table([[1]] * len(names), names=names), tmp_path / "t.parquet"
    pq.write_table(table, path)
    session = DuckDBSession([path], EngineLimits())
    with pytest.raises(SourceError, match="same name, apart from upper and lower case"):
        session.attach_object("t0", table)
    with pytest.raises(SourceError, match="same name, apart from upper and lower case"):
        session.attach_file("t1", path)
    session.close()


def test_no_progress_bar_is_printed_among_the_answers() -> None:
    session = DuckDBSession([], EngineLimits())
    try:
        assert session._connection.cursor().execute(
            "SELECT current_setting('enable_progress_bar')"
        ).fetchall() == [(False,)]
    finally:
        session.close()


# DuckDB takes this for a notebook without ipywidgets, where it refuses to set the bar.
NOTEBOOK = """
import sys, types
sys.modules["IPython"] = module = types.ModuleType("IPython")
module.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.duckdb.session import DuckDBSession
DuckDBSession([], EngineLimits()).close()
"""


def test_a_notebook_needs_no_widgets() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def bits(session: DuckDBSession) -> int:
    """Up to how many bits an id may have to be a place in an array, where a statement groups all
    by their ids; elsewhere it is as ever.
    """
    told = Statement("SELECT CAST(current_setting('perfect_ht_threshold') AS BIGINT)", (), (False,))
    usual, large = (
        int(session.run_statement(one)[1][0][0]) for one in (told, told._replace(by_unit=True))
    )
    session.close()
    assert usual == 12
    return large


def test_arrays_of_ids_grow_with_the_rows_that_each_thread_has(
    parquet: Path, tmp_path: Path
) -> None:
    assert bits(DuckDBSession([parquet], EngineLimits(threads=1))) == 12  # as ever
    assert bits(DuckDBSession([], EngineLimits(threads=1), rows=10**6)) == 17
    assert bits(DuckDBSession([], EngineLimits(threads=8), rows=10**6)) == 14
    assert bits(DuckDBSession([], EngineLimits(threads=1, memory=2**40), rows=10**12)) == 24
    # 2 x 2^17 places of 512 bytes: a seventh of it
    assert bits(DuckDBSession([], EngineLimits(threads=2, memory=10**9), rows=10**12)) == 17
    (text := tmp_path / "x.csv").write_text("x\n" + "1\n" * 2**20)
    pq.write_table(pa.table({"x": range(2**15)}), large := tmp_path / "large.parquet")
    # of two bytes each, which pass for 2^15 lines
    assert bits(DuckDBSession([text], EngineLimits(threads=1))) == 13
    assert bits(DuckDBSession([large], EngineLimits(threads=1))) == 13
    assert bits(DuckDBSession([large, text], EngineLimits(threads=1))) == 14


def test_the_size_of_arrays_is_locked_and_needs_no_sound_file(
    parquet: Path, tmp_path: Path
) -> None:
    (broken := tmp_path / "broken.parquet").write_text("no")
    assert (
        bits(
            DuckDBSession(
                [broken, tmp_path / "absent.parquet", tmp_path / "absent.csv"], EngineLimits()
            )
        )
        == 12
    )
    session = DuckDBSession([parquet], EngineLimits())
    with pytest.raises(duckdb.InvalidInputException, match="lock"):
        session._connection.execute("SET perfect_ht_threshold = 30")
    session.close()


def test_an_interrupted_statement_does_not_block_the_next() -> None:
    session = DuckDBSession([], EngineLimits(threads=1))
    broken = Statement(
        "SELECT 1 // CAST(CASE WHEN i = 99999 THEN 'x' ELSE '1' END AS INT) FROM range(100000)"
        " t(i)",
        (),
        (False,),
        None,
        True,
    )
    for _ in range(2):
        with pytest.raises(duckdb.Error):
            session.run_statement(broken)
        assert session.run_statement(Statement("SELECT 7", (), (False,), None, True))[1][
            0
        ].tolist() == [7]
    session.close()


def test_arrays_and_hash_tables_return_the_same_cells() -> None:
    frame = pa.table({"u": [3, 3, None, 70_000, -5, 3], "x": [1, 2, 4, 8, 16, 32]})
    question = Statement(
        "SELECT u, COUNT(*), SUM(x)::BIGINT FROM t0 GROUP BY u ORDER BY u NULLS FIRST",
        ("integer",),
        (False, False),
    )
    found = []
    for rows in (0, 10**7):
        session = DuckDBSession([], EngineLimits(threads=2), rows)
        session.attach_object("t0", frame)
        keys, numbers = session.run_statement(question._replace(by_unit=rows > 0))
        found.append((list(keys[0]), [column.tolist() for column in numbers]))
        session.close()
    assert found[0] == found[1] == ([None, -5, 3, 70_000], [[1, 1, 3, 1], [4, 16, 35, 8]])
