"""The vectors that bind all clients, in a real browser: a page runs them and posts what it found
to this test.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from hedgerow.local.metric import Metric
from hedgerow.local.protocols import Rappor
from hedgerow.local.report_batch import ReportBatch
from local.vectors import PLACE

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
QUIET = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-sandbox",
)
DEMO = Metric.of("demo.home-page", Rappor(k=64, h=2, m=64, f=32_768, p=32_768, q=49_152))
PAGE = """<!doctype html><body><script type="module">
import {
  Client, Metric, Stream, batch, bloom, cohort, encode, hex, pack, permanent, tag
} from "./hedgerow-local.js";
const bytes = (digits) => Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
const told = { checked: 0, wrong: [] };
const same = (found, wanted) => { told.checked++;
  if (String(found) !== String(wanted)) told.wrong.push([found, wanted]); };
try {
  const v = await (await fetch("vectors.json")).json();
  const metrics = await Promise.all(v.metrics.map(({ document }) => Metric.read(document)));
  const secrets = v.secrets.map(bytes), streams = v.streams.map(bytes);
  v.metrics.forEach((row, i) => same([hex(metrics[i].hash), hex(metrics[i].lasting)],
    [row.hash, row.lasting]));
  for (const row of v.packing) same(hex(pack(row.bits)), row.bytes);
  for (const row of v.bloom)
    same(hex(pack(await bloom(metrics[row.metric], row.cohort, row.value))), row.bits);
  for (const row of v.cohorts) same(await cohort(metrics[row.metric], secrets[row.secret]),
    row.cohort);
  for (const row of v.permanent) {
    const given = [metrics[row.metric], secrets[row.secret], row.value];
    same([hex(pack(await permanent(...given))), await tag(...given)], [row.bits, row.tag]);
  }
  for (const row of v.reports)
    same(hex(await encode(metrics[row.metric], row.value, new Stream(streams[row.stream]),
      secrets[row.secret])), row.record);
  same(hex(batch(await Metric.read(v.batch.metric), v.batch.records.map(bytes))), v.batch.body);
  const refuses = (made) => made.then(() => "taken", (error) => error.constructor.name);
  for (const document of v.documents) same(await refuses(Metric.read(document)), "HedgerowError");
  for (const row of v.values)
    same(await refuses(encode(metrics[row.metric], row.value, new Stream(), secrets[0])),
      "HedgerowError");
  const metric = metrics.find(({ protocol }) => protocol === "rappor"), refused = [];
  for (const memory of v.memories)
    same(await refuses(new Client(metric, { getItem: () => memory, setItem() {} }).report("a")),
      "HedgerowError");
  const report = (value) => new Client(metric, localStorage).report(value).catch((error) =>
    refused.push(error.message));
  await Promise.all(["a", "b", "a"].map(report));
  same(refused.length, 1);
  const frame = document.body.appendChild(document.createElement("iframe")), pause = () =>
    new Promise((done) => setTimeout(done, 20));
  const shown = (id) => frame.contentDocument.getElementById(id).textContent;
  frame.src = "demo.html?to=" + location.origin;
  while (frame.contentDocument?.body?.dataset.ready !== "yes") await pause();
  frame.contentDocument.querySelector("button.main").click();
  while (!shown("answer")) await pause();
  same([shown("epsilon"), shown("lifetime"), shown("shown"), shown("wrong")],
    ["1.0743", "4.3945", "https://example.org/", ""]);
  same(shown("answer"), "The collector answered 200: taken");
  told.shown = shown("request");
  // It asks where it comes from whether that is a collector of its metric.
  frame.src = "demo.html";
  while (!frame.contentDocument?.getElementById("where")?.textContent ||
    !frame.contentDocument.URL.endsWith("demo.html")) await pause();
  same(shown("where"), `It is sent to ${location.origin}.`);
  const secret = crypto.getRandomValues(new Uint8Array(32)), start = performance.now();
  for (let i = 0; i < 1000; i++) await encode(metric, "https://example.org/" + (i % 10),
    new Stream(), secret);
  told.milliseconds = (performance.now() - start) / 1000;
} catch (error) { told.wrong.push(String(error)); }
await fetch("/done", { method: "POST", body: JSON.stringify(told) });
</script>"""


class Desk(SimpleHTTPRequestHandler):
    """Serves a folder, and takes what the page posts."""

    def __init__(
        self, *given: Any, done: Queue[dict[str, Any]], sent: list[tuple[str, bytes]], **named: Any
    ) -> None:
        self.done, self.sent = done, sent
        super().__init__(*given, **named)

    def do_GET(self) -> None:
        if self.path != "/v1/metrics":
            super().do_GET()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(
            json.dumps({"metrics": [{"present": True, "hash": DEMO.hash.hex()}]}).encode()
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/reports":
            self.sent.append((self.headers["Batch-Key"], body))
        else:
            self.done.put(json.loads(body) | {"sent": self.sent})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"taken")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Queue[dict[str, Any]]]]:
    for file in (PLACE, *(PLACE.parent / "js").iterdir()):
        shutil.copy(file, tmp_path)
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    done: Queue[dict[str, Any]] = Queue()
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Desk, directory=str(tmp_path), done=done, sent=[])
    ) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/page.html", done
        server.shutdown()
        thread.join()


@pytest.mark.skipif(
    BROWSER is None,
    reason="Chromium is not installed: the JavaScript client is not tested in a browser",
)
def test_the_vectors_hold_in_a_browser(
    served: tuple[str, Queue[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    address, done = served
    profile = tmp_path_factory.mktemp("profile")
    command = [
        str(BROWSER),
        "--headless",
        *QUIET,
        f"--user-data-dir={profile}",
        "--remote-debugging-port=0",
        address,
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
        try:
            told = done.get(timeout=120)
        finally:
            browser.terminate()
    assert told["wrong"] == []
    assert told["checked"] > 400
    ((key, body),) = told["sent"]  # the demonstration shows what left the machine, all of it
    batch = ReportBatch.from_bytes(body)
    assert batch.metric == DEMO.hash
    assert batch.records.shape == (1, 10)
    report = batch.records.tobytes().hex()
    assert told["shown"].splitlines()[2:] == [
        f"Batch-Key: {key}",
        "",
        f"{batch.metric.hex()} the metric",
        "000a bytes of a report",
        f"{report[:4]} your cohort  {report[4:]} your bits",
    ]
    print(f"one RAPPOR report takes {told['milliseconds']:.2f} ms in {BROWSER}")
