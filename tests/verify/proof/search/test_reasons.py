"""One sentence."""

from __future__ import annotations

from hedgerow.verify.language.program import NOWHERE, If, Output, While, statements
from hedgerow.verify.proof.search.reasons import reason
from hedgerow.verify.proof.search.runs import Need
from verify.proof.proving import shipped


def test_what_leaks_stands_before_what_it_costs() -> None:
    about = shipped()["above_threshold"]
    places = {type(one): one.place for one in statements(about.body)}
    cost = Need("cost", NOWHERE, False)
    assert reason(about, [cost, Need("branch", places[If], False)]).reason == (
        "threshold <= q[i] + noise2 may hold for one neighbour and not for the other; hiding it costs more than eps"
    )
    assert reason(about, [Need("output", places[Output], False)]).reason == (
        "what is said, False, differs between neighbours; no shift of the noise hides it"
    )
    assert "the loop may go on" in reason(about, [Need("loop", places[While], False)]).reason
    assert "cannot be moved" in reason(about, [Need("support", NOWHERE, False)]).reason
    assert reason(about, [cost]).reason.startswith("all noise together costs more than is claimed")
    silent = shipped()["bad_sum_without_noise"]
    assert reason(silent, [Need("output", silent.body[-1].place, False)]).reason.endswith("no noise hides it")
