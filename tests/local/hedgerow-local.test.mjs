// The JavaScript client against the vectors that bind all clients, and its memory. Run by test_client.py with `node --test`, which names
// the module (MODULE) and the vectors (VECTORS).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const { Client, HedgerowError, Metric, Stream, batch, bloom, cohort, encode, hex, pack, permanent, tag } = await import(
  pathToFileURL(process.env.MODULE)
);
const vectors = JSON.parse(readFileSync(process.env.VECTORS, "utf8"));
const bytes = (digits) => Uint8Array.from(Buffer.from(digits, "hex"));
const metrics = await Promise.all(vectors.metrics.map(({ document }) => Metric.read(document)));
const secrets = vectors.secrets.map(bytes);
const streams = vectors.streams.map(bytes);

function storage(held = new Map()) {
  return { held, getItem: (key) => held.get(key) ?? null, setItem: (key, text) => void held.set(key, text) };
}
const state = (store) => JSON.parse(store.getItem("hedgerow-local"));
const named = (protocol) => metrics.find((metric) => metric.protocol === protocol);

test("metrics", () => {
  assert.ok(metrics.length > 10);
  vectors.metrics.forEach(({ hash, lasting }, i) => assert.deepEqual([hex(metrics[i].hash), hex(metrics[i].lasting)], [hash, lasting]));
});

test("packing", () => {
  for (const { bits, bytes } of vectors.packing) assert.equal(hex(pack(bits)), bytes);
});

test("bloom", async () => {
  for (const { metric, cohort, value, bits } of vectors.bloom) assert.equal(hex(pack(await bloom(metrics[metric], cohort, value))), bits);
});

test("cohorts", async () => {
  for (const row of vectors.cohorts) assert.equal(await cohort(metrics[row.metric], secrets[row.secret]), row.cohort);
  assert.ok(vectors.cohorts.some((row) => row.cohort === 0 && metrics[row.metric].protocol === "rappor"));
});

test("permanent", async () => {
  for (const row of vectors.permanent) {
    const given = [metrics[row.metric], secrets[row.secret], row.value];
    assert.deepEqual([hex(pack(await permanent(...given))), await tag(...given)], [row.bits, row.tag]);
  }
});

test("reports", async () => {
  assert.ok(vectors.reports.length > 200);
  for (const row of vectors.reports) {
    const record = await encode(metrics[row.metric], row.value, new Stream(streams[row.stream]), secrets[row.secret]);
    assert.equal(hex(record), row.record, JSON.stringify(row));
  }
});

test("batch", async () => {
  const { metric, records, body } = vectors.batch;
  assert.equal(hex(batch(await Metric.read(metric), records.map(bytes))), body);
});

test("a stream that ends is refused, and one of the system does not end", async () => {
  await assert.rejects(encode(named("k_ary"), 0, new Stream(bytes("0000"))), /stream ended/);
  const stream = new Stream(), seen = new Set(Array.from({ length: 5000 }, () => stream.draw()));
  assert.ok(seen.size > 4000); // 4815 are expected; as few as this would be 60 standard deviations off
});

test("the memo survives a restart", async () => {
  const store = storage(), metric = named("rappor");
  await new Client(metric, store).report("a");
  const before = store.getItem("hedgerow-local");
  const record = await new Client(metric, storage(new Map(store.held))).report("a");
  assert.equal(record.length, 2 + metric.parameters.k / 8);
  assert.equal(store.getItem("hedgerow-local"), before);
  assert.equal(new DataView(record.buffer).getUint16(0), await cohort(metric, bytes(state(store).secret)));
  assert.deepEqual(state(store).tags[metric.id], [await tag(metric, bytes(state(store).secret), "a")]);
});

test("a later epoch has the same memo", async () => {
  const [now, later] = metrics.filter((metric) => metric.id === "home.page"), store = storage();
  await new Client(now, store).report("a");
  await new Client(later, store).report("a");
  await assert.rejects(new Client(later, store).report("b"), /cap of 1 different values, and this one is new/);
});

