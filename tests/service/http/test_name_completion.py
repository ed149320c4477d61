from __future__ import annotations

from typing import Any

from hedgerow.service.http.name_completion import list_completion_words, list_example_questions


def make_column(name: str, type_: str, **facts: Any) -> dict[str, Any]:
    base = {"name": name, "type": type_, "max": None, "value_count": None, "is_unit": False}
    return base | facts


TABLES = [
    {
        "name": "visits",
        "public": False,
        "columns": [
            make_column("patient", "integer", is_unit=True),
            make_column("age", "integer", max="110"),
            make_column("the region", "text", value_count=2),
            make_column("diagnosis", "text"),
        ],
    },
    {"name": "places", "public": True, "columns": [make_column("name", "text", value_count=3)]},
]


def test_names_are_completed_as_they_are_written() -> None:
    words = list_completion_words(TABLES)
    assert words["tables"] == {"visits": ["age", '"the region"', "diagnosis"], "places": ["name"]}
    assert "MEDIAN" in words["functions"]
    assert "GROUP" in words["keywords"]


def test_examples_count_by_declared_keys_of_protected_tables() -> None:
    assert list_example_questions(TABLES) == [
        'SELECT "the region", COUNT(*) AS n FROM visits GROUP BY "the region"',
        'SELECT "the region", COUNT(*) AS n, AVG(age) AS mean FROM visits GROUP BY "the region"',
    ]
    assert list_example_questions(TABLES[1:]) == []
