"""Texts and stored values in all spellings, and what each is when it is read as a type."""

from __future__ import annotations

import math
import random
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa

from engines.helpers_worlds import POOLS, dates, timestamps

NUMBERS = (
    *(
        "0",
        "1",
        "-1",
        "+7",
        " 42 ",
        "\t3\n",
        "\u00a05\u2003",
        "1.5",
        "2.5",
        "-2.5",
        "0.49999999999999994",
        "0.5",
        "-0.5",
        ".5",
        "5.",
        ".",
        "-.5e1",
    ),
    *(
        "1e3",
        "1E3",
        "12e-1",
        "15e-1",
        "1e-1",
        "1e18",
        "1e19",
        "1e400",
        "-1e400",
        "1e-400",
        "1e999999999",
        "1e-999999999",
        "1e9999999999",
        "4.9e-1",
    ),
    *(
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "9223372036854775807.4",
        "9223372036854775807.5",
    ),
    *(
        "0x10",
        "1_000",
        "1,000",
        "１",
        "",
        " ",
        "abc",
        "nan",
        "NaN",
        "inf",
        "-inf",
        "+inf",
        "Infinity",
        "-INFINITY",
        "infinit",
        "1e",
        "e1",
        "--1",
        "true",
    ),
    *(
        "00012",
        "123456789012345678901234567890",
        "0.1",
        "0.30000000000000004",
        "1.7976931348623157e308",
        "4.9e-324",
        "2.4703282292062328e-324",
    ),
    *(
        "99999999999999999.5",
        "1.49999999999999999999999",
        "0.500000000000000000000001",
        "449e-3",
        "1234567890123456789e-1",
        "25e-1",
        "0.000000005e8",
    ),
    # More digits before a power of ten than 64 bits, or even 128, can hold.
    *(
        "36883201200646368227230173635e-26",
        "10000000000000000025e-1",
        "-46116860184273879035e-1",
        "92233720368547758074e-1",
        "92233720368547758075e-1",
        "-.49999999999999999999e19",
        "+01.9999999999999999999E+18",
        "1" + "0" * 60 + "e-58",
        "-15" + "0" * 400 + "e-401",
        "." + "0" * 400 + "25e402",
        "4" + "9" * 50 + "e-51",
        "1e-99999",
        "0e99999",
        "0.0e-99999",
    ),
)


def spelling(draw: random.Random) -> str:
    """Any number as it may be written, many of them near halves and the ends of 64 bits."""

    def digits(most: int) -> str:
        count, kind = draw.choice([0, 1, 2, 5, 18, 19, 20, 39, most]), draw.randrange(4)
        written = [
            str(draw.randrange(10**count)),
            "4" + "9" * count,
            "5" + "0" * count,
            "0" * count + draw.choice("159"),
        ]
        return written[kind] if count else ""

    before, after = digits(60), digits(310)
    mantissa = (
        draw.choice(["", "-", "+"])
        + (before or ("" if after else "7"))
        + ("." + after if after or draw.randrange(5) == 0 else "")
    )
    power = draw.choice(
        [-len(before), len(after), 19 - len(before), 0, -99_999, 99_999]
    ) + draw.randrange(-2, 3)
    return mantissa + (
        ""
        if draw.randrange(4) == 0
        else draw.choice("eE") + draw.choice(["", "+"] if power >= 0 else [""]) + str(power)
    )


DAYS = (
    *(
        "2024-05-17",
        "2024-5-7",
        " 2024-05-17 ",
        "2024-05-17 10:11:12",
        "2024-05-17T23:59:59",
        "2024-05-17junk",
        "2024-02-30",
        "2023-02-29",
        "2000-02-29",
    ),
    *(
        "0001-01-01",
        "0000-01-01",
        "0000-13-01",
        "9999-12-31",
        "10000-01-01",
        "12345-02-30",
        "999999999-12-31",
        "9999999999-01-01",
        "infinity",
        "-infinity",
    ),
    *(
        "Infinity",
        "inf",
        "epoch",
        "20240517",
        "2024/05/17",
        "17-05-2024",
        "5-1-1",
        "000002024-05-17",
        "-2024-05-17",
        "0044-03-15 (BC)",
        "",
        "x",
        "2024-00-10",
    ),
    *(
        "2024-05-17 ",
        "2024-05-17\n10:00",
        "2024-05-17 + 1",
        "2024-1-32",
        "0004-02-29",
        "12344-02-29",
    ),
)


