"""The report: one file that loads nothing and runs nothing, says the truth about the price, and
escapes what it quotes.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from html.parser import HTMLParser

import duckdb
import pytest
from pyarrow import parquet

from hedgerow.privacy.loss import Loss
from hedgerow.publish.kinds.cdf import specify_cdf
from hedgerow.publish.kinds.histogram import specify_histogram, specify_sparse_histogram
from hedgerow.publish.kinds.marginals import specify_marginals
from hedgerow.publish.output.report import build_report, describe_guarantee
from hedgerow.publish.privacy_parameters import PrivacyParameters
from publish import helpers_drafts as drafts

HALF = PrivacyParameters(Fraction(1, 2), rows=3)
VOID = {"meta", "br", "rect", "line", "path", "polygon", "polyline"}


class Reader(HTMLParser):
    """Every tag is closed where it should be; collects tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID or tag == "rect":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def page(
    attributes: tuple[drafts.Attribute, ...],
    kind: object = specify_histogram,
    terms: PrivacyParameters = HALF,
    **options: object,
) -> str:
    sketch, found = drafts.made(kind, attributes, terms, **options)  # type: ignore[arg-type]
    return build_report(drafts.receipt(sketch, found, terms), found.table)


@pytest.mark.parametrize(
    ("attributes", "kind", "options"),
    [
        ((drafts.AGE, drafts.REGION), specify_histogram, {}),
        ((drafts.AGE, drafts.REGION, drafts.SMOKER), specify_histogram, {}),
        ((drafts.AGE,), specify_cdf, {}),
        ((drafts.AGE, drafts.REGION, drafts.SMOKER), specify_marginals, {"ways": 2}),
        ((drafts.AGE, drafts.REGION), specify_sparse_histogram, {"delta": Fraction(1, 10**6)}),
    ],
)
def test_every_kind_has_a_page_that_loads_nothing_and_runs_nothing(
    attributes: tuple[drafts.Attribute, ...], kind: object, options: dict[str, object]
) -> None:
    text = page(attributes, kind, **options)
    read = Reader(text)
    names = [tag for tag, _ in read.tags]
    assert not {"script", "link", "img", "iframe", "object", "b"} & set(names)
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|url\(|@import|\bon[a-z]+=", text)
    drawn = [attrs for tag, attrs in read.tags if tag == "svg"]
    assert drawn
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in drawn)
    assert names.count("table") >= len(drawn)
    assert all(attrs.get("scope") == "col" for tag, attrs in read.tags if tag == "th")
    for wanted in (
        "visits where age < 90, version 2026-10",
        "the budget of patients",
        "2026-11-16 06:30:00 UTC",
    ):
        assert wanted in read.text
    assert "prefers-color-scheme:dark" in text
    assert "@media print" in text


def cost(
    loss: Loss, relation: str = "add-remove", owner: str = "id", rows: int = 3
) -> dict[str, object]:
    return {"cost": loss.to_dict(), "unit": {"neighbours": relation, "owner": owner, "rows": rows}}


def test_the_guarantee_in_one_sentence() -> None:
    assert (
        describe_guarantee(cost(Loss(Fraction(1))))
        == "Adding or removing all rows of one id (up to 3 rows) changes the probability of"
        " any outcome of this publication by a factor of at most 2.718."
    )
    assert describe_guarantee(cost(Loss(Fraction(1, 10)), "change-one", "row", 1)).startswith(
        "Changing one row changes"
    )
    assert "(up to 1 row)" in describe_guarantee(cost(Loss(Fraction(1)), rows=1))
    assert describe_guarantee(cost(Loss(Fraction(1), Fraction(1, 10**9)))).endswith(
        "2.718, except with a probability of 1e-09."
    )
    gaussian = describe_guarantee(cost(Loss(math.inf, rho=Fraction(1, 50))))
    epsilon = Loss(math.inf, rho=Fraction(1, 50)).epsilon_at(Fraction(1, 10**6))
    assert f"at most {math.exp(float(epsilon)):.3f}, except with a probability of 1e-06" in gaussian
    assert "at most 22,026." in describe_guarantee(cost(Loss(Fraction(10))))
    assert "e^1,000" in describe_guarantee(cost(Loss(Fraction(1000))))


def test_the_sql_that_it_shows_runs(tmp_path: object) -> None:
    for attributes, kind, options in (
        ((drafts.AGE, drafts.REGION), specify_histogram, {}),
        ((drafts.AGE,), specify_cdf, {}),
        ((drafts.AGE, drafts.REGION), specify_marginals, {"ways": 2}),
    ):
        sketch, found = drafts.made(kind, attributes, HALF, **options)
        parquet.write_table(found.table, f"{tmp_path}/data.parquet")
        text = build_report(drafts.receipt(sketch, found, HALF), found.table)
        (code,) = re.findall("<code>(.*?)</code>", text)
        sql = (
            code.replace("&#x27;", "'")
            .replace("&quot;", '"')
            .replace("&lt;", "<")
            .replace("'data.parquet'", f"'{tmp_path}/data.parquet'")
        )
        assert duckdb.connect().execute(sql).fetchall()


def test_quality_is_shown_at_the_top_and_in_tables() -> None:
    sketch, found = drafts.made(specify_histogram, (drafts.AGE,), HALF)
    receipt = drafts.receipt(sketch, found, HALF)
    receipt["facts"] = found.facts | {
        "quality": {
            "attributes": {"age": 0.025, "region": 0.5},
            "pairs": [
                {
                    "places": ["age", "region"],
                    "expected_error": 0.125,
                    "dependence": 0.25,
                    "measured_dependence": 0.375,
                }
            ],
            "check": {"pairs": [["age", "region"]], "error": 0.03, "at_most": 0.045},
            "task": None,
        }
    }
    read = Reader(build_report(receipt, found.table))
    text = " ".join(read.text)
    assert (
        text.index("about 3 %, at most 4.5 % with 95 % confidence")
        < text.index("Expected error")
        < text.index("About 3 % of the rows")
    )
    for wanted in (
        "misplaced rows, expected",
        "2.5 %",
        "12 %",
        "0.38",
        "age × region",
        "dependence measured",
    ):
        assert wanted in text
    assert "_" not in text.replace("count_low", "").replace("count_high", "").replace(
        "count_clean", ""
    ).replace("age_from", "")


def test_an_empty_publication_says_so() -> None:
    sketch, found = drafts.made(
        specify_sparse_histogram, (drafts.AGE,), HALF, delta=Fraction(1, 10**6)
    )
    assert "The table is empty" in build_report(
        drafts.receipt(sketch, found, HALF), found.table.slice(0, 0)
    )


def test_names_that_are_not_plain_are_quoted_in_sql() -> None:
    odd = drafts.Attribute('Age "x"', "integer", (1, 2))
    assert "SELECT &quot;Age &quot;&quot;x&quot;&quot;&quot;, sum(count)" in page((odd,))
    assert "SELECT * EXCLUDE" in page((drafts.AGE, drafts.REGION), specify_marginals, ways=2)
    sketch, found = drafts.made(specify_histogram, (drafts.SMOKER,), HALF)
    synthetic = drafts.receipt(sketch, found, HALF) | {"kind": "synthetic"}
    assert "count(*)" in build_report(synthetic, found.table.select(["smoker"]))
