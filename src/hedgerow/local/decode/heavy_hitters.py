"""Heavy hitters: frequent texts that are not listed beforehand, found prefix by prefix.

Every client belongs to one **round** and sends one report in it, about the first ``lengths[round]``
letters of its text, so it spends the epsilon of one report. (A client that reported in r rounds
would spend r times as much.) In return each of R rounds has only its part of the clients, so errors
of shares grow by the square root of R. The collector decodes round by round. The candidates of a
round are the prefixes found in the previous round, each with all continuations. Rare prefixes drop
out early, and the texts that remain after the last round are the dictionary.

A prefix is reported as a code: a hash of round and prefix below the protocol's domain. Candidates
are few compared with a large domain, so two rarely share a code. If they do, each counts the
clients of both, and ``collisions`` is the number of found texts that share a code. An absent
candidate may also share the code of a frequent text that is not a candidate. The expected number of
such mistakes is ``expected_collisions``: the number of candidates in the last round times the share
of all codes that are frequent. Choose a domain that keeps it far below 1.

Apart from these mistakes, detection in the last round is controlled at the stated level: its
reports come from other clients than the reports that chose its candidates, so the choice favours
none of them. Earlier rounds only choose candidates. Texts longer than the last length are found by
their prefix. Only a text whose prefixes are frequent in every round can be found.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise, product
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.fixed_point import check_integer
from hedgerow.local.protocols import LocalProtocol, Rappor
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Integers

__all__ = ["HeavyHitters", "PrefixSearch"]

_TERMINATOR = "\0"  # after the last letter of a text, up to the length of the round
_MAX_CANDIDATES = 1_000_000  # candidates of one round


@dataclass(frozen=True, slots=True, eq=False)
class HeavyHitters:
    """The texts of a dictionary, most frequent first, with estimates among the ``estimates.n``
    clients of the last round.
    """

    texts: tuple[str, ...]
    estimates: Estimates
    collisions: int
    expected_collisions: float


@dataclass(frozen=True, slots=True)
class PrefixSearch:
    """A search for texts over ``alphabet`` with the protocol ``scheme``; round r reports
    ``lengths[r]`` letters.
    """

    scheme: LocalProtocol
    alphabet: str
    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        if (
            not self.alphabet
            or _TERMINATOR in self.alphabet
            or len(set(self.alphabet)) != len(self.alphabet)
        ):
            raise InvalidArgument(
                "alphabet", "must be different letters, without the zero character", self.alphabet
            )
        for length in self.lengths:
            check_integer(length, "lengths", 1, 1000)
        if not self.lengths or any(after <= before for before, after in pairwise(self.lengths)):
            raise InvalidArgument(
                "lengths",
                "must be numbers of letters, each larger than the one before",
                self.lengths,
            )

    def encode_prefixes(self, turn: int, texts: Any) -> Integers:
        """Return the codes of a round for its clients' texts, ready for the scheme to randomise;
        errors never quote a text.
        """
        length = self.lengths[check_integer(turn, "turn", 0, len(self.lengths) - 1)]
        known = set(self.alphabet)
        for text in texts:
            if not isinstance(text, str) or not text or not set(text) <= known:
                raise InvalidArgument(
                    "texts", "must be written in the letters of the alphabet, at least one each"
                )
        return self._hash_prefixes(
            turn, [text[:length].ljust(length, _TERMINATOR) for text in texts]
        )

    def search(self, states: Any, control: str = "fdr", level: Number = 0.05) -> HeavyHitters:
        """Find the dictionary from the counters of every round."""
        if len(states) != len(self.lengths):
            raise InvalidArgument(
                "states",
                f"must be counters for each of the {len(self.lengths)} rounds",
                len(states),
            )
        prefixes, before = [""], 0
        for turn, counters in enumerate(states):
            candidates = self._extend_prefixes(prefixes, self.lengths[turn] - before)
            codes = self._hash_prefixes(turn, candidates)
            if not candidates:
                break
            found = self.scheme.estimate(counters, codes)
            kept = found.rank_detected(control, level)
            prefixes, before = [candidates[place] for place in kept], self.lengths[turn]
        if not prefixes:
            return HeavyHitters(
                (), Estimates(np.zeros(0), np.zeros(0), int(states[-1][-1])), 0, 0.0
            )
        tails = found.p_values[kept]
        chosen = Estimates(found.counts[kept], found.standard_errors[kept], found.n, tails)
        _, places, times = np.unique(codes, return_inverse=True, return_counts=True)
        shared, mistaken = (
            int((times[places][kept] > 1).sum()),
            len(candidates) * self._frequent_code_share(counters, len(kept), control, level),
        )
        return HeavyHitters(
            tuple(text.rstrip(_TERMINATOR) for text in prefixes), chosen, shared, mistaken
        )

    def _frequent_code_share(self, counters: Any, found: int, control: str, level: Number) -> float:
        """Return the share of all codes that are frequent; RAPPOR cannot list its codes, so the
        found texts are counted instead.
        """
        if isinstance(self.scheme, Rappor):
            return found / self.scheme.domain
        return float(self.scheme.estimate(counters).detect(control, level).mean())

    def _hash_prefixes(self, turn: int, prefixes: list[str]) -> Integers:
        head, domain = turn.to_bytes(4, "big"), self.scheme.domain
        digests = (sha256(head + prefix.encode("utf-8")).digest()[:7] for prefix in prefixes)
        return np.array(
            [int.from_bytes(digest, "big") % domain for digest in digests], dtype=np.int64
        )

    def _extend_prefixes(self, prefixes: list[str], letters: int) -> list[str]:
        """Return all continuations of the prefixes by ``letters`` letters; a text that has ended is
        only padded.
        """
        if len(prefixes) * (len(self.alphabet) + 1) ** letters > _MAX_CANDIDATES:
            raise InvalidArgument(
                "lengths",
                f"must grow by fewer letters: more than {_MAX_CANDIDATES} candidates in one round",
                self.lengths,
            )
        tails = ["".join(tail) for tail in product(_TERMINATOR + self.alphabet, repeat=letters)]
        ended = _TERMINATOR * letters
        proper = [tail for tail in tails if _TERMINATOR not in tail.rstrip(_TERMINATOR)]
        longer = (
            prefix + tail
            for prefix in prefixes
            for tail in ([ended] if prefix.endswith(_TERMINATOR) else proper)
        )
        return [prefix for prefix in longer if prefix.rstrip(_TERMINATOR)]
