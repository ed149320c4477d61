"""The encoding of one report, bit by bit: the specification for clients in every language.

``vectors.json`` holds examples of each rule below; both test suites run them. Numbers are written
big-endian: be32 has four bytes. HMAC is HMAC-SHA256, ``permanent_hash`` the hash of the metric
without its epoch.

Key
    Bloom filter, cohort and permanent noise all depend on ``permanent_hash``. With the hash of the
    running epoch, every epoch would draw, and pay for, permanent noise again; with two different
    keys, noise that outlived a change of the Bloom filter would show its bits.
Value
    A code is an integer below the domain, written in decimal ASCII digits where it is hashed; a
    text is its UTF-8 bytes.
Bloom bits
    HMAC(permanent_hash, be32(block) || value) for block = 0, 1, … is a stream of 16-bit numbers.
    The bits in a cohort are its numbers cohort h to cohort h + h-1, mod k. (One digest serves many
    cohorts: the decoder hashes each candidate for all of them.)
Cohort
    HMAC(secret, permanent_hash || "cohort"), first four bytes mod m, m a power of two. Cohort 0 is
    a cohort like any other.
Permanent bits
    HMAC(secret, permanent_hash || "permanent" || be32(cohort) || value || be32(block)) for
    block = 0, 1, … is a stream of 16-bit numbers, one for each bit in order; the cohort is 0 where
    there is none. RAPPOR: u < f/2 gives 1, else u < f gives 0, else the Bloom bit. Longitudinal:
    u < the permanent threshold of the true bit gives 1.
Tag
    HMAC(secret, permanent_hash || "value" || value), first 16 bytes, in hex digits: how the state
    file records a memoised value.
Fresh draws
    From the stream, 16 bits each. A coin of threshold t takes one, u, and is heads when u < t. A
    number below n takes one draw where n <= 65536 and else two (the higher half first), again until
    it lies below the largest multiple of n, and keeps the remainder. k-ary: a coin, then a number
    below the domain, drawn whether needed or not. Hadamard: a number below the order, then a coin.
    Projective: a coin, then a number below the orthogonal points where it is heads, else one below
    F^(t-1). Duchi: a number below the steps D-1, then as k-ary with two values. Piecewise: a coin,
    then a number below the window where it is heads, else one below the steps. Hybrid: a coin, then
    piecewise where it is heads, else Duchi. Each protocol's *Arithmetic* says what is computed from
    the numbers. Bits: one coin for each, in order.
Record
    Numbers with the highest byte first; bits from the highest of the first byte on, the padding 0.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from functools import partial

from hedgerow.errors import InvalidArgument
from hedgerow.local.fixed_point import SCALE
from hedgerow.local.metric import Metric
from hedgerow.numeric.bits import draw_words

__all__ = [
    "ENCODERS",
    "DrawStream",
    "compute_bloom_filter",
    "compute_cohort",
    "compute_permanent_bits",
    "compute_tag",
    "encode_report",
    "encode_value",
    "pack_bits",
]

_REFILL_WORDS = 32  # 64-bit words drawn at once: 128 draws
_MAX_TEXT_BYTES = 4096  # a client hashes its text many times


class DrawStream:
    """A stream of 16-bit integers from given bytes, or else from the operating system."""

    def __init__(self, data: bytes | None = None) -> None:
        self._is_fresh, self._data, self._next = data is None, data or b"", 0

    def draw(self) -> int:
        """Return the next integer."""
        if self._next + 2 > len(self._data):
            if not self._is_fresh:
                raise InvalidArgument(
                    "stream",
                    "must hold more bytes; it ended in the middle of a report",
                    len(self._data),
                )
            self._data, self._next = draw_words(_REFILL_WORDS).tobytes(), 0
        self._next += 2
        return int.from_bytes(self._data[self._next - 2 : self._next], "big")

    def flip_coin(self, threshold: int) -> bool:
        """Return True with probability threshold/65536."""
        return self.draw() < threshold

    def draw_below(self, bound: int) -> int:
        """Draw a uniform integer below the bound."""
        size = SCALE if bound <= SCALE else SCALE * SCALE
        while True:
            number = self.draw() if size == SCALE else self.draw() << 16 | self.draw()
            if number < size - size % bound:
                return number % bound


def encode_value(metric: Metric, value: int | str) -> bytes:
    """Return the bytes of a value for hashing; errors never quote the value."""
    if metric.protocol == "rappor":
        try:
            text = value.encode("utf-8") if isinstance(value, str) else b""
        except UnicodeEncodeError:  # a lone surrogate
            text = b""
        if not 0 < len(text) <= _MAX_TEXT_BYTES:
            raise InvalidArgument("value", f"must be text of 1 to {_MAX_TEXT_BYTES} bytes in UTF-8")
        return text
    domain = metric.scheme.domain
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < domain:
        raise InvalidArgument("value", f"must be a whole number from 0 to {domain - 1}")
    return str(value).encode("ascii")


def compute_bloom_filter(metric: Metric, cohort: int, value: str) -> list[int]:
    """Compute the Bloom filter of a text in a cohort, as bits."""
    given, text = dict(metric.parameters), encode_value(metric, value)
    bits = [0] * given["k"]
    for place in range(cohort * given["h"], (cohort + 1) * given["h"]):
        digest, start = (
            _hmac(metric.permanent_hash, _write_be32(place // 16) + text),
            2 * (place % 16),
        )
        bits[int.from_bytes(digest[start : start + 2], "big") % given["k"]] = 1
    return bits


def compute_cohort(metric: Metric, secret: bytes) -> int:
    """Compute the cohort of a client; 0 for protocols without cohorts."""
    given = dict(metric.parameters)
    return (
        int.from_bytes(_hmac(secret, metric.permanent_hash + b"cohort")[:4], "big") % given["m"]
        if "m" in given
        else 0
    )


def compute_tag(metric: Metric, secret: bytes, value: int | str) -> str:
    """Compute the tag under which the state file records a memoised value."""
    return _hmac(secret, metric.permanent_hash + b"value" + encode_value(metric, value))[:16].hex()


def compute_permanent_bits(metric: Metric, secret: bytes, value: int | str) -> list[int]:
    """Compute the permanent bits of a value, which never change for one client."""
    given, group, text = (
        dict(metric.parameters),
        compute_cohort(metric, secret),
        encode_value(metric, value),
    )
    if isinstance(value, int):
        noise = _draw_permanent(metric, secret, group, text, metric.scheme.domain)
        return [
            int(u < given["permanent_one" if code == value else "permanent_zero"])
            for code, u in enumerate(noise)
        ]
    bits = compute_bloom_filter(metric, group, value)
    noise = _draw_permanent(metric, secret, group, text, len(bits))
    return [
        int(u < given["f"] // 2 or (u >= given["f"] and bit == 1))
        for u, bit in zip(noise, bits, strict=True)
    ]


def encode_report(
    metric: Metric, value: int | str, stream: DrawStream, secret: bytes = b""
) -> bytes:
    """Encode one report; protocols that memoise need the client's ``secret``."""
    encode_value(metric, value)
    return ENCODERS[metric.protocol](metric, value, stream, secret)


