"""Text of an analyst reaches an engine only as a quoted value: every text in every tree is changed
to a sentinel, and the sentinel is searched for outside quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot import exp

from engines.helpers_visits import question, visits
from hedgerow.engines.compile import contingency as crossing
from hedgerow.engines.compile import plan as compiling
from hedgerow.engines.compile.column_casts import StoredColumn
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.sql_writer import find_unsafe_leaves, render_sql
from hedgerow.engines.compile.stored_tables import StoredTable
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.errors import HedgerowError, InvalidArgument
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.schema import Schema
from hedgerow.sql.public_tables import phrases
from hedgerow.sql.public_tables.query_reader import QueryReader
from hedgerow.sql.public_tables.statement import read_public_query
from house import engine_text
from sql.helpers_fixtures import CATALOG, HERE, ask, pairs
from sql.helpers_hostile_statements import CATALOG as PUBLIC

SRC = Path(__file__).parents[2] / "src" / "hedgerow"
SENTINEL = "zqx\"'); COPY zqx --\n"
# A question for every class of nodes that is read of public tables.
READ = (
    (
        "WITH RECURSIVE w(a) AS MATERIALIZED (SELECT k FROM r) SELECT DISTINCT r.*, w.a AS b FROM r"
        " LEFT JOIN w ON r.k = w.a NATURAL JOIN s CROSS JOIN (SELECT 1) AS q(z) WHERE n IN (1, 2)"
        " GROUP BY ALL HAVING COUNT(*) > 1 ORDER BY 1 DESC NULLS FIRST LIMIT 2 OFFSET 1"
    ),
    (
        "SELECT * EXCLUDE (k) REPLACE (1 AS n) FROM r UNION ALL BY NAME (SELECT * RENAME (n AS m)"
        " FROM r ORDER BY ALL)"
    ),
    (
        "SELECT EXTRACT(year FROM day), EXTRACT('month' FROM day), YEAR(day), MONTH(day), DAY(day),"
        " CAST(n AS TEXT), TRY_CAST(k AS INT) FROM r"
    ),
    (
        "SELECT TRIM(LEADING 'a' FROM k), LOWER(k), UPPER(k), LENGTH(k), SUBSTRING(k, 1, 2),"
        " CONCAT(k, 'b'), k || 'c', hash(k) FROM r"
    ),
    "SELECT n + 1 - 2 * 3 / 4 % 5, -n, (n), 1.5e3, ABS(n), SQRT(x), LN(x), ROUND(x, 1) FROM r",
    "SELECT FLOOR(x), CEIL(x), LEAST(n, 1), GREATEST(n, 1) FROM r",
    (
        "SELECT CASE n WHEN 1 THEN 2 ELSE 3 END, IF(n > 1, 2, 3), COALESCE(n, 1), NULLIF(n, 1),"
        " NULL, TRUE FROM r"
    ),
    "SELECT n FROM r WHERE NOT n = 1 AND n <> 2 OR n < 3",
    "SELECT n FROM r WHERE n IS DISTINCT FROM 1 OR n IS NOT DISTINCT FROM 2",
    (
        "SELECT n FROM r WHERE n <= 1 AND n >= 2 AND n BETWEEN 1 AND 2 AND k LIKE 'a' AND k ILIKE"
        " 'b' AND k IS NULL AND n IN (SELECT n FROM s)"
    ),
    (
        "SELECT SUM(n), AVG(n), MIN(n), MAX(n), MEDIAN(n), QUANTILE(n, 0.5), MODE(n), VAR_POP(n),"
        " VARIANCE(n), STDDEV_POP(n), STDDEV(n) FROM r"
    ),
    (
        "SELECT STDDEV_SAMP(n), CORR(n, x), COVAR_POP(n, x), COVAR_SAMP(n, x), COUNT(DISTINCT n),"
        " COUNT(*) FILTER (WHERE n > 1), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY n) FROM r"
    ),
    "SELECT POWER(n, 2), EXP(n), SIGN(n), LOG(n), LOG(2, n), PI(), n // 2 FROM r",
    (
        "SELECT ROW_NUMBER() OVER (PARTITION BY k ORDER BY n DESC), RANK() OVER (ORDER BY n),"
        " DENSE_RANK() OVER (ORDER BY n), PERCENT_RANK() OVER (ORDER BY n), CUME_DIST() OVER"
        " (ORDER BY n), NTILE(4) OVER (ORDER BY n), LAG(n, 1, 0) OVER (ORDER BY n), LEAD(n) OVER"
        " (ORDER BY n) FROM r QUALIFY ROW_NUMBER() OVER (ORDER BY n) < 3"
    ),
    (
        "SELECT FIRST_VALUE(n) OVER (ORDER BY n), LAST_VALUE(n) OVER (ORDER BY n), NTH_VALUE(n, 2)"
        " OVER (ORDER BY n), SUM(n) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND UNBOUNDED"
        " FOLLOWING), AVG(n) OVER (ORDER BY n RANGE UNBOUNDED PRECEDING) FROM r"
    ),
    (
        "SELECT ANY_VALUE(k), FIRST(k), BOOL_AND(n > 1), BOOL_OR(n > 1), COUNT_IF(n > 1),"
        " SKEWNESS(n), KURTOSIS(n), ARG_MAX(k, n), ARG_MIN(k, n), REGR_SLOPE(n, x),"
        " REGR_INTERCEPT(n, x), STRING_AGG(k, ', '), GROUPING(k) FROM r GROUP BY ROLLUP (k)"
    ),
    (
        "SELECT TRUNC(x), LEFT(k, 1), RIGHT(k, 1), REPLACE(k, 'a', 'b'), STARTS_WITH(k, 'a'),"
        " CONTAINS(k, 'a'), STRPOS(k, 'a'), REVERSE(k), LPAD(k, 3, ' '), QUARTER(day),"
        " DAYNAME(day), MONTHNAME(day), DATE_TRUNC('month', day),"
        " DATE_TRUNC('month', CAST(day AS DATE)), day + INTERVAL 3 DAY,"
        " CAST(n AS DECIMAL(9, 2)) FROM r WHERE n > ALL (SELECT n FROM s) OR n = ANY (SELECT n"
        " FROM s)"
    ),
    (
        "SELECT SIN(x), COS(x), TAN(x), ASIN(x), ACOS(x), ATAN(x), SINH(x), COSH(x), TANH(x),"
        " ASINH(x), ACOSH(x), ATANH(x), DEGREES(x), RADIANS(x), CBRT(x), LAST_DAY(day), WEEK(day),"
        " EPOCH(day), STRFTIME(day, '%Y'), SPLIT_PART(k, 'a', 1), CONCAT_WS('a', k, 'b') FROM r"
    ),
    (
        "SELECT k FROM r WHERE EXISTS (SELECT 1 FROM s) INTERSECT SELECT k FROM r EXCEPT SELECT k"
        " FROM s"
    ),
)


def test_text_goes_to_engines_only_in_listed_places() -> None:
    assert engine_text.unlisted(SRC) == []


@pytest.mark.parametrize(
    "planted",
    [
        "def f(tree): return tree.sql(dialect='duckdb')",
        "def f(tree): return tree.sql()",
        "import duckdb",
        "def f():\n    from duckdb import connect",
        "def f(child, text): child.store_query('answer', text)",
        "def f(text): return Statement(text, (), ())",
        'def f(text): return text.replace("\'", "\'\'")',
        "def f(name): return name.replace('\"', '\"\"')",
    ],
)
def test_an_unlisted_place_is_found(planted: str, tmp_path: Path) -> None:
    file = tmp_path / "database" / "new.py"
    file.parent.mkdir()
    file.write_text(planted)
    assert len(engine_text.unlisted(tmp_path)) == 1


def outside_quotes(sql: str) -> str:
    """What is left when values and names are taken out."""
    return re.sub("'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", " ", sql)


def leaves(tree: exp.Expr) -> Iterator[tuple[exp.Expr, str]]:
    """Every place of a tree where a text, or a word of the parser's, stands."""
    for node in tree.walk():
        for part, value in node.args.items():
            if isinstance(value, str):
                yield node, part


