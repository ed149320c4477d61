"""The pictures of docs/concepts: ``python -m bench.concept_figures`` draws them anew. All but
one are computed, not drawn by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from math import comb, exp, log, log10, sqrt

import numpy as np

from bench.figure_axes import AMBER, BLUE, BLUES, GREEN, GREY, RED, Axes, Law, draw_legend
from bench.figures import Picture
from hedgerow import Loss
from hedgerow.mechanisms import Gaussian, Laplace, RandomizedResponse, SmoothSensitivity
from hedgerow.privacy.loss import convert_rho_to_epsilon
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample
from hedgerow.verify.divergence import privacy_curve

__all__ = ["main"]

HALF = Fraction(1, 2)


def _count(exact: int, outcomes: Iterable[int]) -> dict[int, float]:
    """A count with noise of epsilon ln 3."""
    noise = Laplace.calibrate(sensitivity=1, epsilon=log(3))
    return {y: exp(noise.log_prob(y, exact)) for y in outcomes}


def guarantee() -> None:
    """Two neighbours, and the ratio between them."""
    picture, answers = Picture(720, 420), range(6, 18)
    without, with_ann = _count(11, answers), _count(12, answers)
    above = Axes(picture, (60, 40, 620, 190), (5.4, 17.6), (0, 0.55))
    above.ticks(
        {},
        {p / 10: f"{10 * p} %" for p in range(6)},
        title=(
            "how likely each answer is, when 11 patients are infected, and when Ann is the twelfth"
        ),
    )
    above.pair(without, with_ann)
    below = Axes(picture, (60, 285, 620, 70), (5.4, 17.6), (1 / 4, 4), y_scale=log)
    band = [below.at(5.4, 3), below.at(17.6, 1 / 3)]
    shape = (
        f'x="{band[0][0]:.1f}" y="{band[0][1]:.1f}" width="{band[1][0] - band[0][0]:.1f}"'
        f' height="{band[1][1] - band[0][1]:.1f}"'
    )
    picture.parts.append(f'<rect {shape} fill="#dbeafe"/>')
    title = "how many times as likely with Ann: never beyond e^epsilon, here 3"
    below.ticks({y: str(y) for y in answers}, {1 / 3: "1/3", 1: "1", 3: "3"}, "noisy count", title)
    below.dots([(y, with_ann[y] / without[y]) for y in answers], BLUE, 4)
    draw_legend(picture, 408, 60, 130, (("without Ann", GREY), ("with Ann", BLUE)))
    picture.write(
        "concepts-guarantee.svg",
        "Probabilities of noisy counts with and without one person, and their ratios, which stay"
        " between 1/3 and 3",
    )


def post_processing() -> None:
    """As it is, clamped, and drawn again by a look at the data."""
    picture = Picture(720, 330)
    answers = range(-1, 9)

    def clamped(exact: int) -> dict[int, float]:
        law = _count(exact, range(9))
        return law | {0: 1 - sum(p for y, p in law.items() if y > 0) - 3.0**-5 / 8}

    def near(exact: int) -> dict[int, float]:
        law = _count(exact, range(exact - 2, exact + 3))
        return {y: p / sum(law.values()) for y, p in law.items()}

    panels = (
        ("as it is", _count, "at most 3 times as likely", GREEN),
        ("not below 0", lambda exact, _: clamped(exact), "at most 3 times as likely: free", GREEN),
        (
            "drawn again until near",
            lambda exact, _: near(exact),
            "1 and 6: from one of them only",
            RED,
        ),
    )
    for place, (title, law, verdict, colour) in enumerate(panels):
        axes = Axes(picture, (50 + 228 * place, 45, 192, 190), (-1.6, 8.6), (0, 0.62))
        axes.ticks(
            {y: str(y) for y in answers}, {p / 10: f"{10 * p} %" for p in (0, 2, 4, 6)}, title=title
        )
        axes.pair(law(3, answers), law(4, answers))
        picture.words(50 + 228 * place, 273, verdict, colour=colour, bold=True)
    axes.note(0.7, 0.09, "!", RED, "middle")
    axes.note(6.3, 0.09, "!", RED, "middle")
    draw_legend(
        picture, 308, 50, 200, (("without Ann: 3 exactly", GREY), ("with Ann: 4 exactly", BLUE))
    )
    picture.write(
        "concepts-post-processing.svg",
        "A noisy count as it is, clamped at 0, and drawn again until it is near the exact one, for"
        " two neighbours",
    )


def composition() -> None:
    """Total epsilon against the number of answers."""
    picture = Picture(720, 380)
    axes = Axes(picture, (50, 45, 560, 270), (0, 320), (0, 12))
    across = {float(k): str(k) for k in range(0, 321, 40)}
    axes.ticks(
        across,
        {float(e): str(e) for e in range(0, 13, 2)},
        "answers, each of epsilon 0.095 (ln 1.1)",
        "epsilon in all, at delta 10⁻⁶",
    )
    one = RandomizedResponse(truth=Fraction(1, 21)).loss()
    axes.curve([(k, float((k * one).epsilon)) for k in (1, 125)], AMBER)
    axes.curve([(k, _by_rho(k * one)) for k in range(1, 321, 3)], BLUE)
    axes.dots([(k, _survey(k)) for k in (1, 5, 10, *range(20, 321, 20))], GREEN, 3.5)
    axes.note(128, 11.6, "added up", AMBER)
    axes.note(325, _by_rho(320 * one) - 0.1, "by rho", BLUE)
    axes.note(325, _survey(320) - 0.3, "exactly", GREEN)
    picture.write(
        "concepts-composition.svg", "Total epsilon of many answers: added up, by rho, and exactly"
    )


def _by_rho(loss: Loss) -> float:
    return float(convert_rho_to_epsilon(loss.rho, Fraction(1, 10**6)))


def _survey(k: int) -> float:
    """The least epsilon of k answers at delta 10^-6, exactly."""
    laws = [
        {y: comb(k, y) * p**y * (1 - p) ** (k - y) for y in range(k + 1)}
        for p in (Fraction(11, 21), Fraction(10, 21))
    ]
    return float(privacy_curve(*laws).epsilon_at(1e-6))


def group() -> None:
    """Belief against the size of a group."""
    picture = Picture(720, 370)
    axes = Axes(picture, (60, 45, 590, 260), (1, 1000), (0.5, 1), x_scale=log10)
    across = {float(k): f"{k:,}" for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)}
    up = {p / 100: f"{p} %" for p in range(50, 101, 10)}
    axes.ticks(
        across,
        up,
        "people in the group",
        "how sure one can become that a group is in the table, from 50 %",
    )
    sizes = np.geomspace(1, 1000, 200).tolist()
    for epsilon, colour, where in (
        (1, BLUES[3], 1.35),
        (0.3, BLUES[2], 4.3),
        (0.1, BLUES[1], 13),
        (0.01, BLUES[0], 130),
    ):
        axes.curve([(k, 1 / (1 + exp(-k * epsilon))) for k in sizes], colour, 2.5)
        x, y = axes.at(where, 1 / (1 + exp(-where * epsilon)))
        picture.words(x + 8, y + 6, f"epsilon {epsilon:g}", colour=colour, bold=True)
    picture.write(
        "concepts-group.svg",
        "How sure one can become that a group is in the table, against its size, for four epsilons",
    )


def delta() -> None:
    """Three curves that all pass at (1, 1/1000)."""
    picture = Picture(720, 390)
    axes = Axes(picture, (70, 45, 510, 280), (0, 4), (1e-16, 1), y_scale=log10)
    marks = {0: "1", -3: "1/1000", -6: "10⁻⁶", -9: "10⁻⁹", -12: "10⁻¹²", -15: "10⁻¹⁵"}
    axes.ticks(
        {e / 2: f"{e / 2:g}" for e in range(9)},
        {10.0**k: label for k, label in marks.items()},
        "epsilon",
        "the delta that is needed at each epsilon",
    )
    noise, q = Gaussian.calibrate(sensitivity=1, epsilon=1, delta=Fraction(1, 1000)), exp(-1)
    grid = [Fraction(k, 50) for k in range(201)]
    gaussian = [(float(e), noise.delta(e, sensitivity=1)) for e in grid[1:]]
    laplace = [
        (e, (1 - exp(e - 1)) / (1 + q))
        for e in (*np.linspace(0, 0.98, 60).tolist(), *(1 - 10.0**-k for k in range(2, 16)))
    ]
    axes.curve([(0, 1e-3), (4, 1e-3)], RED, 2.5)
    axes.curve([point for point in gaussian if point[1] > 1e-16], BLUE, 2.5)
    axes.curve([*laplace, (1, 1e-16)], GREEN, 2.5)
    axes.dots([(1, 1e-3)], "#334155", 4.5)
    axes.note(4.06, 5e-4, "name and shame", RED)
    axes.note(2.75, 1e-11, "Gaussian noise", BLUE)
    axes.note(0.93, 1e-11, "Laplace noise", GREEN, "end")
    axes.note(1.08, 6e-3, "all three keep (1, 1/1000)", "#334155")
    picture.write(
        "concepts-delta.svg",
        "Delta against epsilon for name and shame, Gaussian noise and Laplace noise",
    )


def local_sensitivity() -> None:
    """Answers from two neighbours, by local and by smooth sensitivity."""
    picture, step, centres = Picture(720, 350), 250, range(-8, 9)
    wards = [SortedSample.from_values([3, 3, 3, far, 365], lower=0, upper=365) for far in (3, 365)]
    median = Quantile(HALF, "change-one")
    smooth = SmoothSensitivity.calibrate(epsilon=1, bound=365, gamma=3)
    loud, sizes = (
        Laplace(scale=Fraction(362)),
        [median.smooth_sensitivity(ward, smooth.beta) for ward in wards],
    )

    def binned(chance: Callable[[object], object]) -> dict[int, float]:
        """Shares of answers in bins of ``step`` days, the middle one around 3."""
        offsets = np.arange(step) - step // 2 + 3
        return {
            place: float(np.exp(np.asarray(chance(place * step + offsets))).sum())
            for place in centres
        }

    quiet = {place: float(place == 0) for place in centres}
    alike = [binned(partial(_smooth_log, smooth, size)) for size in sizes]
    panels: list[tuple[str, Law, Law, str, str]] = [
        (
            "noise scaled to local sensitivity",
            quiet,
            binned(lambda y: loud.log_prob(y, 3)),
            "the noise gives the ward away",
            RED,
        ),
        (
            "noise scaled to smooth sensitivity",
            alike[0],
            alike[1],
            "alike, within a factor of e^epsilon",
            GREEN,
        ),
    ]
    for place, (title, one, other, verdict, colour) in enumerate(panels):
        axes = Axes(picture, (55 + 345 * place, 45, 300, 200), (-8.6, 8.6), (0, 1))
        days = {float(k): f"{k * step:,}" for k in (-8, -4, 0, 4, 8)}
        axes.ticks(
            days, {p / 100: f"{p} %" for p in (0, 20, 40, 60, 80, 100)}, "noisy median, days", title
        )
        axes.pair(one, other)
        picture.words(55 + 345 * place, 302, verdict, colour=colour, bold=True)
    draw_legend(
        picture,
        332,
        55,
        230,
        (("quiet ward: 3 3 3 3 365", GREY), ("loud ward: 3 3 3 365 365", BLUE)),
    )
    picture.write(
        "concepts-local-sensitivity.svg",
        "Answers from two neighbouring wards by noise scaled to local and to smooth sensitivity",
    )


def _smooth_log(mechanism: SmoothSensitivity, size: Fraction, answers: object) -> object:
    return mechanism.log_prob(answers, 3, size)


def belief() -> None:
    """What one believes afterwards."""
    picture = Picture(720, 400)
    left = Axes(picture, (55, 45, 290, 290), (0, 1), (0, 1))
    percents = {p / 100: f"{p} %" for p in range(0, 101, 20)}
    left.ticks(
        percents, percents, "belief before", "belief after, at most and at least, by epsilon"
    )
    priors = np.linspace(0, 1, 101).tolist()
    left.curve([(0, 0), (1, 1)], GREY, 1.2, "4 3")
    for epsilon, colour in zip((0.3, 1, 2, 4), BLUES, strict=True):
        for signed in (epsilon, -epsilon):
            left.curve(
                [(p, p * exp(signed) / (p * exp(signed) + 1 - p)) for p in priors], colour, 2
            )
        left.note(
            1 / (1 + exp(epsilon / 2)) - 0.015,
            1 / (1 + exp(-epsilon / 2)) + 0.02,
            f"{epsilon:g}",
            colour,
            "end",
        )
    right = Axes(picture, (420, 45, 270, 290), (0, 4), (0.5, 1))
    right.ticks(
        {float(e): str(e) for e in range(5)},
        {p / 100: f"{p} %" for p in range(50, 101, 10)},
        "epsilon of all answers",
        "from 50 %: one secret bit",
    )
    grid = np.linspace(0, 4, 100).tolist()
    right.curve([(e, 1 / (1 + exp(-2 * e))) for e in grid], AMBER, 2.5)
    right.curve([(e, 1 - exp(-e) / 2) for e in grid], AMBER, 2, "5 4")
    right.curve([(e, 1 / (1 + exp(-e))) for e in grid], BLUE, 2.5)
    picture.parts.append('<rect x="482" y="240" width="208" height="88" fill="#fff"/>')
    rows = (
        "belief in an attribute, add-remove",
        "guessing it right, add-remove",
        "both, under change-one;",
        "or presence, under add-remove",
    )
    for row, text in enumerate(rows):
        picture.words(516, 258 + 20 * row, text, size=11)
    for row, (colour, dashes) in enumerate(((AMBER, ""), (AMBER, "5 4"), (BLUE, ""))):
        picture.line([(487, 254 + 20 * row), (511, 254 + 20 * row)], colour, 2.5, dashes)
    picture.write(
        "concepts-belief.svg",
        "Belief after an answer against belief before, and against epsilon from fifty-fifty",
    )


def averaging() -> None:
    """Off by how much, against the number of answers. The dots are draws."""
    picture = Picture(720, 390)
    axes = Axes(
        picture, (60, 45, 480, 280), (1, 10_000), (0.003, 1000), x_scale=log10, y_scale=log10
    )
    across = {10.0**k: f"{10**k:,}" for k in range(5)}
    up = {10.0**k: f"{10.0**k:,g}" for k in range(-2, 4)}
    axes.ticks(
        across,
        up,
        "answers that are averaged",
        "off by how many patients; a count with noise of epsilon 1/2",
    )
    noise, q = Laplace.calibrate(sensitivity=1, epsilon=HALF), exp(-0.5)
    spread, sizes = sqrt(2 * q) / (1 - q), [10 ** (k / 4) for k in range(17)]
    for m in (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000):
        runs = np.abs(noise.sample(np.zeros((30, m), dtype=np.int64)).mean(axis=1))
        axes.dots([(m, float(off)) for off in runs if off >= 0.003], RED, 2, 0.35)
    axes.curve([(m, spread / sqrt(m)) for m in sizes], RED, 2.5)
    axes.curve([(m, spread) for m in sizes], GREEN, 2.5)
    axes.curve(
        [(m, sqrt(2 * exp(-0.5 / m)) / (1 - exp(-0.5 / m)) / sqrt(m)) for m in sizes], AMBER, 2.5
    )
    axes.note(11_500, 0.024, "fresh noise, each paid:", RED)
    axes.note(11_500, 0.0125, "epsilon 5,000 in all", RED)
    axes.note(11_500, 2.4, "the same answer again:", GREEN)
    axes.note(11_500, 1.25, "epsilon 1/2 in all", GREEN)
    axes.note(11_500, 250, "fresh noise, one budget:", AMBER)
    axes.note(11_500, 130, "epsilon 1/2 in all", AMBER)
    picture.write(
        "concepts-averaging.svg",
        "Error of an average of noisy answers against their number: fresh noise, the same answer"
        " again, one budget split",
    )


def main() -> None:
    """All of them."""
    for draw in (
        guarantee,
        post_processing,
        composition,
        group,
        delta,
        local_sensitivity,
        belief,
        averaging,
    ):
        draw()


if __name__ == "__main__":
    main()
