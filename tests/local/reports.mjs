// Reports of clients that nobody has seen before, for the auditor: document, value and count as JSON on standard input, records out in hex.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { Metric, Stream, encode, hex } = await import(pathToFileURL(process.env.MODULE));
const { document, value, count } = JSON.parse(readFileSync(0, "utf8"));
const metric = await Metric.read(document), records = [];
for (let i = 0; i < count; i++) records.push(hex(await encode(metric, value, new Stream(), crypto.getRandomValues(new Uint8Array(32)))));
console.log(records.join("\n"));
