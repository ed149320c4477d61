// Reports of clients that nobody has seen before, for the auditor: on each line of standard input a document, a value and a count as JSON; out
// on one line the records in hex.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { Metric, Stream, encode, hex } = await import(pathToFileURL(process.env.MODULE));
for await (const line of createInterface({ input: process.stdin })) {
  const { document, value, count } = JSON.parse(line), metric = await Metric.read(document), records = [];
  for (let i = 0; i < count; i++) records.push(hex(await encode(metric, value, new Stream(), crypto.getRandomValues(new Uint8Array(32)))));
  console.log(records.join(" "));
}
