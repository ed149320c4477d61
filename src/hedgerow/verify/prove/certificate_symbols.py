"""The names in a certificate's expressions, which refer to both runs, as z3 terms."""

from __future__ import annotations

from collections.abc import Mapping

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import Term, z3
from hedgerow.verify.prove.state import PairState, Path, ProductRuns
from hedgerow.verify.prove.symbolic_inputs import split_run
from hedgerow.verify.prove.terms import SymbolTable

__all__ = ["make_certificate_symbols"]


def make_certificate_symbols(
    product: ProductRuns,
    state: PairState,
    path: Path,
    entry: PairState | None,
    more: Mapping[str, Term],
) -> SymbolTable:
    """Build the symbols at one place; ``entry`` is the state in which the loop began, and ``more``
    has further names.
    """

    def name(name: str) -> Term:
        if name in more:
            return more[name]
        if name in product.inputs.specials:
            return product.inputs.specials[name]
        if name.startswith("@"):
            counter, then = name[1:].removesuffix("@0"), entry if name.endswith("@0") else state
            if then is not None and counter in then.costs:
                return then.costs[counter]
        if name.startswith("@cap:"):
            return z3.Real(name)
        if name == "@answer":
            return product.answer
        parts = name.split("@")
        where = (
            entry.values
            if len(parts) == 3 and entry is not None and parts[2] == "0"
            else state.values
        )
        if len(parts) in (2, 3) and parts[1] in ("1", "2") and parts[0] in where:
            return where[parts[0]][int(parts[1]) - 1]
        if len(parts) == 1 and _is_public_scalar(product, name):
            return product.inputs.scalars[name][0]
        raise UnsupportedProgram(f"the certificate names {name}, which the program does not have.")

    def read(name: str, at: Term) -> Term:
        if name.startswith("@spent:"):
            spent = product.inputs.distance_used_before(name[7:], at)
            path.append(z3.And(spent >= 0, spent <= z3.Real(f"@cap:{name[7:]}")))
            return spent
        base, run = split_run(name)
        return product.inputs.read(base, run, at, path.append)

    return SymbolTable(
        name, read, lambda name: product.inputs.length(*split_run(name)), path.append
    )


def _is_public_scalar(product: ProductRuns, name: str) -> bool:
    """Return True for a public parameter that is not a list."""
    parameter = product.program.find_parameter(name)
    return parameter is not None and not parameter.private and not parameter.list