_Sampler = Callable[[dict[str, int], int, DrawStream], int]


def _sample_k_ary(given: dict[str, int], value: int, stream: DrawStream) -> int:
    return _randomise_code(value, given["domain"], given["truth"], stream)


def _randomise_code(value: int, domain: int, truth: int, stream: DrawStream) -> int:
    honest, other = stream.flip_coin(truth), stream.draw_below(domain)
    return value if honest else other


def _sample_hadamard(given: dict[str, int], value: int, stream: DrawStream) -> int:
    index = stream.draw_below(1 << (given["domain"] - 1).bit_length())
    flipped = not stream.flip_coin(given["keep"])
    return 2 * index + ((index & value).bit_count() & 1 ^ flipped)


def _sample_projective(given: dict[str, int], value: int, stream: DrawStream) -> int:
    field, size = given["field"], given["field"] ** (given["dimension"] - 1)
    honest = stream.flip_coin(given["truth"])
    rest = (
        _point_to_vector(stream.draw_below((size - 1) // (field - 1)), field)[0]
        if honest
        else stream.draw_below(size)
    )
    vector, weight = _point_to_vector(value, field)
    above, below = divmod(rest, weight)
    product = sum(
        a * b
        for a, b in zip(
            _split_digits(vector - weight, field), _split_digits(below, field), strict=False
        )
    )
    entry = ((not honest) - product) % field
    return _vector_to_point((above * field + entry) * weight + below, field)


def _point_to_vector(point: int, field: int) -> tuple[int, int]:
    """Return a point's vector as a number in base ``field``, and the weight of its leading 1."""
    weight = 1
    while point >= weight:
        point -= weight
        weight *= field
    return weight + point, weight


def _vector_to_point(vector: int, field: int) -> int:
    """Return the point of a vector, after dividing it by its leading entry."""
    digits = _split_digits(vector, field)
    factor, weight = pow(digits[-1], -1, field), int(field ** (len(digits) - 1))
    leading = int(sum(digit * factor % field * field**place for place, digit in enumerate(digits)))
    return leading - weight + (weight - 1) // (field - 1)


def _split_digits(number: int, field: int) -> list[int]:
    digits = []
    while number:
        number, digit = divmod(number, field)
        digits.append(digit)
    return digits


def _sample_duchi(given: dict[str, int], value: int, stream: DrawStream) -> int:
    up = stream.draw_below(given["domain"] - 1) < value
    return _randomise_code(int(up), 2, given["truth"], stream)


def _sample_piecewise(given: dict[str, int], value: int, stream: DrawStream) -> int:
    if stream.flip_coin(given["truth"]):
        return value + stream.draw_below(given["window"])
    other = stream.draw_below(given["domain"] - 1)
    return other if other < value else other + given["window"]


def _sample_hybrid(given: dict[str, int], value: int, stream: DrawStream) -> int:
    if stream.flip_coin(given["mix"]):
        return _sample_piecewise(given, value, stream)
    bit = _sample_duchi({**given, "truth": given["coin"]}, value, stream)
    return given["domain"] - 1 + given["window"] + bit


def _encode_number(
    sampler: _Sampler, metric: Metric, value: int | str, stream: DrawStream, _: bytes
) -> bytes:
    """Encode a report that is one number."""
    number = sampler(dict(metric.parameters), int(value), stream)
    return number.to_bytes(metric.scheme.record_size, "big")


def _encode_bits(metric: Metric, value: int | str, stream: DrawStream, secret: bytes) -> bytes:
    """Encode a report of one coin for each bit, with a threshold that depends on the bit."""
    given, scheme = dict(metric.parameters), metric.scheme
    bits = (
        compute_permanent_bits(metric, secret, value)
        if scheme.memoised
        else [int(code == value) for code in range(scheme.domain)]
    )
    one, zero = ("q", "p") if "q" in given else ("one", "zero")
    return pack_bits([int(stream.flip_coin(given[one if bit else zero])) for bit in bits])


def _encode_rappor(metric: Metric, value: int | str, stream: DrawStream, secret: bytes) -> bytes:
    cohort = compute_cohort(metric, secret).to_bytes(2, "big")
    return cohort + _encode_bits(metric, value, stream, secret)


ENCODERS: dict[str, Callable[[Metric, int | str, DrawStream, bytes], bytes]] = {
    "k_ary": partial(_encode_number, _sample_k_ary),
    "hadamard": partial(_encode_number, _sample_hadamard),
    "projective": partial(_encode_number, _sample_projective),
    "duchi": partial(_encode_number, _sample_duchi),
    "piecewise": partial(_encode_number, _sample_piecewise),
    "hybrid": partial(_encode_number, _sample_hybrid),
    "unary": _encode_bits,
    "longitudinal_unary": _encode_bits,
    "rappor": _encode_rappor,
}


def _draw_permanent(
    metric: Metric, secret: bytes, group: int, text: bytes, count: int
) -> list[int]:
    head = metric.permanent_hash + b"permanent" + _write_be32(group) + text
    noise = DrawStream(
        b"".join(_hmac(secret, head + _write_be32(block)) for block in range(-(-count // 16)))
    )
    return [noise.draw() for _ in range(count)]


def pack_bits(bits: Sequence[int]) -> bytes:
    """Pack bits into bytes, the first bit highest."""
    size = -(-len(bits) // 8)
    return (
        int("".join("1" if bit else "0" for bit in bits), 2) << (8 * size - len(bits))
    ).to_bytes(size, "big")


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _write_be32(number: int) -> bytes:
    return number.to_bytes(4, "big")
