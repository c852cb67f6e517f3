import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";

/**
 * Adds sessions to a state directory whose gateway is down: copies of a session that the product created, under other keys. Real turns would take a quarter of
 * an hour. Throws if the store's row format differs from the known one.
 */
export function fillSessions(home: string, count: number): void {
  const database = new DatabaseSync(path.join(home, "state", "factotum.sqlite"));
  try {
    const sample = database.prepare("SELECT key, agent_id, is_private, updated_at, facts, sum FROM sessions LIMIT 1").get();
    if (sample === undefined) throw new Error("There is no session to copy.");
    const facts = String(sample["facts"]);
    const sumOf = (key: string): number => crc32(facts, crc32(`${key}|${String(sample["agent_id"])}|${String(sample["is_private"])}`));
    if (sumOf(String(sample["key"])) !== sample["sum"]) throw new Error("The store marks its sessions in another way by now.");
    const conversation = database.prepare("INSERT INTO conversations (session_id, session_key, agent_id, started_at) VALUES (?, ?, ?, ?)");
    const session = database.prepare(
      `INSERT INTO sessions (key, folded_key, agent_id, conversation, created_at, interacted_at, updated_at, is_private, facts, sum)
       VALUES (?1, ?1, ?2, ?3, ?4, ?4, ?4, ?5, ?6, ?7)`,
    );
    const { agent_id: agentId = null, is_private: isPrivate = null } = sample;
    database.exec("BEGIN");
    for (let index = 1; index <= count; index += 1) {
      const key = `agent:${String(agentId)}:http:copy-${index}`;
      const at = Number(sample["updated_at"]) - index;
      const { lastInsertRowid } = conversation.run(`copy-${index}`, key, agentId, at);
      session.run(key, agentId, lastInsertRowid, at, isPrivate, facts, sumOf(key));
    }
    database.prepare("UPDATE totals SET sessions = sessions + ? WHERE id = 1").run(count);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}
