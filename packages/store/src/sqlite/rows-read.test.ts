import { DatabaseSync } from "node:sqlite";
import { NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NOW_MS } from "../../contract/samples.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteFixture } from "../../test/open-test-store.ts";
import { checksum } from "./values/checksum.ts";

let fixture: SqliteFixture;
beforeEach(async () => {
  fixture = await createSqliteFixture();
  await (await fixture.open()).close();
});
afterEach(() => fixture.remove());

/** Sessions of two agents, every tenth of them a group, as after that many turns; written in one transaction. */
function fill(count: number): void {
  const database = new DatabaseSync(fixture.file);
  const facts = JSON.stringify({ displayName: "Ada", overrides: {}, usage: NO_USAGE_TOTALS, compactionCount: 0 });
  const conversation = database.prepare("INSERT INTO conversations (session_id, session_key, agent_id, started_at) VALUES (?, ?, ?, ?)");
  const session = database.prepare(
    `INSERT INTO sessions (key, folded_key, agent_id, conversation, created_at, interacted_at, updated_at, is_private, facts, sum)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
  );
  database.exec("BEGIN");
  for (let index = 0; index < count; index += 1) {
    const agentId = index % 2 === 0 ? "main" : "other";
    const key = `agent:${agentId}:test:${index % 10 === 0 ? "group" : "direct"}:${index}`;
    const at = NOW_MS + index;
    const { lastInsertRowid } = conversation.run(`s${index}`, key, agentId, at);
    session.run(key, key, agentId, lastInsertRowid, at, at, at, facts, checksum(facts, [key, agentId, 0]));
  }
  database.exec("COMMIT");
  database.close();
}

/** Rows read for each kind of page query, the second page included. */
async function rowsOfPages(): Promise<readonly number[]> {
  const store = await fixture.open();
  const counts: number[] = [];
  const filters = [
    {},
    { agentId: "other" },
    { activeSinceMs: NOW_MS + 20 },
    { agentId: "main", isWanted: (key: string) => key.includes(":group:") },
    { isWanted: (key: string) => key === "nobody" },
  ];
  for (const filter of filters) {
    let cursor: string | undefined;
    for (let page = 0; page < 2; page += 1) {
      const before = store.metrics().rowsRead;
      const { items, cursor: next } = await store.listSessions({ ...filter, limit: 25, ...withoutUndefined({ cursor }) });
      counts.push(store.metrics().rowsRead - before);
      expect(items.length).toBeLessThanOrEqual(25);
      if (next === undefined) break;
      cursor = next;
    }
  }
  expect(fixture.damages).toEqual([]);
  return counts;
}

test("a page of 25 sessions reads 26 rows, for 100 sessions or 100,000; one that filters by kind reads 201 at most", async () => {
  fill(100);
  const few = await rowsOfPages();
  expect(few.slice(0, 6)).toEqual([26, 26, 26, 25, 26, 26]);
  await fixture.remove();
  fixture = await createSqliteFixture();
  await (await fixture.open()).close();
  fill(100_000);
  expect(await rowsOfPages()).toEqual([26, 26, 26, 26, 26, 26, 201, 201, 201, 201]);
});
