"""Expressions for the tests of errors, and the tables on which they raise: ``POISON`` has three
rows of one more person.
"""

from __future__ import annotations

import math
from datetime import date
from typing import Any

import pyarrow as pa

NAMES = ("id", "i", "k", "r", "t", "d", "b")
CALM: tuple[tuple[Any, ...], ...] = (
    (1, 5, 5, 2.5, "12", "2024-05-06", True),
    (2, 6, 6, 1.5, "7", "2023-01-31", False),
    (3, 7, 9, 0.5, "3", "2022-12-01", True),
)
POISON: tuple[tuple[Any, ...], ...] = (
    (4, 2**63 - 1, 2**31 - 1, math.inf, "not {a} number", "9999-12-31", None),
    (4, -(2**63), -(2**31), math.nan, "\\", "-infinity", None),
    (4, 0, 0, -1e308, "", "infinity", None),
)
_ENDLESS = {"infinity": 2**31 - 1, "-infinity": -(2**31) + 1}
_EPOCH = date(1970, 1, 1).toordinal()


def table(rows: tuple[tuple[Any, ...], ...]) -> pa.Table:
    """As Arrow has it, dates without an end included."""
    days = [_ENDLESS.get(row[5]) or date.fromisoformat(row[5]).toordinal() - _EPOCH for row in rows]
    types = (pa.int64(), pa.int64(), pa.int32(), pa.float64(), pa.string(), None, pa.bool_())
    arrays = [
        (
            pa.array(days, pa.int32()).view(pa.date32())
            if type_ is None
            else pa.array([row[n] for row in rows], type_, from_pandas=False)
        )
        for n, type_ in enumerate(types)
    ]
    return pa.table(dict(zip(NAMES, arrays, strict=True)))


