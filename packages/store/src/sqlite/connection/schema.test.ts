import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestClock, createTestLogger } from "../../../test/open-test-store.ts";
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

test("version 2 numbers the turns that are there, each conversation for itself", () => {
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

test("version 5 takes an old row that was tried more than once for one that may be shown", () => {
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
