from __future__ import annotations

import pytest
from sqlglot import exp

from hedgerow.service.wire.catalog.expression_writer import (
    UnsupportedCatalogSyntax,
    read_name,
    refuse_syntax,
    write_literal,
)
from hedgerow.service.wire.command_failure import CommandFailed


def test_literals_are_quoted() -> None:
    assert [write_literal(one) for one in ("it's", True, 3, None)] == [
        "'it''s'",
        "TRUE",
        "3",
        "NULL",
    ]
    with pytest.raises(CommandFailed):
        write_literal("a\0b")


def test_names_are_in_lower_case_unless_quoted() -> None:
    assert read_name(exp.to_identifier("AbC")) == "abc"
    assert read_name(exp.to_identifier("AbC", quoted=True)) == "AbC"
    with pytest.raises(UnsupportedCatalogSyntax):
        read_name(exp.Null())
    with pytest.raises(UnsupportedCatalogSyntax, match="Null"):
        refuse_syntax(exp.Null())
