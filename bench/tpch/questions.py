"""Nine questions of TPC-H: as the specification has them (with its validation values), and as
they are put to a private database.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["QUESTIONS", "Asked", "closer"]


@dataclass(frozen=True, slots=True)
class Asked:
    """``sql`` as the specification has it. ``private``: with the smallest change that gets an
    answer, which ``change`` says in words. The first ``keys`` columns of an answer are keys.
    ``limit``: what one customer puts into a sum of one group at most, ``groups``: into how many
    groups. They were chosen with a look at the data; an analyst has to guess."""

    number: int
    sql: str
    keys: int
    limit: int | None = None
    groups: int | None = None
    private: str = ""
    change: str = "none"

    def __post_init__(self) -> None:
        object.__setattr__(self, "private", self.private or self.sql)

    @property
    def all_cells(self) -> str:
        """The private question for a plain database, with all rows that an answer could have."""
        return self.private.split(" ORDER BY ")[0]

    @property
    def closer(self) -> str | None:
        """The private question, told the limit; None where nobody would know one."""
        return None if self.limit is None else closer(self.private, self.limit, self.groups)


def closer(sql: str, limit: int, groups: int | None) -> str:
    """Every SUM and COUNT(*) with bounds on what one customer puts in, and the question with its
    number of groups.
    """
    pieces, place = [], 0
    while (
        found := min(
            (at for word in ("SUM(", "COUNT(*") if (at := sql.find(word, place)) >= 0), default=-1
        )
    ) >= 0:
        end, depth = sql.index("(", found) + 1, 1
        while depth:
            depth += {"(": 1, ")": -1}.get(sql[end], 0)
            end += 1
        pieces.append(f"{sql[place : end - 1]}, contribution_bounds_per_group => (0, {limit}))")
        place = end
    told = "".join(pieces) + sql[place:]
    return (
        told
        if groups is None
        else told.replace(
            "SELECT",
            f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = {groups})",
            1,
        )
    )


_1 = """\
SELECT l_returnflag, l_linestatus, SUM(l_quantity) AS sum_qty,
       SUM(l_extendedprice) AS sum_base_price,
       SUM(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
       SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
       AVG(l_quantity) AS avg_qty, AVG(l_extendedprice) AS avg_price, AVG(l_discount) AS avg_disc,
       COUNT(*) AS count_order
FROM lineitem WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus"""
_3 = """\
SELECT l_orderkey, SUM(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
  AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
GROUP BY l_orderkey, o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10"""
_4 = """\
SELECT o_orderpriority, COUNT(*) AS order_count FROM orders
WHERE o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
  AND EXISTS (SELECT * FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
GROUP BY o_orderpriority ORDER BY o_orderpriority"""
_5 = """\
SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey
  AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
  AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY n_name ORDER BY revenue DESC"""
_6 = """\
SELECT SUM(l_extendedprice * l_discount) AS revenue FROM lineitem
WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
  AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24"""
_10 = """\
SELECT c_custkey, c_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal, n_name,
       c_address, c_phone, c_comment
FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01'
  AND o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH AND l_returnflag = 'R'
  AND c_nationkey = n_nationkey
GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment ORDER BY revenue DESC
  LIMIT 20"""
_12 = """\
SELECT l_shipmode,
       SUM(CASE WHEN o_orderpriority = '1-URGENT' OR o_orderpriority = '2-HIGH' THEN 1 ELSE 0 END)
           AS high_line_count,
       SUM(CASE WHEN o_orderpriority <> '1-URGENT' AND o_orderpriority <> '2-HIGH' THEN 1
           ELSE 0 END) AS low_line_count
FROM orders, lineitem
WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP') AND l_commitdate < l_receiptdate
  AND l_shipdate < l_commitdate
  AND l_receiptdate >= DATE '1994-01-01' AND l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY l_shipmode ORDER BY l_shipmode"""
_14 = """\
SELECT 100.00 * SUM(CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount)
       ELSE 0 END)
       / SUM(l_extendedprice * (1 - l_discount)) AS promo_revenue
FROM lineitem, part
WHERE l_partkey = p_partkey AND l_shipdate >= DATE '1995-09-01'
  AND l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH"""
_19 = """\
SELECT SUM(l_extendedprice * (1 - l_discount)) AS revenue FROM lineitem, part
WHERE (p_partkey = l_partkey AND p_brand = 'Brand#12'
       AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
       AND l_quantity >= 1 AND l_quantity <= 1 + 10 AND p_size BETWEEN 1 AND 5
       AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')
   OR (p_partkey = l_partkey AND p_brand = 'Brand#23'
       AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
       AND l_quantity >= 10 AND l_quantity <= 10 + 10 AND p_size BETWEEN 1 AND 10
       AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')
   OR (p_partkey = l_partkey AND p_brand = 'Brand#34'
       AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
       AND l_quantity >= 20 AND l_quantity <= 20 + 10 AND p_size BETWEEN 1 AND 15
       AND l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON')"""

_3_BY_DAY = """\
SELECT o_orderdate, o_shippriority, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
  AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
GROUP BY o_orderdate, o_shippriority ORDER BY revenue DESC, o_orderdate LIMIT 10"""
_10_BY_NATION = """\
SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= DATE '1993-10-01'
  AND o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH AND l_returnflag = 'R'
  AND c_nationkey = n_nationkey
GROUP BY n_name ORDER BY revenue DESC LIMIT 20"""

QUESTIONS = (
    Asked(1, _1, 2),
    Asked(
        3,
        _3,
        2,
        400_000,
        2,
        _3_BY_DAY,
        "by day of the order, not by order: nobody may see a single order",
    ),
    Asked(4, _4, 1, 3, 3),
    Asked(5, _5, 1, 200_000, 1),
    Asked(6, _6, 0, 20_000),
    Asked(
        10,
        _10,
        1,
        500_000,
        1,
        _10_BY_NATION,
        "by nation, not by customer: nobody may see a single customer",
    ),
    Asked(12, _12, 1, 4, 2),
    Asked(14, _14, 0, 400_000),
    Asked(19, _19, 0, 60_000),
)
