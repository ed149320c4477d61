"""Units that are reached through other tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy import LinkRule, Policy, parse_policy, write_policy
from hedgerow.policy.foreign_keys import check_links, parse_unit
from policy.helpers_page import SHOP, line, mistakes


def test_each_foreign_key_of_a_unit_is_kept() -> None:
    accounts, orders, items, _ = parse_policy(SHOP).tables
    assert (accounts.link, accounts.links, accounts.unit_text) == (None, (), "customer_id")
    assert orders.links == (LinkRule("account", "accounts", "id"),)
    assert items.link == LinkRule("order", "orders", "id")
    assert items.links[1:] == orders.links
    assert {table.unit for table in (accounts, orders, items)} == {"customer_id"}
    assert items.privacy_unit == accounts.privacy_unit
    assert (
        items.unit_text == "order -> orders.id, orders.account -> accounts.id, accounts.customer_id"
    )
    assert orders.unit_text == "account -> accounts.id, accounts.customer_id"


def test_a_unit_with_foreign_keys_survives_writing_and_reading() -> None:
    shop = parse_policy(SHOP)
    again = parse_policy(write_policy(shop))
    assert again == shop == Policy.from_canonical(shop.canonical())
    assert (
        again.tables
        == shop.tables
        == Policy.from_canonical(shop.canonical()).tables[:1] + shop.tables[1:]
    )
    other = parse_policy(SHOP.replace("order -> orders.id", "order -> orders.number"))
    assert other.digest != shop.digest


@pytest.mark.parametrize(
    "text",
    [
        "  a->b . c",
        "a ->",
        "-> b.c, b.d",
        "a -> b.c",
        "a -> b.c, d",
        "a b -> c.d, c.e",
        "a -> b.c, b.d ->",
        "a -> b.c, b.d, b.e",
    ],
)
def test_malformed_chains_of_foreign_keys_are_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="unit must look like"):
        parse_unit(text, "unit")


def test_chains_of_foreign_keys_are_parsed() -> None:
    assert parse_unit("patient_id", "unit") == ("patient_id", ())
    assert parse_unit(" a ->b.c , b.d->  e.f,e.g", "unit") == (
        "g",
        (LinkRule("a", "b", "c"), LinkRule("d", "e", "f")),
    )
    with pytest.raises(
        InvalidArgument,
        match=r"must continue from the table that it leads to: write b\.d, not e\.d",
    ):
        parse_unit("a -> b.c, e.d", "unit")
    with pytest.raises(InvalidArgument, match="must end in the id column"):
        parse_unit("a -> b.c, b.row", "unit")


ITEMS = "order -> orders.id, orders.account -> accounts.id, accounts.customer_id"
ORDERS = "account -> accounts.id, accounts.customer_id"
ACCOUNT = 'columns.account = { type = "integer" }'
TYPES = "must have the same type: 'account' is text, 'id' of 'accounts' is integer"


@pytest.mark.parametrize(
    ("old", "new", "where", "told"),
    [
        (
            ITEMS,
            "order -> gone.id, gone.customer_id",
            "gone.id",
            "there is no table 'gone': add [tables.gone], or correct the name",
        ),
        (
            ITEMS,
            "order -> Orders.id, Orders.x",
            "Orders.id",
            "the table is called 'orders', not 'Orders': write the name as declared",
        ),
        (
            ITEMS,
            "parent -> items.id, items.customer_id",
            "items.id",
            "the foreign keys through 'items' lead back to 'items'",
        ),
        (
            ITEMS,
            "region -> regions.id, regions.customer_id",
            "regions.id",
            "'regions' is public and has no unit",
        ),
        (
            ITEMS,
            "order -> orders.id, orders.customer_id",
            "orders.id",
            f"the unit of 'orders': write unit = \"{ITEMS}\"",
        ),
        (
            ITEMS,
            "a -> accounts.id, accounts.person",
            "accounts.person",
            'write unit = "a -> accounts.id, accounts.customer_id"',
        ),
        (ACCOUNT, 'columns.account = { type = "text" }', f'unit = "{ORDERS}"', TYPES),
        (
            ACCOUNT,
            'columns.account = { type = "integer", min = 0, max = 9 }',
            "columns.account",
            "may only have a type",
        ),
        (
            'columns.id = { type = "integer" }',
            "columns.id = { values = [1, 2] }",
            "columns.id",
            "may only have a type",
        ),
    ],
)
def test_each_mistake_has_its_line_and_its_fix(old: str, new: str, where: str, told: str) -> None:
    text = SHOP.replace(old, new)
    ((number, says),) = mistakes(text)
    assert number == line(where, text)
    assert told in says


def test_integers_may_refer_to_reals_and_a_key_may_be_hidden() -> None:
    assert parse_policy(SHOP.replace(ACCOUNT, "columns.account = { hidden = true }"))
    assert parse_policy(
        SHOP.replace(
            'columns.account = { type = "integer" }', 'columns.account = { type = "real" }'
        )
    )


def test_rows_and_other_people_are_no_way() -> None:
    rows = SHOP.replace('unit = "customer_id"', 'unit = "row"').replace(
        "max_units = 100\nmax_groups = 1\nmax_rows_per_group = 1\n", ""
    )
    assert "the rows of 'accounts' have no id: give 'accounts' an id column as its unit" in [
        says for _, says in mistakes(rows)
    ]
    apart = SHOP.replace("max_groups = 3", 'max_groups = 3\npopulation = "others"\n').replace(
        "[tables.accounts]", "[budgets.others]\nepsilon = 1\n[tables.accounts]"
    )
    ((number, says),) = mistakes(apart)
    assert number == line(f'unit = "{ITEMS}"', apart)
    assert "must be in one population: 'orders' is in 'people', this one in 'others'" in says


def test_foreign_keys_in_a_circle_are_refused() -> None:
    text = (
        SHOP.replace(ORDERS, "x -> items.y, items.customer_id")
        .replace(f"orders.{ORDERS}", "orders.customer_id")
        .replace("orders.x -> items.y, items.customer_id", "orders.customer_id")
    )
    found = [says for _, says in mistakes(text)]
    assert len(found) == 2
    assert all("lead back to" in says for says in found)


def test_links_through_a_table_with_mistakes_are_not_reported() -> None:
    text = SHOP.replace('columns.id = { type = "integer" }', "").replace(
        'source = "accounts.csv"\nunit = "customer_id"', 'source = "accounts.csv"\nunit = 3'
    )
    ((_, says),) = mistakes(text)
    assert says == "unit must be text in quotes; got 3"


def test_a_policy_made_by_hand_is_checked_too() -> None:
    shop = parse_policy(SHOP)
    assert not list(check_links(shop.tables))
    with pytest.raises(InvalidArgument, match="there is no table 'gone'"):
        replace(
            shop,
            tables=(replace(shop.tables[0], links=(LinkRule("a", "gone", "b"),)), *shop.tables[1:]),
        )


def test_tables_of_one_source_have_the_same_unit() -> None:
    text = SHOP.replace("items.csv", "orders.csv")
    ((_, says),) = mistakes(text)
    assert says == (
        f"tables of one source must have the same unit: 'orders' has '{ORDERS}', this one"
        f" '{ITEMS}'; change one of them"
    )


STORES = SHOP.replace("accounts.customer_id", "accounts.(store,  customer)").replace(
    'unit = "customer_id"', 'unit = ["store", "customer"]'
)


def test_several_columns_are_one_unit_also_at_the_end_of_foreign_keys() -> None:
    accounts, orders, items, _ = parse_policy(STORES).tables
    assert {table.unit for table in (accounts, orders, items)} == {"(store, customer)"}
    assert orders.unit_text == "account -> accounts.id, accounts.(store, customer)"
    assert accounts.unit_columns == items.unit_columns == ("store", "customer")
    shop = parse_policy(STORES)
    text = write_policy(shop)
    assert '= ["store", "customer"]' in text
    assert parse_policy(text) == shop == Policy.from_canonical(shop.canonical())


@pytest.mark.parametrize(
    ("unit", "problem"),
    [
        ('["store", "Store"]', "must name one or more different columns"),
        ("[]", "must name one or more different columns"),
        ('["row", "store"]', "must be of columns whose names"),
        ('["store", 3]', "must be text in quotes"),
        ('"account -> accounts.(a, b), accounts.c"', "must look like"),
    ],
)
def test_lists_of_columns_that_name_no_unit_are_refused(unit: str, problem: str) -> None:
    page = SHOP.replace('unit = "customer_id"', f"unit = {unit}")
    assert page != SHOP
    with pytest.raises(InvalidArgument, match=problem):
        parse_policy(page)
