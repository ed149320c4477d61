"""The draft of a publication: its cost and accuracy, before any data are read, and then its charge
and its build."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from hedgerow.answers.caveats import format_count
from hedgerow.database.query.partition_charging import find_touched_parts
from hedgerow.database.query.payers import Payer
from hedgerow.database.query.pricing import QueryContext
from hedgerow.database.uncharged.system_tables import FOLDER_FIELD
from hedgerow.errors import Refused, SourceError, trim_tracebacks
from hedgerow.ledger.entry import Entry
from hedgerow.plan.canonical_plans import compute_plan_key
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import TableRule
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.parallel_composition import TableParts
from hedgerow.publish.output.publication import RECEIPT_FORMAT, Publication, StagingFolder
from hedgerow.publish.output.report import build_report
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import BuiltTable, Progress, Specification, ignore_progress
from hedgerow.release.private_table import PrivateTable
from hedgerow.release.publication import release_publication
from hedgerow.release.release import Charge

__all__ = ["PublicationDraft"]

_MAX_LISTED_COLUMNS = 8


@dataclass(frozen=True, slots=True, eq=False)
class PublicationDraft:
    """A publication that is not made yet."""

    specification: Specification
    epsilon: Fraction
    table: TableRule
    where: str | None
    budget: Budget
    _plan: Aggregate
    _terms: PrivacyParameters
    _encoded_options: str  # the options of its kind
    _payer: Payer
    _context: QueryContext
    _analyst: str

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> list[str]:
        """The description: contents, cost, strategy and expected errors."""
        planned, noun = self.specification, self._payer.noun
        attributes = planned.domain.attributes
        sizes = " x ".join(
            f"{each.name} ({each.size})" for each in attributes[:_MAX_LISTED_COLUMNS]
        )
        if len(attributes) > _MAX_LISTED_COLUMNS:
            sizes += f" and {len(attributes) - _MAX_LISTED_COLUMNS} more"
        protected = f"each {noun.singular}"
        if noun.singular != "row":
            protected += f", with at most {format_count(self._terms.rows, 'row')}"
        found = [
            f"{planned.kind.capitalize()} of {self.table.name}: {sizes}.",
            f"Cost: {planned.cost} for {protected}.",
            f"Strategy: {planned.strategy}.",
        ]
        for line in planned.accuracy:
            within = "" if line.radius is None else f", at most {line.radius:.4g} (95 %)"
            found.append(
                f"Expected error of {line.name} ({line.answers:,}): {line.rms:.4g}{within}."
            )
        return [*found, *self.notes]

    @property
    def notes(self) -> tuple[str, ...]:
        """The caveats of the publication."""
        found = list(self.specification.notes)
        if self.specification.kind != "queries":
            found.append("A row without a declared value in one of these columns is not counted.")
        parts = self._terms.parts_per_row
        if parts > 1:
            rows = format_count(self._terms.rows, "row")
            included = "" if self.specification.kind == "synthetic" else "; intervals include this"
            found.append(
                f"Each {self._payer.noun.singular} contributes at most {rows}; further rows are"
                f" scaled down. The scaled rows are cut to 1/{parts:,} of a row{included}."
            )
        return tuple(found)

    @property
    def error(self) -> float:
        """The expected error of its first figure: the root of the mean square."""
        return self.specification.accuracy[0].rms

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        planned = self.specification
        return {
            "kind": planned.kind,
            "table": self.table.name,
            "columns": list(planned.domain.names),
            "cells": [attribute.size for attribute in planned.domain.attributes],
            "design": planned.strategy,
            "cost": planned.cost.to_dict(),
            "epsilon": str(self.epsilon),
            "rows": self._terms.rows,
            "accuracy": self._list_accuracy(),
            "notes": list(self.notes),
        } | self._terms.facts

    def _list_accuracy(self) -> list[dict[str, Any]]:
        return [
            {"what": a.name, "answers": a.answers, "rms": a.rms, "radius": a.radius}
            for a in self.specification.accuracy
        ]

    @property
    def _key(self) -> str:
        """The key of the publication in the ledger: a digest of everything that it depends on."""
        domain = json.dumps(
            [attribute.to_dict() for attribute in self.specification.domain.attributes],
            sort_keys=True,
        )
        meaning = [
            compute_plan_key(self._plan),
            self.specification.kind,
            self._encoded_options,
            domain,
            self._payer.population,
            self._terms.relation,
            self._payer.budget_rule.noise,
        ]
        return hashlib.sha256("\n".join(meaning).encode()).hexdigest()

    @trim_tracebacks
    def to(
        self, place: str | Path, *, request: str | None = None, tell: Progress = ignore_progress
    ) -> Publication:
        """Charge the publication, build it, and save it in a new folder.

        It is free if it was published before and is still there, or if it was paid for and never
        finished. ``tell`` is called with the number of measurements that are done, and of all.
        """
        staging = StagingFolder(place)
        staging.create()
        try:
            return self._find_earlier(staging) or self._charge_and_build(staging, request, tell)
        finally:
            staging.clean_up()

    def _find_earlier(self, staging: StagingFolder) -> Publication | None:
        """Return the same publication at this epsilon or a larger one, if its folder, or what an
        unfinished run left, is still unchanged."""
        for charge, payload in self._context.ledger.answers(self._key, self.table.version):
            held = json.loads(payload)
            if Fraction(charge.body["epsilon"]) < self.epsilon:
                continue
            try:
                published = Publication.load(held["place"])
            except SourceError:
                published = None
            if (
                published is not None and staging.copy_published(published, held, charge.hash)
            ) or staging.take_over(held):
                return _finish_publication(staging, charge)
        return None

    def _charge_and_build(
        self, staging: StagingFolder, request: str | None, tell: Progress
    ) -> Publication:
        saved: list[str] = []

        def build(table: PrivateTable, entry: Entry) -> str:
            kept = staging.adopt_abandoned(entry.hash)
            if kept is None:
                built = self.specification.build(table, tell)
                kept = staging.save(built.table, self._build_receipt(built), entry.hash)
            saved.append(json.dumps(kept))
            return saved[0]

        place = str(staging.destination.absolute())
        self._check_folder(request, place)
        # The engine starts here: an error of the data source is raised before anything is charged.
        source = self._context.source
        payload, entry = release_publication(
            self._plan,
            source,
            self._context.ledger,
            self.specification.cost,
            build,
            self._build_charge(request, place),
        )
        # Of two runs for one payment the ledger keeps one; the other is discarded unseen.
        if saved != [payload]:
            staging.discard()
            raise Refused(
                "This request was published before, in the folder that was named then. Publish"
                " again without the request key."
            )
        return _finish_publication(staging, entry)

    def _check_folder(self, request: str | None, place: str) -> None:
        """Refuse another folder for a request that was sent before: an unfinished run can only be
        found beside its first folder."""
        charged = self._context.ledger.find_request(self._analyst, request)
        first = place if charged is None else charged.body["about"].get(FOLDER_FIELD, place)
        if first != place:
            raise Refused(
                f"This request was first published to {first}. Publish it there, or without the"
                " request key."
            )

    def _build_charge(self, request: str | None, place: str) -> Charge:
        columns = ", ".join(self.specification.domain.names[:20])
        about = {
            FOLDER_FIELD: place,
            "table": self.table.name,
            "publication": f"{self.specification.kind} of {columns}",
        }
        parts = find_touched_parts(self._plan, self.table)
        return Charge(
            self._payer.population,
            self._payer.unit,
            self._analyst,
            self.epsilon,
            self._key,
            self.table.version,
            request,
            about,
            self._context.policy_digest,
            None if parts is None else TableParts(self.table.name, parts),
        )

    def _build_receipt(self, built: BuiltTable) -> dict[str, Any]:
        """Build the receipt without the digest of the table and the ledger entry."""
        planned = self.specification
        return {
            "format": RECEIPT_FORMAT,
            "kind": planned.kind,
            "table": self.table.name,
            "version": self.table.version,
            "population": self._payer.population,
            "unit": {
                "neighbours": self._terms.relation,
                "owner": "row" if self.table.unit == "row" else "id",
                "rows": self._terms.rows,
            },
            "attributes": [attribute.to_dict() for attribute in planned.domain.attributes],
            "design": planned.strategy,
            "cost": planned.cost.to_dict(),
            "epsilon": str(self.epsilon),
            "accuracy": self._list_accuracy(),
            "facts": built.facts,
            "notes": list(self.notes),
            "where": self.where,
        }


def _finish_publication(staging: StagingFolder, entry: Entry) -> Publication:
    """Move a saved publication to its folder, with its receipt and report."""
    receipt = staging.unfinished_receipt | {
        "ledger": {"entry": entry.seq, "hash": entry.hash, "time": entry.time}
    }
    try:
        return staging.finish(receipt, build_report(receipt, staging.table))
    except OSError as problem:
        raise SourceError(
            "The publication is paid for and measured, but could not be moved to its folder:"
            f" {problem.strerror}. Make room for it and publish it again, which costs nothing."
        ) from None
