"""Which pictures tell which publication, and that they show its numbers."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.accuracy.noise_sum import find_sum_radius
from hedgerow.mechanisms import Laplace
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.kinds.cdf import specify_cdf, specify_running_totals
from hedgerow.publish.kinds.histogram import specify_histogram, specify_sparse_histogram
from hedgerow.publish.kinds.marginals import specify_marginals
from hedgerow.publish.output.figures import build_figures
from hedgerow.publish.privacy_parameters import PrivacyParameters
from publish import helpers_drafts as drafts

PRICE = PrivacyParameters(Fraction(1, 2))


def test_a_histogram_of_numbers_has_bars_and_what_they_say() -> None:
    sketch, found = drafts.made(specify_histogram, (drafts.AGE,), PRICE)
    bars, said = build_figures("histogram", sketch.domain, found.table, found.facts)
    assert bars.caption == "Rows by age"
    counts = found.table.column("count").to_pylist()
    assert [row[0] for row in bars.rows] == [
        "0 to 19",
        "20 to 39",
        "40 to 59",
        "60 to 79",
        "80 to 99",
    ]
    assert [int(row[1].replace(",", "").replace("−", "-")) for row in bars.rows] == counts
    assert [
        int(row[2].replace(",", "").replace("−", "-")) for row in bars.rows
    ] == found.table.column("count_low").to_pylist()
    assert [row[0] for row in said.rows] == [
        "mean",
        "first quartile",
        "median",
        "third quartile",
        "standard deviation",
    ]
    assert not said.drawing


def test_more_bins_than_fit_are_added_up_and_their_intervals_with_them() -> None:
    sketch, found = drafts.made(specify_histogram, (drafts.INCOME,), PRICE)
    bars, _ = build_figures("histogram", sketch.domain, found.table, found.facts)
    assert len(bars.rows) == 50
    assert "4 neighbouring codes" in bars.note
    assert bars.rows[0][0] == "0 to 20"
    counts = found.table.column("count").to_numpy()
    number, low, high = (int(text.replace(",", "").replace("−", "-")) for text in bars.rows[3][1:])
    assert number == counts[12:16].sum()
    assert (
        high - number == number - low == find_sum_radius(Laplace(Fraction(2)), 4, Fraction(1, 20))
    )


def test_whole_numbers_that_are_added_up_say_from_which_to_which() -> None:
    years = Attribute("year", "integer", tuple(range(1900, 2000)))
    sketch, found = drafts.made(specify_histogram, (years,), PRICE)
    bars, _ = build_figures("histogram", sketch.domain, found.table, found.facts)
    assert [row[0] for row in bars.rows][:2] == ["1900 to 1901", "1902 to 1903"]
    ages = Attribute("age", "integer", edges=tuple(map(Fraction, range(0, 121, 2))))
    sketch, found = drafts.made(specify_histogram, (ages,), PRICE)
    bars, _ = build_figures("histogram", sketch.domain, found.table, found.facts)
    assert bars.rows[1][0] == "2 to 3"
    under = [text.text for text in ElementTree.fromstring(bars.drawing).iter("text")]
    assert "0" in under
    assert "2 to 3" not in under  # where a bin begins is enough


def test_two_attributes_have_shades_and_each_its_bars() -> None:
    sketch, found = drafts.made(specify_histogram, (drafts.INCOME, drafts.REGION), PRICE)
    shaded, bars, _, names = build_figures("histogram", sketch.domain, found.table, found.facts)
    assert shaded.caption == "income (down) by region (across)"
    assert "merged" in shaded.note
    assert len(list(ElementTree.fromstring(shaded.drawing).iter("rect"))) == 40 * 3
    assert "12 cells" in bars.note
    assert [row[0] for row in names.rows] == list(drafts.REGION.values or ())


def test_running_totals_have_a_line_and_a_long_one_is_thinned_out() -> None:
    sketch, found = drafts.made(specify_cdf, (drafts.AGE,), PRICE)
    (line,) = build_figures("cdf", sketch.domain, found.table, found.facts)
    assert line.caption == "Rows at or below each age"
    assert "polyline" in line.drawing
    sketch, found = drafts.made(specify_running_totals, (drafts.DAY,), PRICE)
    (line,) = build_figures("stream", sketch.domain, found.table, found.facts)
    assert "One of every 2" in line.note
    assert len(line.rows) == 200
    assert "The first 200 of 500" in line.truncation_note


def test_marginals_have_bars_for_one_and_shades_for_two() -> None:
    sketch, found = drafts.made(
        specify_marginals,
        (drafts.AGE, drafts.REGION, drafts.INCOME, drafts.SMOKER),
        PrivacyParameters(rho=Fraction(1, 2)),
        ways=2,
    )
    captions = [
        figure.caption
        for figure in build_figures("marginals", sketch.domain, found.table, found.facts)
    ]
    among = f", {sketch.domain.row_scope}"
    assert among == ", among rows with a value in all of age, region, income, smoker"
    assert all(caption.endswith(among) for caption in captions)
    captions = [caption.removesuffix(among) for caption in captions]
    assert captions[:3] == [
        "Rows by age",
        "Rows by region",
        "Rows by income",
    ]
    assert captions[3:5] == ["age (down) by income (across)", "region (down) by income (across)"]
    sketch, found = drafts.made(
        specify_marginals,
        (drafts.AGE, drafts.REGION),
        PrivacyParameters(rho=Fraction(1, 2)),
        ways=1,
    )
    assert len(build_figures("marginals", sketch.domain, found.table, found.facts)) == 2


def test_counts_that_were_asked_for_lie_beside_their_conditions() -> None:
    table = pa.table(
        {
            "question": ["a = 1", "b > 2", "c < 3"],
            "count": [1.6, 2000.2, -3.5],
            "count_low": [0.5, 1000.0, -7.5],
            "count_high": [2.5, 3000.1, 0.5],
        }
    )
    (figure,) = build_figures("queries", Domain((drafts.AGE,)), table, {})
    assert figure.rows == (
        ("a = 1", "2", "0", "3"),
        ("b > 2", "2,000", "1,000", "3,001"),
        ("c < 3", "0", "0", "1"),
    )
    assert "whole rows" in figure.note


def test_a_sparse_histogram_shows_the_largest_combinations() -> None:
    sketch, found = drafts.made(
        specify_sparse_histogram, (drafts.AGE, drafts.REGION), PRICE, delta=Fraction(1, 10**6)
    )
    (figure,) = build_figures(sketch.kind, sketch.domain, found.table, found.facts)
    largest = np.sort(found.table.column("count").to_numpy())[::-1]
    assert int(figure.rows[0][1].replace(",", "")) == largest[0]
    assert figure.rows[0][0].split(", ")[0] in {drafts.AGE.label(code) for code in range(5)}
    assert build_figures(sketch.kind, sketch.domain, found.table.slice(0, 0), found.facts) == []


@pytest.mark.parametrize("size", [3, 100])
def test_many_names_are_cut_to_the_largest(size: int) -> None:
    names = Attribute("town", "text", tuple(f"town {i}" for i in range(size)))
    sketch, found = drafts.made(specify_histogram, (names,), PRICE)
    (figure,) = build_figures("histogram", sketch.domain, found.table, found.facts)
    assert ("60 largest of 100" in figure.note) == (size == 100)
    assert len(list(ElementTree.fromstring(figure.drawing).iter("rect"))) == min(size, 60)


def test_synthetic_rows_are_counted() -> None:
    table = pa.table(
        {
            "age": pa.array([0, 19, 20, 99, 99]),
            "region": (
                pa.array(["South", "South", "<b>East</b>", "South", "South"]).dictionary_encode()
            ),
            "day": pa.array(list((drafts.DAY.values or ())[:5])),
        }
    )
    months = Attribute("day", "date", edges=tuple(Fraction(739_000 + i) for i in (0, 2, 30)))
    age, region, day = build_figures(
        "synthetic", Domain((drafts.AGE, drafts.REGION, months)), table, {}
    )
    assert [row[1] for row in age.rows] == ["2", "1", "0", "0", "2"]
    assert [row[1] for row in region.rows] == ["0", "4", "1"]
    assert [row[1] for row in day.rows] == ["2", "3"]
    many = Attribute("age", "text", tuple(map(str, range(100))))
    (cut,) = build_figures("synthetic", Domain((many,)), pa.table({"age": ["5", "7", "7"]}), {})
    assert "60 largest of 100" in cut.note
