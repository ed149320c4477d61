from __future__ import annotations

from hedgerow.service.metrics import Metrics


def test_counters_have_no_label_that_tells_a_question_or_an_analyst() -> None:
    metrics = Metrics()
    metrics.count_response("http", 200)
    metrics.count_response("http", 200)
    metrics.count_response("postgresql", 400)
    line = {"total": "3", "spent": "inf", "left": "0"}
    text = metrics.render(
        {
            "patients": {"epsilon": line, "rho": line, "delta": line},
            "staff": {"total": "1", "spent": "0.5", "left": "0.5"},
        }
    )
    assert 'hedgerow_responses_total{protocol="http",status="200"} 2\n' in text
    assert 'hedgerow_responses_total{protocol="postgresql",status="400"} 1\n' in text
    assert 'population="patients",currency="rho",which="spent"} +Inf' in text
    assert 'population="staff",currency="epsilon",which="left"} 0.5' in text
