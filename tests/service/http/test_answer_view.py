from __future__ import annotations

import shlex

from hedgerow.answers.answer import Answer
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.service.http.answer_view import build_answer_page, draw_answer, list_snippets
from service.helpers_service import COUNT, RunningService


def ask(running: RunningService, sql: str) -> Answer:
    answer = running.service.ask(running.service.find_caller(running.tokens["ana"]), sql)
    assert isinstance(answer, Answer)
    return answer


def test_a_page_has_values_intervals_caveats_and_a_chart(running: RunningService) -> None:
    page = build_answer_page(ask(running, COUNT))
    assert page.columns == ("region", "n")
    assert [row[0][0] for row in page.rows] == ["north", "south"]
    assert all("…" in row[1][1] for row in page.rows)
    assert page.notes
    assert page.chart.startswith("<svg")
    assert page.hidden_rows == 0


def test_nothing_is_drawn_without_keys_or_noise(running: RunningService) -> None:
    assert draw_answer(ask(running, "SELECT COUNT(*) FROM visits")) == ""
    table = ExactTable({"k": "text"}, [{"k": "a"}])
    assert draw_answer(table) == ""
    assert build_answer_page(table).is_free


def test_snippets_quote_whatever_the_question_holds() -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE region = 'it''s'"
    snippets = dict(list_snippets("http://h:8800", 5433, "clinic", "ana", sql, "0.5"))
    first, second = snippets["Python"].split("execute(")[1:]
    assert eval(first.split(")\n")[0]) == "SET hedgerow.epsilon = 0.5"
    assert eval(second.removesuffix(").fetchall()")) == sql
    compile(snippets["Python"], "snippet", "exec")
    words = shlex.split(snippets["psql"])
    assert words[-1] == f"SET hedgerow.epsilon = 0.5; {sql}"
    assert "-h" in words
