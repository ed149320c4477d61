"""Made-up questions over the tables of ``shop``: joins, foreign keys, public tables,
per-customer subqueries, parts.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from database.attacks.grammar import Words, asked, holds, simple

ORDERS = Words(
    "orders",
    simple("amount"),
    ("region", "note", "FLOOR(amount / 20)"),
    ("note", "number", "amount"),
    ("region",),
    holds("amount > 5", "note = 'a'"),
)
ITEMS = Words(
    "items",
    simple("price"),
    ("kind", "item", "order_number"),
    ("item", "kind", "order_number"),
    ("kind",),
    holds(
        "price > 1",
        "kind = 'book'",
        "kind = 'soap'",
        "kind IN ('lamp', 'rope')",
        "kind IS NULL",
        "kind < 'lamp' AND price < 9",
    ),
)
RETURNS = Words(
    "returns",
    simple("days"),
    ("reason", "item", "days"),
    ("reason", "item"),
    ("days", "CASE WHEN days > 3 THEN 'x' ELSE 'y' END"),
    holds("days > 3", "reason = 'late'"),
)
VISITS = Words(
    "visits",
    simple("minutes"),
    ("region", "month", "day", "MONTH(day)", "LEFT(region, 1)"),
    ("region", "minutes", "day"),
    ("region", "month", "day"),
    holds(
        "minutes > 5",
        "month = 2",
        "month = 5 AND minutes > 1",
        "month < 2",
        "month IN (1, 4)",
        "month IS NULL",
        "month * 2 = 4",
        "month = 3 OR minutes > 4",
    ),
)
AT_HAND = (ORDERS, ITEMS, RETURNS, VISITS)
TIED = "orders {} items ON orders.number = items.order_number"
JOINED = (
    Words(
        TIED.format("JOIN"),
        simple("amount", "price", "amount * price"),
        ("kind", "region", "note", "item"),
        ("item", "note", "price"),
        ("kind", "region"),
        holds("price > 1", "amount > 5", "kind = 'book'"),
    ),
    Words(
        TIED.format("LEFT JOIN"),
        simple("amount", "price"),
        ("kind", "region", "item"),
        ("item", "kind"),
        ("kind", "region"),
        holds("kind IS NULL", "amount > 5", "price > 1"),
    ),
    Words(
        "orders JOIN items ON orders.number = items.order_number JOIN returns ON returns.item ="
        " items.item",
        simple("amount", "price", "days"),
        ("kind", "reason", "region"),
        ("reason", "note", "days"),
        ("kind", "days"),
        holds("days > 3", "amount > 5"),
    ),
    Words(
        "items LEFT JOIN returns ON items.item = returns.item",
        simple("price", "days"),
        ("kind", "reason"),
        ("reason", "kind"),
        ("kind",),
        holds("days IS NULL", "price > 1", "kind = 'rope'"),
    ),
    Words(
        "orders o JOIN visits v ON o.customer = v.customer",
        simple("amount", "minutes"),
        ("o.region", "v.region", "month", "note"),
        ("note", "v.region"),
        ("o.region", "month"),
        holds("amount < minutes", "month = 2", "o.region = v.region"),
    ),
    Words(
        "visits v LEFT JOIN orders o ON o.customer = v.customer AND o.region = v.region",
        simple("amount", "minutes"),
        ("v.region", "month", "note"),
        ("note", "amount"),
        ("v.region", "month"),
        holds("amount IS NULL", "month = 2", "minutes > 5"),
    ),
    Words(
        "visits JOIN towns USING (region)",
        simple("minutes", "people"),
        ("zone", "region", "month"),
        ("people", "zone"),
        ("zone", "month"),
        holds("zone = 'a'", "people > minutes", "month = 2"),
    ),
    Words(
        "orders LEFT JOIN towns ON orders.region = towns.region",
        simple("amount", "people"),
        ("zone", "note"),
        ("zone", "people"),
        ("zone",),
        holds("zone IS NULL", "people > 5"),
    ),
    Words(
        "visits a JOIN visits b ON a.customer = b.customer AND a.minutes = b.minutes",
        simple("a.minutes", "b.minutes"),
        ("a.region", "b.month"),
        ("a.region", "b.day"),
        ("a.region", "b.month"),
        holds("a.month < b.month", "a.month = 2", "b.region = 'north'"),
    ),
    Words(
        "items a JOIN items b USING (order_number)",
        simple("a.price", "b.price"),
        ("a.kind", "b.kind"),
        ("a.item", "b.kind"),
        ("a.kind", "b.kind"),
        holds("a.kind < b.kind", "a.price = b.price"),
    ),
)


def folded(random: Random) -> Words:
    """Beside each row, or alone: what all rows of a customer come to."""
    made = random.choice(
        [
            "LEAST(GREATEST(SUM(minutes), 0), 100)",
            "LEAST(COUNT(*), 6)",
            "MAX(minutes)",
            "AVG(minutes)",
        ]
    )
    key = random.choice(["", ", month", ", region"])
    having = random.choice(["", " HAVING COUNT(*) > 1", " HAVING MIN(minutes) > 0"])
    where = random.choice(["", " WHERE month = 2"])
    inner = (
        f"SELECT customer{key}, {made} AS m, COUNT(*) AS c FROM visits{where} GROUP BY"
        f" customer{key}{having}"
    )
    words = holds("m > 5", "c > 1", "m IS NOT NULL")
    if random.random() < 0.5:
        source = f"orders o {random.choice(['JOIN', 'LEFT JOIN'])} w ON o.customer = w.customer"
        return Words(
            source,
            simple("m", "amount", "LEAST(c, 4)"),
            ("o.region", "note"),
            ("note", "c"),
            ("o.region",),
            words,
            f"WITH w AS ({inner}) ",
        )
    keys = (key[2:],) if key else ()
    return Words(
        f"({inner})",
        simple("m", "LEAST(c, 4)"),
        (*keys, "LEAST(c, 4)"),
        ("m", "c"),
        ("LEAST(c, 4)",),
        words,
    )


def derived(random: Random) -> Words:
    """Rows of several tables together, or each of them once."""
    source = random.choice(
        [
            (
                "(SELECT customer, minutes AS x, region FROM visits UNION ALL SELECT customer,"
                " amount AS x, region FROM orders)"
            ),
            (
                "(SELECT minutes AS x, region FROM visits UNION ALL SELECT minutes AS x, region"
                " FROM visits WHERE month = 2)"
            ),
            "(SELECT DISTINCT customer, amount AS x, region FROM orders)",
            (
                "(SELECT price AS x, region FROM orders JOIN items ON orders.number ="
                " items.order_number WHERE amount > 3)"
            ),
        ]
    )
    return Words(
        source,
        simple("x"),
        ("region", "FLOOR(x / 9)"),
        ("x", "region"),
        ("region",),
        holds("x > 5", "region = 'north'"),
    )


MONTHS = (
    "month = 2",
    "month < 2",
    "NOT (month <> 3)",
    "month * 2 = 4",
    "COALESCE(month, 5) = 5",
    "month = 2 OR month IS NULL",
    "month IN (4)",
)
KINDS = (
    "kind = 'book'",
    "UPPER(kind) = 'LAMP'",
    "LEFT(kind, 1) = 's'",
    "kind LIKE '%oo%'",
    "COALESCE(kind, 'rope') = 'rope'",
)


def parted(random: Random) -> Words:
    """Rows of one part, however that is said, or of nearly one."""
    words, conditions = random.choice([(VISITS, MONTHS), (ITEMS, KINDS)])
    return replace(
        words, source=f"(SELECT * FROM {words.source} WHERE {random.choice(conditions)})"
    )


# OR and NOT, joins inside, comparisons with rows of the same customer, and public lists.
SAME_CUSTOMER = (
    (
        VISITS,
        (
            "minutes > 40 OR EXISTS (SELECT 1 FROM orders o WHERE o.customer = visits.customer)",
            "NOT (month = 2 AND customer IN (SELECT customer AS who FROM orders GROUP BY customer"
            " HAVING COUNT(*) > 1))",
            "EXISTS (SELECT 1 FROM visits v WHERE v.customer = visits.customer AND v.minutes <>"
            " visits.minutes)",
            "EXISTS (SELECT 1 FROM orders o JOIN items i ON i.order_number = o.number WHERE"
            " o.customer = visits.customer AND i.price > 1 AND month > 1)",
            "month NOT IN (SELECT v.month FROM visits v WHERE v.customer = visits.customer AND"
            " v.minutes > 10)",
            "region NOT IN (SELECT region FROM towns WHERE people > 10)",
            "NOT EXISTS (SELECT 1 FROM towns t WHERE t.region = visits.region AND t.zone = 'a')",
            "(region IN (SELECT region FROM towns)) IS NULL OR minutes > 10",
            "EXISTS (SELECT 1 FROM towns WHERE people > 30)",
            "(SELECT COUNT(*) FROM orders o WHERE o.customer = visits.customer) <> 1",
            "minutes = (SELECT MAX(minutes) FROM visits v WHERE v.customer = visits.customer AND"
            " v.month = visits.month)",
        ),
    ),
    (
        ITEMS,
        (
            "EXISTS (SELECT 1 FROM items i WHERE i.order_number = items.order_number AND i.item <>"
            " items.item)",
            "NOT EXISTS (SELECT 1 FROM items i WHERE i.order_number = items.order_number AND"
            " i.price > items.price) OR kind = 'book'",
        ),
    ),
)
AMONG = (
    (VISITS, "customer IN (SELECT customer FROM orders WHERE amount > 5)"),
    (VISITS, "customer NOT IN (SELECT customer FROM orders WHERE note = 'a')"),
    (
        VISITS,
        (
            "EXISTS (SELECT 1 FROM orders o WHERE o.customer = visits.customer AND o.region ="
            " visits.region)"
        ),
    ),
    (
        VISITS,
        (
            "NOT EXISTS (SELECT 1 FROM visits v WHERE v.customer = visits.customer AND v.month ="
            " visits.month AND v.minutes > 5)"
        ),
    ),
    (ORDERS, "EXISTS (SELECT 1 FROM items WHERE items.order_number = orders.number AND price > 1)"),
    (ORDERS, "number NOT IN (SELECT order_number FROM items WHERE kind = 'book')"),
    (ITEMS, "item IN (SELECT item FROM returns WHERE days > 3)"),
    (ITEMS, "NOT EXISTS (SELECT 1 FROM returns r WHERE r.item = items.item)"),
    *((words, test) for words, tests in SAME_CUSTOMER for test in tests),
)


def chosen(random: Random) -> Words:
    """Rows that have others in another table."""
    words, test = random.choice(AMONG)
    return replace(words, source=f"(SELECT * FROM {words.source} WHERE {test})")


def shop_question(random: Random) -> str:
    """A whole question."""
    made = random.random()
    if made < 0.12:
        return asked(random, parted(random))
    if made < 0.4:
        return asked(random, random.choice(AT_HAND))
    if made < 0.5:
        return asked(random, chosen(random))
    return asked(
        random,
        random.choice(JOINED) if made < 0.76 else folded(random) if made < 0.9 else derived(random),
    )