test("the cap counts different values, and reports where nothing is memoised", async () => {
  const store = storage(), client = new Client(named("rappor"), store, 2);
  for (const value of ["a", "b", "a", "b"]) await client.report(value);
  const before = store.getItem("hedgerow-local");
  await assert.rejects(client.report("c"), HedgerowError);
  assert.equal(store.getItem("hedgerow-local"), before);
  const plain = new Client(named("k_ary"), store, 2);
  await plain.report(0);
  await plain.report(0);
  await assert.rejects(plain.report(0), /cap of 2 reports/);
});

test("reports at the same time pay one after the other", async () => {
  const slow = storage(), later = (f) => async (...given) => (await new Promise((go) => setTimeout(go, 1)), f(...given));
  const client = new Client(named("rappor"), { getItem: later(slow.getItem), setItem: later(slow.setItem) }, 2);
  const done = await Promise.allSettled(["a", "b", "c", "d"].map((value) => client.report(value)));
  assert.deepEqual(done.map(({ status }) => status), ["fulfilled", "fulfilled", "rejected", "rejected"]);
});

test("deleted storage is a new client, and one that goes on notices", async () => {
  const store = storage(), metric = named("rappor"), client = new Client(metric, store);
  await client.report("a");
  const { secret } = state(store);
  store.held.clear();
  await assert.rejects(client.report("a"), /deleted/);
  await new Client(metric, store).report("a");
  assert.notEqual(state(store).secret, secret);
});

test("storage that cannot be read is refused and kept", async () => {
  for (const text of ["", "{}", "null", "no", '{"version":1,"secret":"00","tags":{},"reports":{}}']) {
    const store = storage(new Map([["hedgerow-local", text]]));
    await assert.rejects(new Client(named("rappor"), store).report("a"), /cannot be read/);
    assert.equal(store.getItem("hedgerow-local"), text);
  }
});

test("values outside the domain cost nothing", async () => {
  const store = storage();
  const refused = (metric, value) => assert.rejects(new Client(metric, store).report(value), HedgerowError);
  for (const value of [-1, 2, 0.5, "0", null, undefined, NaN, true]) await refused(metrics[0], value);
  for (const value of ["", "x".repeat(4097), 1, null]) await refused(named("rappor"), value);
  assert.equal(store.held.size, 0);
  assert.throws(() => new Client(metrics[0], store, 0), HedgerowError);
});

test("documents that are not a metric are refused", async () => {
  const good = JSON.parse(vectors.metrics[0].document), { parameters } = good;
  const rappor = JSON.parse(JSON.stringify({ ...named("rappor"), hash: 0, lasting: 0, rule: 0 }));
  for (const name of ["hash", "lasting", "rule"]) delete rappor[name];
  assert.equal(hex((await Metric.read(rappor)).hash), hex(named("rappor").hash));
  const wrong = [
    { ...good, more: 1 }, { ...good, id: "A" }, { ...good, id: "" }, { ...good, id: 1 }, { ...good, id: "__proto__" },
    { ...good, version: 2 }, { ...good, epoch: -1 },
    { ...good, epoch: 0.5 }, { ...good, protocol: "none" }, { ...good, protocol: "toString" }, { ...good, parameters: { domain: 2 } },
    { ...good, parameters: { ...parameters, more: 1 } }, { ...good, parameters: { ...parameters, truth: 65536 } },
    { ...good, parameters: { ...parameters, domain: 1 } },
    ...[["m", 3], ["m", 65536], ["k", 1], ["h", 17], ["f", 1], ["f", 65536], ["p", 0], ["q", rappor.parameters.p]].map(([name, value]) => ({
      ...rappor, parameters: { ...rappor.parameters, [name]: value },
    })),
    { ...rappor, protocol: "unary", parameters: { domain: 2, one: 5, zero: 5 } },
    { ...rappor, protocol: "longitudinal_unary", parameters: { domain: 2, one: 5, zero: 6, permanent_one: 7, permanent_zero: 7 } },
  ];
  for (const document of wrong) await assert.rejects(Metric.read(document), HedgerowError, JSON.stringify(document));
});