@pytest.mark.parametrize("sql", READ)
def test_text_in_public_questions_is_looked_up_or_quoted(sql: str) -> None:
    """Each text of each node is changed, in turn, to one that would be SQL of its own."""
    asked = read_public_query(sql, PUBLIC)
    assert asked is not None
    changed = 0
    for node, part in list(leaves(asked.tree)):
        kept = node.args[part]
        node.args[part] = SENTINEL
        reader = QueryReader(asked.text, PUBLIC, "name")
        try:
            written = phrases.write_fragment(reader.read_query(asked.tree), reader.names)
        except HedgerowError:
            pass
        else:
            assert "zqx" not in outside_quotes(written), (type(node), part)
            assert isinstance(node, exp.Literal | exp.Identifier), (type(node), part)
            changed += 1
        node.args[part] = kept
    assert changed


@pytest.mark.parametrize("sql", READ)
def test_no_part_of_a_public_question_is_passed_on_verbatim(sql: str) -> None:
    """Each part that a node could have and has not is filled with a word, a tree, a flag."""
    asked = read_public_query(sql, PUBLIC)
    assert asked is not None
    for node in list(asked.tree.walk()):
        for part in node.arg_types:
            if node.args.get(part):
                continue
            before = dict(node.args)
            for value in (SENTINEL, exp.Var(this=SENTINEL), [exp.Var(this=SENTINEL)]):
                node.args[part] = value
                reader = QueryReader(asked.text, PUBLIC, "name")
                try:
                    written = phrases.write_fragment(reader.read_query(asked.tree), reader.names)
                except (HedgerowError, TypeError):  # no parser puts such things there
                    continue
                finally:
                    node.args.clear()
                    node.args.update(before)
                assert "zqx" not in written, (type(node), part)


