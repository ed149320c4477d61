"""Designs: the variance of discrete noise, each cell by itself, the best of several."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.publish.designs import Cellwise, Design, chosen, errors, expected_error, noise_variance
from hedgerow.publish.terms import Terms
from hedgerow.publish.tree import Ranges, Tree
from publish.reading import FAR, drawn, exact_variance, off, price_of

PURE = Terms(epsilon=Fraction(1))


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(19, 10), Fraction(2), Fraction(7, 2), Fraction(40)], ids=str)
@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_variances_are_those_of_the_discrete_law(kind: type[Laplace] | type[Gaussian], scale: Fraction) -> None:
    assert noise_variance(kind(scale)) == pytest.approx(exact_variance(kind(scale)), rel=1e-12)


def test_hardly_any_noise_has_hardly_any_variance() -> None:
    assert noise_variance(Laplace(Fraction(1, 2000))) == 0
    assert noise_variance(Gaussian(Fraction(1, 2000))) == 0


@pytest.mark.parametrize("terms", [PURE, Terms(rho=Fraction(1, 2), relation="change-one"), Terms(epsilon=Fraction(1, 3), rows=2)], ids=str)
def test_each_cell(terms: Terms) -> None:
    design = Cellwise.plan((2, 5, 3), (0, 2), terms)
    ((block, law),) = design.measurements
    assert (design.name, block.shape, law) == ("each cell", (2, 3), design.law)
    assert design.answers([np.arange(6).reshape(2, 3)]).tolist() == [0, 1, 2, 3, 4, 5]
    spent = price_of(design, terms)
    assert float(spent.epsilon if terms.pure else spent.rho) == pytest.approx(float(terms.epsilon or terms.rho or 0), rel=1e-9)
    assert design.radii(0.05).tolist() == [float(law.error(0.05))] * 6
    assert (off(drawn(design), design.variances()) < FAR).all()
    assert (off(drawn(design), design.variances() * 1.25) > FAR).all()


def test_places_outside_are_refused() -> None:
    for place in (2, -1):
        with pytest.raises(InvalidArgument, match="places"):
            Cellwise.plan((2, 2), (place,), PURE)


def test_the_least_expected_error_is_chosen() -> None:
    ranges = Ranges.cumulative(64)
    flat, tree = (Tree.of(0, ranges, widths, PURE) for widths in ((1,), (1, 8)))
    designs: list[Design] = [flat, tree]
    assert chosen(designs) is tree
    assert expected_error(tree) == pytest.approx(tree.variances().sum())
    # Those who ask for the first few codes only are better off with each cell.
    first = (np.arange(64) < 3).astype(np.float64)
    assert chosen(designs, first) is flat
    assert chosen([flat, Tree.of(0, ranges, (1,), PURE)]) is flat
    with pytest.raises(InvalidArgument, match="at least one"):
        chosen([])


def test_errors_in_rows_have_room_for_what_is_lost() -> None:
    rows, parts = PURE, Terms(epsilon=Fraction(1), fine=1024, losing=(10, 100))
    lost = np.array([0.0, 0.0, parts.lost(1)])
    whole, fine = (Cellwise.plan((3,), (0,), terms) for terms in (rows, parts))
    assert errors(whole, rows, 0.05, np.zeros(3))[1].tolist() == whole.radii(0.05).tolist()
    variances, radii, lacking = errors(fine, parts, 0.05, lost)
    assert variances == pytest.approx([2.0] * 3, rel=1e-6)
    assert radii == pytest.approx(np.log(20) + lost, rel=1e-3)
    assert lacking == pytest.approx(10 / 1024 / 2**0.5, rel=1e-6)
