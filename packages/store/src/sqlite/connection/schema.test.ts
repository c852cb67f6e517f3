import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageId } from "@factotum/channel-contract";
import type { MsgContext } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OWNER, sampleMessage } from "../../../contract/samples.ts";
import { createTestClock, createTestLogger } from "../../../test/open-test-store.ts";
import { checksum } from "../values/checksum.ts";
import { eventKeyOf, messageKeyOf } from "../values/input-keys.ts";
import { connect } from "./connection.ts";
import type { Database } from "./database.ts";
import { MIGRATIONS } from "./schema.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-schema-"));
});
afterEach(() => rm(folder, { recursive: true }));

function open(version: number): Database {
  const migrations = MIGRATIONS.filter((step) => step.version <= version);
  return connect({ folder, clock: createTestClock(), logger: createTestLogger(), migrations });
}

test("version 2 numbers existing turns per conversation", () => {
  const old = open(1);
  old.execute(`
    INSERT INTO conversations (session_id, session_key, agent_id, started_at) VALUES ('a', 'k', 'main', 0), ('b', 'k', 'main', 0);
    INSERT INTO turns (id, conversation, kind, state, attempts, started_at, inputs, payload, sum)
    VALUES ('a1', 1, 'user', 'done', 1, 0, '[]', '{}', 0), ('b1', 2, 'user', 'done', 1, 0, '[]', '{}', 0),
           ('a2', 1, 'user', 'done', 1, 0, '[]', '{}', 0), ('a3', 1, 'user', 'done', 1, 0, '[]', '{}', 0);
  `);
  old.close();
  const database = open(2);
  expect(database.all("SELECT id, number FROM turns ORDER BY n").map((row) => [row["id"], row["number"]])).toEqual([
    ["a1", 1],
    ["b1", 1],
    ["a2", 2],
    ["a3", 3],
  ]);
  expect(() => database.execute("UPDATE turns SET number = 1 WHERE id = 'a2'")).toThrow(/UNIQUE/);
  database.close();
});

test("version 5 marks an old row with several attempts as possibly delivered", () => {
  const old = open(4);
  const columns = "idempotency_key, session_key, purpose, state, attempts, created_at, due_at, expires_at, payload, sum";
  old.execute(`
    INSERT INTO outbox (${columns}) VALUES ('a', 'k', 'reply', 'dead', 1, 0, 0, 0, '{}', 0), ('b', 'k', 'reply', 'dead', 2, 0, 0, 0, '{}', 0),
      ('c', 'k', 'reply', 'ambiguous', 1, 0, 0, 0, '{}', 0), ('d', 'k', 'reply', 'accepted', 3, 0, 0, 0, '{}', 0);
  `);
  old.close();
  const database = open(5);
  const rows = database.all("SELECT idempotency_key AS key, may_be_shown AS shown FROM outbox ORDER BY id");
  expect(rows.map((row) => [row["key"], row["shown"]])).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 1],
    ["d", 0],
  ]);
  database.close();
});

test("version 8 adds keys to stored messages only", () => {
  const old = open(7);
  const add = (message: MsgContext, sumOffset = 0): void => {
    const payload = JSON.stringify({ message, admission: OWNER });
    const key = eventKeyOf(message);
    const sum = checksum(payload, [key, 1]) + sumOffset;
    old.run("INSERT INTO inbox (event_key, received_at, state, payload, sum) VALUES (?, 1, 'command', ?, ?)", key, payload, sum);
  };
  const id = (index: number): Partial<MsgContext> => ({ messageId: messageId(`om_${index}`) });
  for (let index = 0; index < 1200; index += 1) add(sampleMessage(`${index}`, id(index)));
  add(sampleMessage("again", id(7)));
  add(sampleMessage("edit", { ...id(2000), event: { type: "edit", targetId: messageId("om_7") } }));
  add(sampleMessage("without", { messageId: messageId("") }));
  add(sampleMessage("damaged", id(2001)), 1);
  old.close();
  const database = open(8);
  const keys = database.all("SELECT message_key AS key FROM inbox ORDER BY id").map((row) => row["key"]);
  const expected = Array.from({ length: 1200 }, (_, index) => messageKeyOf(sampleMessage("x", id(index))));
  expect(keys).toEqual([...expected, null, null, null, null]);
  expect(new Set(expected).size).toBe(1200);
  database.close();
});

test("version 17 indexes the messages and edits of stored rows, and skips damaged ones", () => {
  const old = open(16);
  const add = (key: string, state: string, result: string | null, outbound: object): void => {
    const payload = JSON.stringify({ outbound });
    old.run(
      `INSERT INTO outbox (idempotency_key, session_key, purpose, state, attempts, created_at, due_at, expires_at, result, payload, sum)
       VALUES (?, 'k', 'reply', ?, 1, 0, 0, 0, ?, ?, 0)`,
      key,
      state,
      result,
      payload,
    );
  };
  const text = { type: "text", text: "x" };
  add("a", "accepted", '["m1","m2","m2"]', text);
  add("b", "accepted", null, text);
  add("c", "accepted", "[damaged", { type: "edit", of: "o0000000001" });
  add("d", "dead", '"m3"', { type: "reaction", of: "o0000000001" });
  old.run("UPDATE outbox SET payload = '{damaged' WHERE idempotency_key = 'b'");
  old.close();
  const database = open(17);
  const rows = database
    .all("SELECT outbound, message_id AS id FROM sent_messages ORDER BY message_id")
    .map((row) => [row["outbound"], row["id"]]);
  expect(rows).toEqual([
    [1, "m1"],
    [1, "m2"],
  ]);
  expect(database.all("SELECT edit_of AS of FROM outbox ORDER BY id").map((row) => row["of"])).toEqual([null, null, "o0000000001", null]);
  database.run("DELETE FROM outbox WHERE id = 1");
  expect(database.all("SELECT * FROM sent_messages")).toEqual([]);
  database.close();
});
