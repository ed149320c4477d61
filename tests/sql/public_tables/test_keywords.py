"""The closed lists of words."""

from __future__ import annotations

from hedgerow.sql.public_tables import keywords
from hedgerow.sql.public_tables.phrases import WORDS


def test_every_word_that_a_node_becomes_is_on_the_list() -> None:
    tables = (
        *keywords.CHAINS,
        keywords.COMPARISONS,
        keywords.ONE_ARGUMENT,
        keywords.TRIMS,
        keywords.CAST_TYPES,
        keywords.DATE_PARTS,
        keywords.INTERVALS,
        keywords.ANONYMOUS,
    )
    words = {word for table in tables for word in table.values()}
    assert words | {names[0] for names in keywords.SEVERAL_ARGUMENTS.values()} <= WORDS
