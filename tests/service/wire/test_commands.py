from __future__ import annotations

import pytest

from hedgerow.service.problems import NotAllowed
from hedgerow.service.wire.commands import CommandFailed, CommandRunner, Portal, PreparedStatement
from service.helpers_service import COUNT, RunningService


@pytest.fixture
def runner(running: RunningService) -> CommandRunner:
    return CommandRunner(running.service, running.service.find_caller(running.tokens["ana"]))


def run(runner: CommandRunner, text: str) -> tuple[str, list[list[object]]]:
    result = runner.run(Portal(PreparedStatement(text)))
    return result.tag, [list(row) for row in result.rows]


def test_transactions_go_through_their_states(runner: CommandRunner) -> None:
    assert runner.status == b"I"
    assert run(runner, "BEGIN")[0] == "BEGIN"
    assert runner.status == b"T"
    runner.note_failure()
    assert runner.status == b"E"
    with pytest.raises(CommandFailed) as failure:
        run(runner, "SHOW timezone")
    assert failure.value.sqlstate == "25P02"
    assert run(runner, "ROLLBACK TO SAVEPOINT a")[0] == "ROLLBACK"
    assert runner.status == b"T"
    assert run(runner, "SAVEPOINT a")[0] == "SAVEPOINT"
    assert run(runner, "COMMIT")[0] == "COMMIT"
    runner.note_failure()
    assert runner.status == b"I"


@pytest.mark.parametrize(
    ("text", "oids", "inferred"),
    [
        ("SELECT COUNT(*) FROM visits WHERE age > $1", (), (1700,)),
        ("SELECT COUNT(*) FROM visits WHERE region LIKE $1", (), (25,)),
        ("SELECT COUNT(*) FROM visits WHERE region <> $1 AND age < $2", (), (25, 1700)),
        ("SELECT COUNT(*) FROM visits WHERE age > $1", (20,), (20,)),
    ],
)
def test_types_of_parameters_follow_from_the_question(
    runner: CommandRunner, text: str, oids: tuple[int, ...], inferred: tuple[int, ...]
) -> None:
    found, columns = runner.describe_statement(PreparedStatement(text, oids))
    assert found == inferred
    assert columns is not None
    assert [column.name for column in columns] == ["count"]


def test_a_parameter_becomes_a_literal_and_never_sql(runner: CommandRunner) -> None:
    statement = PreparedStatement("SELECT COUNT(*) FROM visits WHERE region = $1")
    portal = runner.bind(statement, [b"north' OR 1 = 1 --"], ())
    assert portal.statement.text.endswith("= 'north'' OR 1 = 1 --'")
    with pytest.raises(CommandFailed, match="missing"):
        runner.bind(statement, [], ())


def test_commands_without_rows_describe_none(runner: CommandRunner) -> None:
    for text in ("BEGIN", "SET a = b", "CLOSE c", "DISCARD ALL", ""):
        assert runner.describe(Portal(PreparedStatement(text))) is None
    shown = runner.describe(Portal(PreparedStatement("SHOW timezone")))
    assert shown is not None
    assert run(runner, "SHOW timezone")[1] == [["UTC"]]


def test_cursors_move_and_close(runner: CommandRunner) -> None:
    run(runner, f"DECLARE c CURSOR FOR {COUNT}")
    described = runner.describe(Portal(PreparedStatement("FETCH 1 FROM c")))
    assert described is not None
    assert [one.name for one in described] == ["region", "n"]
    assert run(runner, "MOVE 1 FROM c")[0] == "MOVE 1"
    assert run(runner, "FETCH ALL FROM c")[0] == "FETCH 1"
    assert run(runner, "FETCH NEXT FROM c")[0] == "FETCH 0"
    run(runner, "CLOSE c")
    with pytest.raises(CommandFailed):
        run(runner, "FETCH 1 FROM c")


def test_writes_are_refused_with_one_sentence(runner: CommandRunner) -> None:
    for text in ("DELETE FROM visits", "create table x (a int)", "DO $$ x $$"):
        with pytest.raises(NotAllowed, match="read-only"):
            run(runner, text)