TIMES = (
    "2024-05-17 10:11:12.5",
    "2024-05-17 10:11:12.123456789",
    "2024-05-17 10:11:12.1234567890",
    "2024-05-17T1:02",
    "2024-05-17 24:00:00",
    "2024-05-17 23:59:60",
    "2016-12-31 23:59:60",
    "2024-05-17 10:60:00",
    "2024-05-17 10:11:12Z",
    "2024-05-17 10:11:12+02:00",
    "2024-05-17 10:11:12 UTC",
    "2024-05-17  10:11:12",
    "2024-05-17 10",
    "2024-05-17T",
    "2024-02-30 10:11:12",
    "0001-01-01 00:00:00.000001",
    "9999-12-31 23:59:59.999999",
    "10000-01-01 05:00:00",
    "0000-05-05 10:00:00",
    " 2024-05-17 10:11:12 ",
    "10:11:12",
)


WORDS = (
    "true",
    "TRUE",
    "t",
    "yes",
    "Y",
    "1",
    "false",
    "f",
    "No",
    "n",
    "0",
    "on",
    "off",
    "2",
    " true",
    "",
    "truee",
    "ſ",
)


# Around the bounds 4, 2^40, 2^52 and 2^53 + 1, which no double is.
EDGES = (
    3.5,
    4.4,
    4.5,
    -3.4,
    -3.5,
    2.0**40 - 0.5,
    2.0**40 + 0.25,
    2.0**52 - 0.5,
    2.0**52,
    2.0**52 + 1,
    2.0**53,
    2.0**53 + 2,
    -(2.0**53) - 2,
)


WHOLE: list[object] = [2**63, 7, -(10**29), 2**40 + 1]


def stored(values: list[object], type_: pa.DataType | None = None) -> tuple[pa.Array, list[object]]:
    return pa.array(values, type_, from_pandas=False), values


STORED: dict[str, tuple[pa.Array, list[object]]] = {
    "boolean": (pa.array([True, False, None]), [True, False, None]),
    "integer": (pa.array(POOLS["integer"], pa.int64()), list(POOLS["integer"])),
    "small": (pa.array([-128, 127, None], pa.int8()), [-128, 127, None]),
    "unsigned": stored(
        [0, 2**64 - 1, 2**63, 2**40, 2**40 + 1, 2**52 + 1, 2**53 + 1, 2**53 + 2, None], pa.uint64()
    ),
    "real": (pa.array(POOLS["real"], pa.float64(), from_pandas=False), list(POOLS["real"])),
    "float": (
        pa.array([0.1, math.nan, -math.inf, 2.5], pa.float32()),
        [float(pa.scalar(0.1, pa.float32()).as_py()), math.nan, -math.inf, 2.5],
    ),
    "decimal": (
        pa.array([Decimal("2.5"), Decimal("-0.49"), None], pa.decimal128(10, 2)),
        [Decimal("2.5"), Decimal("-0.49"), None],
    ),
    "whole decimal": (pa.array(map(Decimal, WHOLE), pa.decimal128(30, 0)), WHOLE),
    "long decimal": stored(
        [
            Decimal("1e35"),
            Decimal("-1e35"),
            Decimal("3.5"),
            2**40 + Decimal("0.49"),
            2**40 + Decimal("0.5"),
            None,
        ],
        pa.decimal128(38, 2),
    ),
    "huge": stored(
        [
            1e300,
            -1e300,
            2.0**63,
            -(2.0**63),
            math.nextafter(2.0**63, 0),
            *EDGES,
            math.inf,
            -math.inf,
            math.nan,
            None,
        ]
    ),
    "text": (pa.array(POOLS["text"]), list(POOLS["text"])),
    "categories": (pa.array(["a", "b", None, "a"]).dictionary_encode(), ["a", "b", None, "a"]),
    "large text": (pa.array(["a", "b" * 50, None], pa.large_string()), ["a", "b" * 50, None]),
    "date": (dates(POOLS["date"]), list(POOLS["date"])),
    "timestamp": (timestamps(POOLS["timestamp"]), list(POOLS["timestamp"])),
    "moment": (
        pa.array([datetime(2024, 5, 17, 23, 59), None], pa.timestamp("ns")),
        [datetime(2024, 5, 17, 23, 59), None],
    ),
    "second": (
        pa.array([datetime(1, 1, 1), datetime(9999, 12, 31, 23)], pa.timestamp("s")),
        [datetime(1, 1, 1), datetime(9999, 12, 31, 23)],
    ),
    "zoned": (
        pa.array([datetime(2024, 5, 17, 23, 59)], pa.timestamp("us", "Asia/Tokyo")),
        [datetime(2024, 5, 17, 23, 59)],
    ),
    "zoned and fine": (
        pa.array([datetime(2024, 5, 17, 23, 59)], pa.timestamp("ns", "Asia/Tokyo")),
        [datetime(2024, 5, 17, 23, 59)],
    ),
    "millidate": (pa.array([date(2024, 5, 17), None], pa.date64()), [date(2024, 5, 17), None]),
}
