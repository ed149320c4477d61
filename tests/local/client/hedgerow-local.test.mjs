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

test("memories that cannot be read are refused and kept", async () => {
  assert.ok(vectors.memories.length > 15);
  for (const text of vectors.memories) {
    const store = storage(new Map([["hedgerow-local", text]]));
    await assert.rejects(new Client(named("rappor"), store).report("a"), /cannot be read/, text);
    assert.equal(store.getItem("hedgerow-local"), text);
  }
});

test("values that are none cost nothing", async () => {
  const store = storage();
  for (const { metric, value } of vectors.values) {
    await assert.rejects(new Client(metrics[metric], store).report(value), HedgerowError, JSON.stringify(value));
    await assert.rejects(encode(metrics[metric], value, new Stream(), secrets[0]), HedgerowError, JSON.stringify(value));
  }
  for (const value of [undefined, NaN, Infinity, 0n]) await assert.rejects(new Client(metrics[0], store).report(value), HedgerowError);
  assert.equal(store.held.size, 0);
  assert.throws(() => new Client(metrics[0], store, 0), HedgerowError);
});

test("documents that are not a metric are refused", async () => {
  assert.ok(vectors.documents.length > 30);
  for (const document of vectors.documents) {
    await assert.rejects(Metric.read(document), HedgerowError, document);
    await assert.rejects(Metric.read(JSON.parse(document)), HedgerowError, document);
  }
});

test("without a storage, what was paid is remembered as long as the process lives", async () => {
  const metric = named("rappor"), client = new Client(metric);
  await client.report("a");
  await new Client(metric).report("a");
  await assert.rejects(new Client(metric).report("b"), /cap of 1 different values/);
});

test("a client says what it misses", () => {
  const refused = (make) =>
    assert.throws(make, (error) => error instanceof HedgerowError && /^A client takes what Metric.read returns, and a storage/.test(error.message));
  refused(() => new Client());
  refused(() => new Client(Metric.read(vectors.metrics[0].document), storage())); // not awaited
  for (const wrong of [{}, 2, { getItem() {} }]) refused(() => new Client(metrics[0], wrong));
});