# Plain DuckDB answers each of these on the calm table, and raises on the other.
RAISING = (
    "i + 1",
    "i - 2",
    "i * 2",
    "-i",
    "abs(i)",
    "i * i",
    "k * k",
    "k + 1",
    "k - 1",
    "-k",
    "abs(k)",
    "1 / (i - 9223372036854775807)",
    "i % (i - 9223372036854775807)",
    "1 // i",
    "sqrt(i - 6)",
    "factorial(k)",
    "k!",
    "i << 3",
    "1 << k",
    "CAST(i AS INTEGER)",
    "CAST(i AS SMALLINT)",
    "CAST(i AS TINYINT)",
    "CAST(i AS UTINYINT)",
    "CAST(i AS USMALLINT)",
    "CAST(i AS UINTEGER)",
    "CAST(i AS UBIGINT)",
    "CAST(i AS DECIMAL(6,2))",
    "CAST(k AS SMALLINT)",
    "CAST(k AS TINYINT)",
    "CAST(r AS BIGINT)",
    "CAST(r AS INTEGER)",
    "CAST(r AS DECIMAL(9,2))",
    "CAST(r AS FLOAT)",
    "CAST(r AS HUGEINT)",
    "CAST(r AS TINYINT)",
    "CAST(t AS INTEGER)",
    "CAST(t AS BIGINT)",
    "CAST(t AS DOUBLE)",
    "CAST(t AS DECIMAL(9,2))",
    "CAST(t AS HUGEINT)",
    "CAST(t AS TINYINT)",
    "t::INT",
    "CAST('2024-01-' || t AS DATE)",
    "CAST(concat('2024-01-01 ', t, ':00:00') AS TIMESTAMP)",
    "CAST(t || ':00:00' AS TIME)",
    "CAST(t || ' days' AS INTERVAL)",
    "CAST(CASE WHEN t IN ('12','7','3') THEN '1' ELSE t END AS BOOLEAN)",
    "CAST('[' || t || ']' AS INTEGER[])",
    "CAST('00000000-0000-0000-0000-00000000000' || left(t, 1) AS UUID)",
    "CAST('{\"a\": ' || t || '}' AS JSON)",
    "json_extract('{\"a\": ' || t || '}', '$.a')",
    "json_type(t)",
    "json_array_length('[' || t || ']')",
    "CAST(t AS ENUM('12', '7', '3'))",
    "unhex(t || left(t, length(t) % 2))",
    "from_hex('0' || t)",
    "'{\"x\":' || t || '}' ->> 'x'",
    "strptime(t, '%d')",
    "strptime('2024-' || t, '%Y-%m')",
    "make_date(2024, CAST(i AS INTEGER), 1)",
    "make_date(i, 1, 1)",
    "make_time(i, 0, 0)",
    "make_timestamp(i)",
    "make_timestamp(2024, i, 1, 0, 0, 0)",
    "d + k",
    "to_timestamp(r)",
    "epoch_ms(i)",
    "to_years(k)",
    "d + to_days(k)",
    "date_trunc(CASE WHEN t = '' THEN 'nonsense' ELSE 'day' END, d)",
    "CAST(d AS TIMESTAMP_NS)",
    "regexp_matches('x', t)",
    "regexp_replace('x', t, 'y')",
    "regexp_extract('x', t)",
    "'x' SIMILAR TO t",
    "t LIKE 'a' ESCAPE (CASE WHEN t = '' THEN 'xx' ELSE 'x' END)",
    "'a' LIKE t ESCAPE '\\'",
    "format(t, 1)",
    "format('{}' || t, 1)",
    "chr(k)",
    "chr(k + 1000000)",
    "repeat('x', i)",
    "substring('x', i)",
    "left('x', i)",
    "bar(r, 0, 1, k)",
    "list_resize([1], i)",
    "range(i)[1]",
    "struct_extract({'a': 1}, 'a') + i",
    "CASE WHEN b IS NULL THEN error('found') ELSE 1 END",
    "if(b IS NULL, error('found'), 1)",
    "(SELECT i FROM range(CASE WHEN b IS NULL THEN 2 ELSE 1 END))",
    "(SELECT x FROM (VALUES (1), (2)) AS v(x) WHERE b IS NULL OR x = 1)",
    "i = (SELECT id FROM data x WHERE x.id = data.id)",
    "i::HUGEINT * i::HUGEINT * i::HUGEINT",
    "CAST(i AS DECIMAL(38,0)) * 10000000000000000000000",
    "CAST(i AS DECIMAL(18,0)) * 10",
    "i + k + i",
    "decode(CAST(t AS BLOB))",
    "union_value(a := i).a + 1",
    "gcd(i, 0)",
    "lcm(i, i - 1)",
    "lcm(k, k - 1)",
    "CAST(round(r) AS BIGINT)",
    "CAST(floor(r) AS INTEGER)",
    "CAST(ceil(r) AS SMALLINT)",
    "greatest(i, 0) + 1",
    "nullif(i, 0) * 3",
    "coalesce(i, 0) + 1",
    "CASE WHEN i > 0 THEN i + 1 ELSE i - 1 END",
    "i + id",
    "(i * 1000) % 7",
    "year(d) * i",
    "month(d) + i",
    "length(repeat(t, 2)) + i",
    "CAST(i * 1.5 AS BIGINT)",
    "CAST(r * 2 AS INTEGER)",
    "CAST(ROUND(r) AS INTEGER)",
    "i * k * i",
)
# DuckDB of this version gives NULL, NaN or infinity here; others raise, and so do other engines.
QUIET = (
    "r * i + k",
    "FLOOR(1000000000 / (r + 9)) + i",
    "sqrt(r)",
    "sqrt(0 - i)",
    "ln(i)",
    "ln(r)",
    "log10(i)",
    "log2(i)",
    "acos(r)",
    "asin(i)",
    "atanh(i)",
    "gamma(i)",
    "pow(r, 10)",
    "exp(i)",
    "cot(i)",
    "d + INTERVAL 1 DAY",
    "d - k",
    "last_day(d)",
    "[1,2,3][k]",
    "MAP {'a': 1}[t]",
    "round(i, -18)",
    "round(k, -9)",
    "CAST(b AS INTEGER)",
    "i * 3 > 0",
    "(i + 1) BETWEEN 0 AND 9",
    "i / 0",
    "r / i",
    "i % k",
    "r * r",
    "1 / r",
    "FLOOR(r)",
    "CEIL(r / 3)",
    "ROUND(r, 2)",
    "CAST(i AS DOUBLE)",
    "YEAR(d)",
    "DATE_TRUNC('month', d)",
    "LEAST(r, i)",
    "COALESCE(r, i)",
    "NULLIF(r, 0.5)",
)
