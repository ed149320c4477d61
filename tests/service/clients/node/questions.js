// node-pg at work: prints what it read as JSON. Reads the port, the token and the questions from
// its arguments.
"use strict";
const { Client } = require("pg");

async function main(port, token, question, prepared, refused) {
  const client = new Client({
    host: "127.0.0.1", port: Number(port), user: "ana", password: token, database: "clinic",
  });
  const seen = { notes: [], binds: [] };
  client.on("notice", (note) => seen.notes.push(note.message));
  await client.connect();
  seen.asks = (await client.query(question)).rows;
  seen.binary = (await client.query({ text: question, rowMode: "array", binary: true })).rows;
  for (const name of [undefined, "older", "older"]) {
    const found = await client.query({ name, text: prepared, values: [30, "north"] });
    seen.binds.push(found.rows[0].n);
  }
  const listed = prepared.replace("= $2", "= ANY($2)");
  seen.binds.push((await client.query(listed, [30, ["north"]])).rows[0].n);
  const tables = "SELECT table_name FROM information_schema.tables WHERE table_schema = $1";
  seen.tables = (await client.query(tables, ["public"])).rows.map((row) => row.table_name);
  try {
    await client.query(refused);
  } catch (error) {
    seen.errors = [error.code, error.message, error.hint];
  }
  await client.end();
  console.log(JSON.stringify(seen));
}

main(...process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
