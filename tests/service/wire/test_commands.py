from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service.problems import NotAllowed
from hedgerow.service.wire.command_failure import CommandFailed
from hedgerow.service.wire.commands import CommandRunner
from hedgerow.service.wire.session_objects import Portal, PreparedStatement
from service.helpers_service import COUNT, RunningService

LOCAL = "SET LOCAL hedgerow.epsilon = 0.125"


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
    run(runner, "BEGIN")
    runner.note_failure()
    with pytest.raises(CommandFailed, match="has failed"):
        run(runner, "SAVEPOINT a")
    assert run(runner, "COMMIT")[0] == "ROLLBACK"
    runner.note_failure()
    assert runner.status == b"I"


@pytest.mark.parametrize(
    ("text", "oids", "inferred"),
    [
        ("SELECT COUNT(*) FROM visits WHERE age > $1", (), (1700,)),
        ("SELECT COUNT(*) FROM visits WHERE region LIKE $1", (), (25,)),
        ("SELECT COUNT(*) FROM visits WHERE region <> $1 AND age < $2", (), (25, 1700)),
        ("SELECT COUNT(*) FROM visits WHERE age > $1", (20,), (20,)),
        ("SELECT COUNT(*) FROM visits WHERE age > $1 AND region = $2", (), (1700, 25)),
        ("SELECT COUNT(*) FROM visits WHERE region IN ($1::varchar, $2)", (), (25, 25)),
        ("SELECT COUNT(*) FROM visits WHERE region = ANY($1) AND age = $2", (), (1009, 1700)),
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
    with pytest.raises(CommandFailed, match="1 parameters"):
        runner.bind(statement, [], ())


def test_commands_without_rows_describe_none(runner: CommandRunner) -> None:
    for text in ("BEGIN", "SET a = b", "CLOSE ALL", "DISCARD ALL", ""):
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


def test_an_array_may_be_bound_where_questions_know_lists(runner: CommandRunner) -> None:
    statement = PreparedStatement("SELECT COUNT(*) AS n FROM visits WHERE region = ANY($1)")
    bound = runner.bind(statement, [b"{north,south}"], ())
    listed = "SELECT COUNT(*) AS n FROM visits WHERE region IN ('north', 'south')"
    assert runner.run(bound).rows == runner.run(Portal(PreparedStatement(listed))).rows


def test_wrong_options_of_a_copy_are_refused_before_the_question_is_charged(
    running: RunningService, runner: CommandRunner
) -> None:
    def count_entries() -> int:
        return len(running.service._database.ledger.entries())

    before = count_entries()
    with pytest.raises(InvalidArgument, match="COPY"):
        run(runner, "COPY (SELECT COUNT(*) FROM visits WHERE age < 77) TO STDOUT (FORMAT odd)")
    assert count_entries() == before
    for text in ("COPY visits TO STDOUT", "COPY (SELECT 1) TO '/tmp/x'"):
        with pytest.raises(NotAllowed, match=r"COPY \(SELECT …\) TO STDOUT"):
            run(runner, text)


def test_settings_follow_the_transaction(runner: CommandRunner) -> None:
    def show() -> object:
        return run(runner, "SHOW hedgerow.epsilon")[1][0][0]

    assert show() == "0.5"  # that of the policy
    assert "changes nothing" in runner.run(Portal(PreparedStatement(LOCAL))).notes[0]
    run(runner, "BEGIN")
    run(runner, LOCAL)
    assert show() == "0.125"
    run(runner, "COMMIT")
    assert show() == "0.5"
    run(runner, "BEGIN")
    run(runner, "SET hedgerow.epsilon = 0.25")
    run(runner, "ROLLBACK")
    assert show() == "0.5"
    run(runner, "SET hedgerow.epsilon = 0.25")
    run(runner, "DISCARD ALL")  # as a pool does between two users
    assert show() == "0.5"


def test_prepared_statements_are_forgotten_in_sql(runner: CommandRunner) -> None:
    for name in ("a", "b", "c"):
        runner.objects.add_statement(name, PreparedStatement("SELECT 1"))
    run(runner, "DEALLOCATE a")
    for text in ("DEALLOCATE a", "DEALLOCATE PREPARE nothing"):
        with pytest.raises(CommandFailed) as caught:
            run(runner, text)
        assert caught.value.sqlstate == "26000"
    assert run(runner, "DEALLOCATE ALL")[0] == "DEALLOCATE"
    with pytest.raises(CommandFailed):
        runner.objects.find_statement("b")


@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [
        ("SHOW nothing", "42704"),
        ("PREPARE a AS SELECT COUNT(*) FROM visits", "0A000"),
        ("EXECUTE a(1)", "0A000"),
        ("CLOSE nothing", "34000"),
    ],
)
def test_commands_that_cannot_be_done_say_why(
    runner: CommandRunner, text: str, sqlstate: str
) -> None:
    with pytest.raises(CommandFailed) as caught:
        run(runner, text)
    assert caught.value.sqlstate == sqlstate


@pytest.mark.parametrize("text", ["SELECT $1 " + "x" * 70_000, "SELECT $1" + " + ((1" * 100])
def test_a_statement_beyond_the_limits_is_refused_before_it_is_parsed(
    runner: CommandRunner, text: str
) -> None:
    with pytest.raises(InvalidArgument, match="must have at most"):
        runner.bind(PreparedStatement(text), [b"1"], ())


def test_a_statement_whose_columns_have_changed_is_prepared_again(
    running: RunningService, runner: CommandRunner
) -> None:
    statement = PreparedStatement("SELECT COUNT(*) AS n FROM visits WHERE age < $1")
    runner.describe_statement(statement)
    portal = runner.bind(statement, [b"78"], ())
    run(runner, "SET hedgerow.intervals = on")
    before = len(running.service._database.ledger.entries())
    with pytest.raises(CommandFailed, match="must not change result type") as caught:
        runner.run(portal)
    assert (caught.value.sqlstate, caught.value.routine) == ("0A000", "RevalidateCachedQuery")
    assert len(running.service._database.ledger.entries()) == before
    runner.describe_statement(statement)
    assert len(runner.run(runner.bind(statement, [b"78"], ())).columns) == 3
