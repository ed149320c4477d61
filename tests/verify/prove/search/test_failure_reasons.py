"""The reason of a failure, in one sentence."""

from __future__ import annotations

from hedgerow.verify.language.program import NOWHERE, If, Output, While, walk_statements
from hedgerow.verify.prove.search.failure_reasons import explain_failure
from hedgerow.verify.prove.search.trace_runs import TraceNeed
from verify.prove.proving import shipped


def test_leaks_are_reported_before_costs() -> None:
    about = shipped()["above_threshold"]
    places = {type(one): one.place for one in walk_statements(about.body)}
    cost = TraceNeed("cost", NOWHERE, False)
    assert (
        explain_failure(about, [cost, TraceNeed("branch", places[If], False)]).reason
        == "threshold <= q[i] + noise2 may hold for one neighbour and not for the other; hiding it"
        " costs more than eps"
    )
    assert (
        explain_failure(about, [TraceNeed("output", places[Output], False)]).reason
        == "the output False differs between neighbours; no shift of the noise hides it"
    )
    assert (
        "the loop may go on"
        in explain_failure(about, [TraceNeed("loop", places[While], False)]).reason
    )
    assert (
        "cannot be shifted" in explain_failure(about, [TraceNeed("support", NOWHERE, False)]).reason
    )
    assert explain_failure(about, [cost]).reason.startswith(
        "all noise together costs more than the claim"
    )
    silent = shipped()["bad_sum_without_noise"]
    assert explain_failure(
        silent, [TraceNeed("output", silent.body[-1].place, False)]
    ).reason.endswith("no noise hides it")
