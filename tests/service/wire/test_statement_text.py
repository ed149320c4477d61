from __future__ import annotations

import pytest

from hedgerow.service.wire.statement_text import (
    CommandKind,
    count_parameters,
    parse_command,
    remove_public_schema,
    split_statements,
    write_for_parser,
    write_parameters,
)


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("SELECT 1; SELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';', \"a;b\" -- ;\n", ["SELECT ';', \"a;b\" -- ;"]),
        ("SELECT /* ; */ 1;;  ; -- nothing", ["SELECT /* ; */ 1"]),
        ("SELECT $$;$$, $a$;$$;$a$, E'\\';' ; x", ["SELECT $$;$$, $a$;$$;$a$, E'\\';'", "x"]),
        ("", []),
        (" ; ", []),
    ],
)
def test_statements_end_at_semicolons_that_mean_it(text: str, statements: list[str]) -> None:
    assert split_statements(text) == statements


@pytest.mark.parametrize(
    ("text", "kind", "name", "value"),
    [
        ("", CommandKind.empty, "", ""),
        ("-- nothing", CommandKind.empty, "", ""),
        ("select 1", CommandKind.query, "", ""),
        ("/* hi */ WITH x AS (SELECT 1) SELECT 2", CommandKind.query, "", ""),
        ("BEGIN TRANSACTION READ ONLY", CommandKind.begin, "", ""),
        ("START TRANSACTION", CommandKind.begin, "", ""),
        ("COMMIT", CommandKind.commit, "", ""),
        ("ROLLBACK", CommandKind.rollback, "", ""),
        ("ROLLBACK TO SAVEPOINT a", CommandKind.rollback_to, "", ""),
        ("SAVEPOINT a", CommandKind.savepoint, "", ""),
        ("SET hedgerow.epsilon = 0.5", CommandKind.set, "hedgerow.epsilon", "0.5"),
        ("SET SESSION DateStyle TO 'ISO'", CommandKind.set, "datestyle", "'ISO'"),
        ('SET "TimeZone" = UTC', CommandKind.set, "TimeZone", "UTC"),
        ("SET TIME ZONE 'UTC'", CommandKind.set, "time zone", "'UTC'"),
        ("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", CommandKind.ignored, "", ""),
        ("SHOW transaction_isolation", CommandKind.show, "transaction_isolation", ""),
        ("SHOW TRANSACTION ISOLATION LEVEL", CommandKind.show, "transaction isolation level", ""),
        ("RESET ALL", CommandKind.reset, "all", ""),
        ("DISCARD ALL", CommandKind.discard, "all", ""),
        ("PREPARE a AS SELECT 1", CommandKind.prepare, "", ""),
        ("DECLARE c CURSOR FOR SELECT 1", CommandKind.declare, "c", "SELECT 1"),
        (
            'DECLARE "C x" NO SCROLL CURSOR WITH HOLD FOR SELECT 1',
            CommandKind.declare,
            "C x",
            "SELECT 1",
        ),
        ("FETCH FORWARD 5 FROM c", CommandKind.fetch, "c", "FORWARD 5"),
        ("FETCH ALL IN c", CommandKind.fetch, "c", "ALL"),
        ("FETCH c", CommandKind.fetch, "c", ""),
        ("CLOSE c", CommandKind.close, "c", ""),
        ("DEALLOCATE PREPARE s", CommandKind.deallocate, "s", ""),
        ("COPY (SELECT 1) TO STDOUT (FORMAT csv)", CommandKind.copy, "", "SELECT 1"),
    ],
)
def test_commands_are_known_by_their_first_words(
    text: str, kind: CommandKind, name: str, value: str
) -> None:
    command = parse_command(text)
    assert (command.kind, command.name, command.value) == (kind, name, value)


def test_parameters_are_written_outside_of_strings_only() -> None:
    text = "SELECT $1, '$1', \"$2\", $$ $1 $$ -- $3\n WHERE a = $2"
    assert count_parameters(text) == 2
    assert write_parameters(text, ["'x'", "7"]) == (
        "SELECT 'x', '$1', \"$2\", $$ $1 $$ -- $3\n WHERE a = 7"
    )
    assert write_parameters("SELECT $2", ["1"]) == "SELECT $2"


def test_syntax_that_the_parser_lacks_is_written_otherwise() -> None:
    assert (
        write_for_parser("SELECT 1 AS select, '1 AS table'")
        == "SELECT 1 AS \"select\", '1 AS table'"
    )
    assert write_for_parser("x = ANY('{oid[]}'::oid[])") == "x = ANY('{oid[]}'::xid[])"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('FROM public.visits, "public"."shifts"', 'FROM visits, "shifts"'),
        (
            'FROM "clinic"."public"."visits" WHERE clinic . public.visits.age > 1',
            'FROM "visits" WHERE visits.age > 1',
        ),
        (
            "WHERE x = 'public.visits' -- public.visits",
            "WHERE x = 'public.visits' -- public.visits",
        ),
        ("FROM other.public.visits, mypublic.x", "FROM other.public.visits, mypublic.x"),
    ],
)
def test_schema_and_database_of_a_table_are_left_out(text: str, plain: str) -> None:
    assert remove_public_schema(text, "clinic") == plain
