"""The JavaScript client as a package of npm, in Node and in a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hedgerow.local.metric import Metric
from hedgerow.local.protocols import KAry
from local.serving import serving
from local.shrink import SHIPPED
from service.browser.helpers_browser import CHROMIUM, FLAGS, NO_CHROMIUM

NPM = shutil.which("npm")
METRIC = Metric.of("fruit", KAry.calibrate(domain=4, epsilon=1))
TYPES = SHIPPED.with_suffix(".d.ts")


@pytest.mark.long
@pytest.mark.skipif(NPM is None, reason="npm is not installed: the package is not tested")
def test_the_package_is_installed_and_imported_by_name(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    npm = (str(NPM), "--offline", "--no-audit", "--no-fund", "--cache", str(tmp_path / "cache"))
    (packed,) = json.loads(run(*npm, "pack", "--json", str(SHIPPED.parent)))
    assert {file["path"] for file in packed["files"]} == {
        *("package.json", "hedgerow-local.js", "hedgerow-local.d.ts", "hedgerow-local.source.js")
    }
    (tmp_path / "package.json").write_text('{"name": "app", "private": true}')
    run(*npm, "install", f"./{packed['filename']}")
    program = f"""
        import {{ Client, Metric, batch }} from "hedgerow-local";
        const metric = await Metric.read({json.dumps(METRIC.to_json())});
        console.log(batch(metric, [await new Client(metric).report(3)]).length);
    """
    assert run("node", "--input-type=module", "-e", program) == "11\n"


def test_the_types_name_what_the_module_exports() -> None:
    names = r"^export (?:declare )?(?:async )?(?:class|const|function) (\w+)"
    exported = set(re.findall(names, SHIPPED.read_text(encoding="ascii"), re.MULTILINE))
    assert exported == set(re.findall(names, TYPES.read_text(encoding="ascii"), re.MULTILINE))
    assert {"Client", "Metric", "batch"} <= exported


@pytest.mark.long
@pytest.mark.skipif(not CHROMIUM.exists(), reason=NO_CHROMIUM)
def test_a_page_keeps_its_client_in_local_storage(tmp_path: Path) -> None:
    """In Chromium, on a page of a real collector; the second visit is the same client."""
    from playwright.sync_api import sync_playwright

    visit = """async (document) => {
        const { Client, Metric } = await import("/hedgerow-local.js");
        const metric = await Metric.read(document);
        const drawn = new Client(metric).report(1);
        return drawn.then((record) => record.length, (error) => error.message);
    }"""
    with (
        serving(tmp_path / "store", METRIC) as served,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as browser,
    ):
        page = browser.new_page()
        page.goto(f"http://{served.host}:{served.port}/demo")
        assert page.evaluate(visit, METRIC.to_json()) == 1
        page.reload()
        assert page.evaluate(visit, METRIC.to_json()) == (
            "The metric 'fruit' has used its cap of 1 reports."
        )
