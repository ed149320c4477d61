from __future__ import annotations

import pytest

from hedgerow.service.wire.command_failure import CommandFailed
from hedgerow.service.wire.session_objects import Portal, PreparedStatement, SessionObjects

ONE, TWO = PreparedStatement("SELECT 1"), PreparedStatement("SELECT 2")


def test_only_what_has_no_name_is_replaced() -> None:
    objects = SessionObjects()
    for name in ("", "", "a"):
        objects.add_statement(name, ONE)
        objects.add_portal(name, Portal(ONE))
    objects.add_cursor("c", Portal(ONE))
    for add, sqlstate in (
        (lambda: objects.add_statement("a", TWO), "42P05"),
        (lambda: objects.add_portal("a", Portal(TWO)), "42P03"),
        (lambda: objects.add_cursor("c", Portal(TWO)), "42P03"),
    ):
        with pytest.raises(CommandFailed) as caught:
            add()
        assert caught.value.sqlstate == sqlstate
    assert objects.find_statement("a") == ONE
    assert objects.find_portal("c") is objects.find_cursor("c")


def test_a_closed_object_is_gone() -> None:
    objects = SessionObjects()
    objects.add_statement("s", ONE)
    objects.add_statement("t", ONE)
    objects.close_statement("s")
    objects.close_statement("never there")
    with pytest.raises(CommandFailed, match="no prepared statement s"):
        objects.find_statement("s")
    objects.close_statements()
    with pytest.raises(CommandFailed):
        objects.find_statement("t")
    objects.add_portal("p", Portal(ONE))
    objects.add_cursor("c", Portal(ONE))
    objects.close_portals()
    with pytest.raises(CommandFailed) as caught:
        objects.find_portal("p")
    assert caught.value.sqlstate == "34000"
    objects.close_portal("c")
    with pytest.raises(CommandFailed):
        objects.find_cursor("c")


def test_a_cursor_with_hold_outlives_its_transaction() -> None:
    objects = SessionObjects()
    objects.add_cursor("held", Portal(ONE, is_held=True))
    objects.add_cursor("plain", Portal(ONE))
    objects.close_cursors(keeps_held=True)
    assert objects.find_cursor("held").statement == ONE
    with pytest.raises(CommandFailed):
        objects.find_cursor("plain")
    objects.close_cursors()
    with pytest.raises(CommandFailed):
        objects.find_cursor("held")


def test_a_session_holds_only_so_much() -> None:
    objects = SessionObjects()

    def add_many() -> None:
        for number in range(10_000):
            objects.add_statement(str(number), ONE)

    with pytest.raises(CommandFailed, match="DISCARD ALL") as caught:
        add_many()
    assert caught.value.sqlstate == "53200"
    objects.close_statements()
    objects.add_statement("again", ONE)
    for number in range(53):
        objects.add_portal(str(number), Portal(ONE))
    with pytest.raises(CommandFailed):
        objects.add_cursor("one too many", Portal(ONE))
    objects.close_portals()
    with pytest.raises(CommandFailed):
        objects.add_portal("", Portal(PreparedStatement("x" * (4 << 20))))


def test_a_portal_knows_its_command() -> None:
    assert Portal(PreparedStatement("COMMIT")).command.kind == "commit"
