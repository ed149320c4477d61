"""Calls whose texts and moments are where functions differ, for three readers."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

_URLS = (
    *("", " ", "a", "a.b", "a.b.c", ".", "..", "  a.b ", "a\nb.c", "ä.ö", "a|b*c", "\\", None),
    *("12", " -7 ", "1e3", "4.5", "2024-02-29", "2023-02-29", "2024-02-29 10:30:05", "x", "0"),
)
_DAYS = (
    *(date(2020, 12, 31), date(2021, 1, 1), date(2021, 1, 3), date(2021, 1, 4)),
    *(date(2024, 2, 29), date(2026, 6, 30), date(1999, 12, 31), date(2000, 1, 1), None),
    *(date(1, 1, 1), date(800, 7, 1), date(2026, 8, 2), date(2027, 12, 26)),
)
_TIMES = (
    *(datetime(1969, 12, 31, 23, 59, 59), datetime(1970, 1, 1), datetime(2026, 7, 5, 9, 3, 7)),
    *(datetime(2024, 12, 30, 0, 0, 1), None, datetime(2038, 1, 19, 3, 14, 7)),
)


def list_calls() -> list[dict[str, Any]]:
    """Return one call for each patient."""
    return [
        {
            "patient_id": n,
            "at": datetime(2026, 7, 1 + n % 31, n % 24, 7 * n % 60, 11 * n % 60),
            "booked": _TIMES[n % len(_TIMES)],
            "day": _DAYS[n % len(_DAYS)],
            "seconds": 37 * n % 3601,
            "url": _URLS[n % len(_URLS)],
        }
        for n in range(130)
    ]