def test_every_class_that_is_read_is_walked() -> None:
    from hedgerow.sql.public_tables.query_reader import EXPRESSION_RULES

    walked: set[type] = set()
    for sql in READ:
        asked = read_public_query(sql, PUBLIC)
        assert asked is not None
        walked |= {type(node) for node in asked.tree.walk()}
    assert set(EXPRESSION_RULES) <= walked


def trees(monkeypatch: pytest.MonkeyPatch) -> Iterator[exp.Expr]:
    """The trees of every question that the fixtures ask, as they are about to be written."""
    caught: list[exp.Expr] = []

    def catch(tree: exp.Expr, dialect: Dialect) -> str:
        caught.append(tree)
        return render_sql(tree.copy(), dialect)

    monkeypatch.setattr(compiling, "render_sql", catch)
    monkeypatch.setattr(crossing, "render_sql", catch)
    shelves = {name: _shelf(entry.schema) for name, entry in CATALOG.tables.items()}
    for file in sorted(HERE.glob("*.sql")):
        if "__refused" not in file.name:
            for sql, _ in pairs(file.stem):
                compile_plan(ask(sql).plan, shelves, DUCKDB)
                yield from caught
                caught.clear()
    crossed = question(domain=(), caps=(1, 1), measures=(Contingency((("age", 3),)),))
    compile_plan(crossed, {"visits": _shelf(visits()["visits"].schema)}, DUCKDB)
    yield from caught


def _shelf(schema: Schema) -> StoredTable:
    stored = {
        column.name: StoredColumn(SENTINEL + column.name, column.type) for column in schema.columns
    }
    unit = None if schema.unit in (None, "row") else StoredColumn(SENTINEL, "integer")
    return StoredTable(f"t {schema.table}", stored, unit)


@pytest.mark.long
def test_text_in_protected_questions_is_a_value_or_a_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Stored columns have hostile names here. Where a text of a tree is changed, it is quoted or
    not written.
    """
    seen: dict[tuple[type, str], set[str]] = {}
    for tree in trees(monkeypatch):
        assert "zqx" not in outside_quotes(render_sql(tree.copy(), DUCKDB))
        for node, part in leaves(tree):
            key, text = (type(node), part), str(node.args[part])
            if key in seen and (text in seen[key] or len(seen[key]) > 20):
                continue
            seen.setdefault(key, set()).add(text)
            kept = node.args[part]
            node.args[part] = SENTINEL
            try:
                assert "zqx" not in outside_quotes(render_sql(node.copy(), DUCKDB)), key
            except InvalidArgument:
                assert list(find_unsafe_leaves(node, DUCKDB.functions))
            node.args[part] = kept
    expected = {
        (exp.Identifier, "this"),
        (exp.Literal, "this"),
        (exp.Anonymous, "this"),
        (exp.Join, "kind"),
        (exp.Join, "side"),
    }
    assert set(seen) == expected
