"""The page loads nothing and runs nothing, escapes its text, and folds long tables."""

from __future__ import annotations

from hedgerow.charts.html_page import Figure, PageSection, render_page


def test_long_tables_fold_and_short_ones_stand_open() -> None:
    def shown(rows: int, drawing: str) -> str:
        figure = Figure(
            "c",
            drawing,
            ("a", "b"),
            tuple((f"x{i}", str(i)) for i in range(rows)),
            "more elsewhere",
            "a note",
        )
        return render_page(
            "T & U",
            "lead <",
            [("fact", "value >")],
            [PageSection("H", ("words",), code="a < b", figures=(figure,))],
            "foot",
        )

    assert "<details>" in shown(50, "<svg></svg>")
    assert "<details>" not in shown(5, "<svg></svg>")
    assert shown(5, "").index("x4") < shown(5, "").index("a note")
    assert shown(5, "<svg></svg>").index("a note") < shown(5, "<svg></svg>").index("x4")
    assert "<title>T &amp; U</title>" in shown(1, "")
    assert 'class="n"' in shown(1, "")


def test_a_page_loads_itself_again_only_if_asked() -> None:
    assert '<meta http-equiv="refresh" content="10">' in render_page(
        "T", "", [], [], refresh_seconds=10
    )
    plain = render_page("T", "", [], [])
    assert "refresh" not in plain
    assert "<dl>" not in plain
    assert "<footer>" not in plain
    assert "default-src 'none'" in plain


def test_percentages_are_aligned_like_numbers_and_words_are_not() -> None:
    rows = (("1", "47.4 %", "3–5"), ("2", "under 0.1 %", "over 100"))
    page = render_page("T", "", [], [PageSection("H", headers=("a", "b", "c"), rows=rows)])
    assert '<td class="n">under 0.1 %</td>' in page
    assert "<td>over 100</td>" in page
