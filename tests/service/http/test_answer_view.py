from __future__ import annotations

import ast
import re
import shlex

from hedgerow.answers.answer import Answer
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.service.http.answer_view import build_answer_page, list_charts, list_snippets
from service.helpers_service import COUNT, RunningService


def ask(running: RunningService, sql: str) -> Answer:
    answer = running.service.ask(running.service.find_caller(running.tokens["ana"]), sql)
    assert isinstance(answer, Answer)
    return answer


def test_a_page_has_values_intervals_caveats_and_a_chart(running: RunningService) -> None:
    page = build_answer_page(ask(running, COUNT))
    assert [column.name for column in page.columns] == ["region", "n"]
    assert [row[0][0] for row in page.rows] == ["north", "south"]
    assert all("…" in row[1][1] for row in page.rows)
    assert page.notes
    ((caption, drawing),) = page.charts
    assert caption == "n by region, with 95 % intervals"
    assert drawing.count('class="whisker"') == 2 * 2  # for wide screens and for phones
    assert page.hidden_rows == 0


def test_each_noisy_column_is_drawn_up_to_three(running: RunningService) -> None:
    sql = "SELECT region, COUNT(*) AS n, SUM(age) AS a, SUM(age) + 1 AS b, SUM(age) + 2 AS c"
    charts = list(list_charts(ask(running, f"{sql} FROM visits GROUP BY region")))
    assert [caption.split()[0] for caption, _ in charts] == ["n", "a", "b"]


def test_numbers_in_order_are_a_line_with_error_bars(running: RunningService) -> None:
    sql = "SELECT age, COUNT(*) AS n FROM visits WHERE age BETWEEN 20 AND 29 GROUP BY age"
    ((_, drawing),) = list_charts(ask(running, f"{sql} ORDER BY n"))
    assert 'class="line"' in drawing
    assert drawing.count('class="whisker"') == 2 * 10
    labels = re.findall(r'text-anchor="middle">(\d+)<', drawing)
    assert labels == 2 * [str(age) for age in range(20, 30)]


def test_nothing_is_drawn_without_keys_or_noise(running: RunningService) -> None:
    assert len(list(list_charts(ask(running, "SELECT COUNT(*) FROM visits")))) == 1
    both = "SELECT COUNT(*) AS n, SUM(age) AS s FROM visits"  # of different units
    assert list(list_charts(ask(running, both))) == []
    table = ExactTable({"k": "text"}, [{"k": "a"}])
    assert list(list_charts(table)) == []
    assert build_answer_page(table).is_free


def test_snippets_quote_whatever_the_question_holds() -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE region = 'it''s'"
    snippets = dict(list_snippets("http://h:8800", 5433, "clinic", "ana", sql, "0.5"))
    call = ast.parse(snippets["Python"]).body[-1]
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    assert ast.literal_eval(call.value.args[0]) == sql
    assert "hr.remote('http://h:8800', token=TOKEN)" in snippets["Python"]
    words = shlex.split(snippets["psql"])
    assert words[-1] == f"SET hedgerow.epsilon = 0.5; {sql}"
    assert words[words.index("-h") + 1] == "h"
