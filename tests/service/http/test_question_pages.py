from __future__ import annotations

import re

import pytest

from service.helpers_service import COUNT, HttpAnswer, RunningService
from service.http.test_analyst_pages import Browser


@pytest.fixture
def ana(running: RunningService) -> Browser:
    return Browser(running, "ana")


def test_the_first_page_tells_what_may_be_asked_and_what_is_left(ana: Browser) -> None:
    text = ana.get("/ask")
    for words in (
        "visits",
        "age",
        "integer, 0 to 110",
        "patients",
        "left",
        'placeholder="0.5"',
        "data-words=",
    ):
        assert words in text


def test_an_answer_shows_caveats_error_bars_and_the_same_for_other_tools(ana: Browser) -> None:
    status, text = ana.post("/ask", sql=COUNT, epsilon="0.5")
    assert status == 200
    assert text.index('class="caveats"') < text.index("<figure") < text.index("<table")
    assert 'class="whisker"' in text
    assert re.search(r"<td>north</td>", text)
    for tool in ("hr.remote(", "curl -H", "psql -h"):
        assert tool in text


def test_a_refusal_keeps_the_question_in_its_field(ana: Browser) -> None:
    status, text = ana.post("/ask", sql="SELECT * FROM visits -- <b>")
    assert status == 400
    assert "individual rows" in text
    assert "SELECT * FROM visits -- &lt;b&gt;" in text
    assert "<b>" not in text
    status, text = ana.post("/ask", sql=COUNT, epsilon="much")
    assert status == 422
    assert "must be a number" in text


def test_an_explanation_costs_nothing(ana: Browser) -> None:
    before = len(ana.running.service._database.ledger.entries())
    status, text = ana.post("/explain", sql="SELECT COUNT(*) FROM visits WHERE age < 51")
    assert status == 200
    assert "COUNT(*)" in text
    status, text = ana.post(
        "/ask", sql="EXPLAIN PRIVACY SELECT COUNT(*) FROM visits WHERE age < 51"
    )
    assert status == 200
    assert len(ana.running.service._database.ledger.entries()) == before


def test_the_preview_is_a_part_of_the_page_and_needs_the_secret(ana: Browser) -> None:
    body = {"sql": "SELECT COUNT(*) FROM visits WHERE age < 52", "error": "9"}
    for secret, status in ((ana.secret, 200), ("wrong", 403)):
        answer = preview(ana, body, secret)
        assert answer.status == status
    assert "html" not in preview(ana, body, ana.secret).text
    epsilon, error = re.findall(r'data-\w+="([\d.]+)"', preview(ana, body, ana.secret).text)
    assert float(error) <= 9
    back = preview(ana, {"sql": body["sql"], "epsilon": epsilon}, ana.secret).text
    assert f'data-epsilon="{epsilon}"' in back
    refusal = preview(ana, {"sql": "SELECT * FROM visits"}, ana.secret)
    assert "individual rows" in refusal.document["detail"]


def preview(browser: Browser, body: dict[str, str], secret: str) -> HttpAnswer:
    headers = {"X-Form-Secret": secret}
    return browser.running.request(
        "POST", "/preview", cookie=browser.cookie, body=body, headers=headers
    )


def test_an_expected_error_becomes_an_epsilon_without_scripts(ana: Browser) -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE age < 53"
    status, text = ana.post("/explain", sql=sql, error="9")
    assert status == 200
    assert re.search(r'name="epsilon" id="epsilon"[^>]* value="0\.\d+"', text)
    assert ana.post("/ask", sql=sql, error="9")[0] == 200
    assert ana.post("/ask", sql="SELECT MEDIAN(age) FROM visits", error="9")[0] == 400


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("csv", "text/csv; charset=utf-8"), ("arrow", "application/vnd.apache.arrow.stream")],
)
def test_a_download_is_a_stored_answer(ana: Browser, kind: str, media_type: str) -> None:
    ana.post("/ask", sql=COUNT, epsilon="0.5")
    form = {"form_secret": ana.secret, "sql": COUNT, "epsilon": "0.5", "format": kind}
    answer = ana.running.request("POST", "/download", cookie=ana.cookie, form=form)
    assert (answer.status, answer.headers["content-type"]) == (200, media_type)
    assert answer.headers["content-disposition"] == f'attachment; filename="answer.{kind}"'
    if kind == "csv":
        assert answer.text.startswith("region,n\r\nnorth,")
    new = form | {"sql": "SELECT COUNT(*) FROM visits WHERE age < 54"}
    refused = ana.running.request("POST", "/download", cookie=ana.cookie, form=new)
    assert refused.status == 400
    assert "not stored any more" in refused.text


def test_a_download_has_a_known_format(ana: Browser) -> None:
    ana.post("/ask", sql=COUNT, epsilon="0.5")
    assert ana.post("/download", sql=COUNT, epsilon="0.5", format="exe")[0] == 422


def test_questions_are_saved_and_deleted(ana: Browser) -> None:
    status, text = ana.post("/saved", name="my <count>", sql=COUNT, epsilon="0.5")
    assert (status, "Saved as my &lt;count&gt;." in text) == (200, True)
    assert "my &lt;count&gt;" in ana.get("/ask")
    assert "&amp;epsilon=0.5" in ana.get("/ask")
    assert ana.post("/saved/delete", name="my <count>")[0] == 303
    assert "my &lt;count&gt;" not in ana.get("/ask")
    status, text = ana.post("/saved", name="", sql=COUNT)
    assert status == 422
    assert "1 to 80 characters" in text
