"""All bounds at the ends of what can be declared, under every noise and both relations."""

from __future__ import annotations

from datetime import date

import pytest

from database.attacks.test_extremes import ABOUT_DATES, COLUMNS, DATES, ENDS, QUESTIONS, ask_all

pytestmark = pytest.mark.slow
NOISES = ("laplace", "gaussian", "best")


@pytest.mark.parametrize("named", COLUMNS)
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("neighbours", ["add-remove", "change-one"])
def test_numbers(named: str, noise: str, neighbours: str) -> None:
    column = COLUMNS[named]
    found = ask_all(column, ENDS[column["type"]], QUESTIONS, neighbours=neighbours, noise=noise)
    assert found["SELECT COUNT(x) AS v FROM data"]
    assert found["SELECT VAR_POP(x) AS v FROM data"] == (named not in ("no bounds", "huge", "tiny"))


@pytest.mark.parametrize("named", DATES)
@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("neighbours", ["add-remove", "change-one"])
def test_dates(named: str, noise: str, neighbours: str) -> None:
    ends = [date(1, 1, 1), date(9999, 12, 31), date(2000, 1, 1), date(2000, 1, 1)]
    found = ask_all(DATES[named], ends, ABOUT_DATES, neighbours=neighbours, noise=noise)
    assert found["SELECT x AS k, COUNT(*) AS v FROM data GROUP BY x"]
