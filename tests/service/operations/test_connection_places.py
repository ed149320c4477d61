from __future__ import annotations

from functools import partial

import pytest

from hedgerow.service.operations.connection_places import ConnectionPlaces, group_address


def test_the_one_that_has_waited_longest_gives_way() -> None:
    places, closed = ConnectionPlaces(in_all=3, per_address=2), []
    for number, address in enumerate(["a", "a", "b", "b"]):
        places.enter(number, address, partial(closed.append, number))
    assert closed == [0]
    places.enter(4, "b", lambda: closed.append(4))  # the limit of one address comes first
    assert closed == [0, 2]
    places.leave(1)
    places.leave(1)
    places.enter(5, "c", lambda: closed.append(5))
    assert (closed, len(places)) == ([0, 2], 3)


def test_entering_again_is_a_new_turn() -> None:
    places, closed = ConnectionPlaces(in_all=2, per_address=2), []
    for name in ("one", "two", "one", "three"):
        places.enter(name, "a", partial(closed.append, name))
    assert closed == ["two"]


@pytest.mark.parametrize(
    ("address", "group"),
    [
        ("10.0.0.7", "10.0.0.7"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
        ("a socket", "a socket"),
    ],
)
def test_a_network_of_one_holder_is_one_address(address: str, group: str) -> None:
    assert group_address(address) == group
