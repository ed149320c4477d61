"""The house stands: direction, cycles, sizes, no seeds. Each rule is shown to trip on a planted
offender.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from house import rules

SRC = Path(__file__).parents[2] / "src" / "hedgerow"
Rule = Callable[[Path], list[str]]
RULES: tuple[Rule, ...] = (
    rules.rooms_without_level,
    rules.upward_imports,
    rules.import_cycles,
    rules.foreign_imports_of_core,
    rules.long_modules,
    rules.long_functions,
    rules.core_too_large,
    rules.crowded_folders,
    rules.long_median,
    rules.repeated_classes,
    rules.participle_functions,
    rules.seedable_randomness,
)


def plant(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def test_the_sources_are_found() -> None:
    assert {"", "errors", "numeric.rounding"} <= set(rules.modules(SRC))


def test_house() -> None:
    """One test, because all rules read the same sources."""
    assert {rule.__name__: offences for rule in RULES if (offences := rule(SRC))} == {}


@pytest.mark.parametrize("folder", ["tests", "bench", "examples"])
def test_modules_beside_the_package_are_no_longer(folder: str) -> None:
    assert rules.long_modules(SRC.parents[1] / folder) == []


@pytest.mark.parametrize(
    ("rule", "files", "told"),
    [
        (rules.rooms_without_level, {"utils/text.py": ""}, "'utils' has no level"),
        (
            rules.upward_imports,
            {"numeric/bits.py": "from hedgerow.privacy.loss import Loss"},
            "'numeric' (level 1) imports 'privacy' (level 2)",
        ),
        (
            rules.upward_imports,
            {"numeric/bits.py": "def f():\n    import hedgerow.cli"},
            "bits.py:2",
        ),
        (
            rules.upward_imports,
            {"numeric/bits.py": "from ..privacy import loss", "privacy/loss.py": ""},
            "imports 'privacy'",
        ),
        (
            rules.upward_imports,
            {"numeric/bits.py": "from hedgerow import privacy", "privacy/__init__.py": ""},
            "imports 'privacy'",
        ),
        (
            rules.upward_imports,
            {"numeric/bits.py": "from hedgerow import Loss"},
            "imports 'hedgerow'",
        ),
        (
            rules.upward_imports,
            {"numeric/bits.py": "from hedgerow import errors, Loss", "errors.py": ""},
            "imports 'hedgerow'",
        ),
        (
            rules.upward_imports,
            {"plan/nodes.py": "import hedgerow.mechanisms.laplace"},
            "'plan' (level 3) imports 'mechanisms' (level 3)",
        ),
        (
            rules.import_cycles,
            {"a.py": "import hedgerow.b", "b.py": "from hedgerow import a"},
            "a -> b -> a",
        ),
        (
            rules.import_cycles,
            {"p/__init__.py": "from hedgerow.p.x import f", "p/x.py": "from . import g"},
            "p -> p.x -> p",
        ),
        (
            rules.import_cycles,
            {
                "x.py": "import hedgerow.y",
                "y.py": "import hedgerow.z",
                "z.py": "def f():\n    from .x import g",
            },
            "x -> y -> z -> x",
        ),
        (
            rules.foreign_imports_of_core,
            {"mechanisms/laplace.py": "from scipy.stats import laplace"},
            "imports 'scipy.stats'",
        ),
        (rules.foreign_imports_of_core, {"errors.py": "def f():\n    import rich"}, "errors.py:2"),
        (rules.foreign_imports_of_core, {"ledger/rules.py": "import apsw"}, "imports 'apsw'"),
        (
            rules.foreign_imports_of_core,
            {"ledger/sqlite.py": "import apsw\nimport duckdb"},
            "imports 'duckdb'",
        ),
        (rules.long_modules, {"errors.py": "x = 1\n" * 401}, "401 lines"),
        (
            rules.long_functions,
            {"errors.py": "class C:\n  def f(self):\n" + "    x = 1\n" * 60},
            "errors.py:2: f has 61 lines",
        ),
        (
            rules.core_too_large,
            {
                "release/release.py": "import hedgerow.ledger.a\n",
                "ledger/a.py": "from hedgerow.plan import b\n" + "x = 1\n" * 1900,
            }
            | {
                "plan/b.py": "import hedgerow.numeric.c\n" + "x = 1\n" * 1900,
                "numeric/c.py": "x = 1\n" * 1900,
            },
            "an answer depends on 5703 statements",
        ),
        (
            rules.core_too_large,
            {f"numeric/n{i}.py": "x = 1\n" * 400 for i in range(6)},
            "'numeric' has 2400 statements",
        ),
        (
            rules.crowded_folders,
            {f"numeric/n{i}.py": "" for i in range(21)},
            "numeric: 21 modules",
        ),
        (rules.long_median, {"errors.py": "x = 1\n" * 151}, "151 lines"),
        (
            rules.repeated_classes,
            {"a.py": "class Answer: ...", "b.py": "class Answer: ...\nclass _Own: ..."},
            "Answer: a, b",
        ),
        (rules.participle_functions, {"errors.py": "def _told(): ..."}, "errors.py:1"),
        (rules.seedable_randomness, {"demo.py": "import random"}, "demo.py:1"),
        (rules.seedable_randomness, {"demo.py": "from random import gauss"}, "seedable"),
        (rules.seedable_randomness, {"demo.py": "import numpy.random as r"}, "seedable"),
        (rules.seedable_randomness, {"demo.py": "from numpy import random"}, "seedable"),
        (
            rules.seedable_randomness,
            {"demo.py": "from numpy.random import default_rng"},
            "seedable",
        ),
        (
            rules.seedable_randomness,
            {"demo.py": "import numpy as np\nnp.random.laplace()"},
            "demo.py:2",
        ),
        (rules.seedable_randomness, {"demo.py": "def f(*, seed=None): ..."}, "parameter 'seed'"),
        (rules.seedable_randomness, {"demo.py": "class C:\n  seed: int = 0"}, "field 'seed'"),
    ],
)
def test_rule_trips(rule: Rule, files: dict[str, str], told: str, tmp_path: Path) -> None:
    offences = rule(plant(tmp_path, files))
    assert len(offences) == 1
    assert told in offences[0]


@pytest.mark.parametrize(
    ("rule", "files"),
    [
        (
            rules.upward_imports,
            {
                "privacy/loss.py": "from hedgerow import numeric, errors",
                "numeric/__init__.py": "",
                "errors.py": "",
            },
        ),
        (
            rules.upward_imports,
            {
                "cli.py": "from hedgerow import Loss\nimport hedgerow.demo",
                "demo.py": "",
                "__init__.py": "Loss = 1",
            },
        ),
        (
            rules.import_cycles,
            {
                "p/__init__.py": "from hedgerow.p.x import f",
                "p/x.py": "from hedgerow.p import y",
                "p/y.py": "",
            },
        ),
        (
            rules.import_cycles,
            {
                "a.py": "import hedgerow.b, hedgerow.c",
                "b.py": "import hedgerow.d",
                "c.py": "import hedgerow.d",
                "d.py": "",
            },
        ),
        (
            rules.foreign_imports_of_core,
            {
                "numeric/bits.py": "import os, numpy\nfrom cryptography import x509",
                "verify/audit.py": "import scipy",
            },
        ),
        (rules.foreign_imports_of_core, {"ledger/sqlite.py": "import apsw"}),
        (rules.long_modules, {"errors.py": "x = 1\n" * 400}),
        (rules.long_functions, {"errors.py": "def f():\n" + "    x = 1\n" * 59}),
        (rules.core_too_large, {"verify/audit.py": "x = 1\n" * 5000}),
        (
            rules.core_too_large,
            {
                "release/release.py": "x = 1\n",
                **{f"{name}/a.py": "x = 1\n" * 1400 for name in ("numeric", "plan", "ledger")},
            },
        ),
        (
            rules.core_too_large,
            {"numeric/bits.py": '"""Proof.\n' + "a line of it\n" * 5000 + '"""\n# why\n\nx = 1\n'},
        ),
        (rules.crowded_folders, {f"numeric/n{i}.py": "" for i in range(20)}),
        (rules.long_median, {"a.py": "x = 1\n" * 400, "b.py": "", "c.py": ""}),
        (
            rules.repeated_classes,
            {"a.py": "class _Own: ...", "b.py": "class _Own: ...\nclass Answer: ..."},
        ),
        (
            rules.participle_functions,
            {"errors.py": "def find_told(): ...\nclass C:\n  @property\n  def told(self): ..."},
        ),
        (
            rules.seedable_randomness,
            {"numeric/bits.py": "import os\nfrom hedgerow.numeric import random"},
        ),
    ],
)
def test_rule_lets_good_code_pass(rule: Rule, files: dict[str, str], tmp_path: Path) -> None:
    assert rule(plant(tmp_path, files)) == []
