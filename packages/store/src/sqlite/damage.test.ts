import { readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  compactionEntry,
  NOW_MS,
  ORIGIN,
  OWNER,
  sampleEnd,
  sampleMessage,
  sampleOutbound,
  samplePrompt,
  sampleSession,
  sampleTurn,
  userEntry,
} from "../../contract/samples.ts";
import { sampleRequest } from "../../contract/requests.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteStore } from "./sqlite-store.ts";

let fixture: SqliteFixture;
let store: SqliteStore;
beforeEach(async () => {
  fixture = await createSqliteFixture();
  store = await fixture.open();
});
afterEach(() => fixture.remove());

/** Changes the file behind the store's back, like a failing disk. */
function tamper(sql: string, ...values: SQLInputValue[]): void {
  const connection = new DatabaseSync(fixture.file, { enableForeignKeyConstraints: false });
  expect(connection.prepare(sql).run(...values).changes).toBeGreaterThan(0);
  connection.close();
}

async function appendTexts(...texts: readonly string[]): Promise<void> {
  await store.createSession(sampleSession(), { nowMs: NOW_MS });
  for (const text of texts) await store.appendEntry("session-1", userEntry(text), { timestampMs: NOW_MS });
}

test.each([
  ["text", "UPDATE transcript SET payload = replace(payload, 'two', 'twi') WHERE id = 2"],
  ["owner", "UPDATE transcript SET conversation = 1, parent = 3 WHERE id = 2"],
  ["time", "UPDATE transcript SET at = at + 1 WHERE id = 2"],
  ["kind", "UPDATE transcript SET type = 'notice' WHERE id = 2"],
  ["checksum", "UPDATE transcript SET sum = sum + 1 WHERE id = 2"],
])("an entry with a damaged %s is excluded everywhere and reported once", async (_part, sql) => {
  await appendTexts("one", "two", "three");
  await store.flushCopies();
  tamper(sql);
  const texts = (entries: readonly unknown[]): string => JSON.stringify(entries);
  for (let round = 0; round < 2; round += 1) {
    const page = await store.readTranscript("session-1", { limit: 9 });
    expect(page.items).toHaveLength(2);
    expect(texts(page.items)).toMatch(/one.*three/);
    expect(texts(await store.readContext("session-1"))).not.toMatch(/tw[oi]/);
    // The exclusion is queued behind the read; the next write waits for it.
    await store.appendEntry("session-1", { type: "notice", level: "info", text: "x" }, { timestampMs: NOW_MS });
    tamper("DELETE FROM transcript WHERE type = 'notice' AND id > 3");
  }
  expect(fixture.damages).toEqual([{ type: "entry", id: "e0000000002", sessionKey: "agent:main:main" }]);
});

test("keeps the kept entries of a damaged summary", async () => {
  await appendTexts("one", "two");
  await store.appendEntry("session-1", compactionEntry("e0000000002", "summary"), { timestampMs: NOW_MS });
  tamper("UPDATE transcript SET payload = replace(payload, 'summary', 'summarx') WHERE id = 3");
  expect((await store.readContext("session-1")).map((entry) => entry.id)).toEqual(["e0000000002"]);
  expect(fixture.damages).toHaveLength(1);
});

test.each([
  ["text", "UPDATE outbox SET payload = replace(payload, 'sent as a', 'sent as c')"],
  ["address", "UPDATE outbox SET payload = replace(payload, 'oc_1', 'oc_2')"],
  ["session", "UPDATE outbox SET session_key = 'agent:main:other'"],
])("an outgoing message with a damaged %s is never sent", async (_part, sql) => {
  const [row] = await store.addOutbound([sampleOutbound("a")]);
  tamper(sql);
  const [other] = await store.addOutbound([sampleOutbound("b")]);
  expect(await store.listPendingOutbound({ limit: 9 })).toEqual([other]);
  await expect(store.readOutbound(row?.id ?? "")).rejects.toMatchObject({ code: "damaged" });
  await expect(store.settleOutbound(row?.id ?? "", { type: "dead", reason: "x" }, { nowMs: NOW_MS })).rejects.toMatchObject({
    code: "damaged",
  });
  expect(await store.claimOutbound(row?.id ?? "")).toBe(false);
  expect(await store.counts()).toMatchObject({ outboxWaiting: 1, outboxDead: 1 });
  expect(fixture.damages).toEqual([{ type: "outbound", id: row?.id }]);
});

test("makes a damaged input a dead letter, and still recognises its redelivery", async () => {
  const options = { admission: OWNER, receivedAtMs: NOW_MS };
  const { input } = await store.acceptInput(sampleMessage("1"), options);
  await store.acceptInput(sampleMessage("2"), options);
  tamper("UPDATE inbox SET payload = replace(payload, 'text of 1', 'text of 7')");
  expect((await store.listInputs({ state: "waiting", limit: 9 })).items.map((each) => each.message.eventId)).toEqual(["2"]);
  const again = await store.acceptInput(sampleMessage("1"), options);
  expect(again).toMatchObject({ type: "duplicate", input: { id: input.id, message: { text: "text of 1" }, state: { type: "dead" } } });
  await expect(store.readInput(input.id)).rejects.toMatchObject({ code: "damaged" });
  expect((await store.counts()).inputsDead).toBe(1);
});

test("gives up a turn with a damaged address, and its inputs", async () => {
  const { input } = await store.acceptInput(sampleMessage("1"), { admission: OWNER, receivedAtMs: NOW_MS });
  await store.startTurn(sampleTurn("t1", [input.id]));
  await store.startTurn(sampleTurn("t2", []));
  tamper("UPDATE turns SET payload = replace(payload, 'oc_1', 'oc_2') WHERE id = 't1'");
  const reopened = await fixture.open();
  expect((await reopened.resumeTurns()).map((turn) => turn.id)).toEqual(["t2"]);
  expect((await reopened.readInput(input.id))?.state).toEqual({ type: "dead", reason: "damaged" });
  expect((await reopened.resumeTurns()).map((turn) => turn.id)).toEqual(["t2"]);
  expect(fixture.damages).toEqual([{ type: "turn", id: "t1", sessionKey: "agent:main:main" }]);
});

test("continues a session with damaged facts with cautious defaults", async () => {
  await appendTexts("one");
  await store.patchSession("agent:main:main", { overrides: { elevated: "off" } }, { nowMs: NOW_MS });
  await store.close();
  tamper(`UPDATE sessions SET facts = replace(facts, '"elevated":"off"', '"elevated":"full"')`);
  store = await fixture.open();
  expect(await store.readSession("agent:main:main")).toMatchObject({ sessionId: "session-1", overrides: {}, isPrivate: false });
  await store.patchSession("agent:main:main", { overrides: { thinking: "low" } }, { nowMs: NOW_MS });
  expect(await store.readSession("agent:main:main")).toMatchObject({ overrides: { thinking: "low" } });
  expect(await store.readContext("session-1")).toHaveLength(1);
  expect(fixture.damages).toHaveLength(1);
});

test("prefers the cached session to its damaged row, which the next change repairs", async () => {
  await appendTexts("one");
  await store.patchSession("agent:main:main", { overrides: { elevated: "off" } }, { nowMs: NOW_MS });
  tamper(`UPDATE sessions SET facts = replace(facts, '"elevated":"off"', '"elevated":"full"')`);
  expect(await store.readSession("agent:main:main")).toMatchObject({ overrides: { elevated: "off" } });
  await store.patchSession("agent:main:main", { overrides: { thinking: "low" } }, { nowMs: NOW_MS });
  await store.close();
  store = await fixture.open();
  expect(await store.readSession("agent:main:main")).toMatchObject({ overrides: { elevated: "off", thinking: "low" } });
  expect(fixture.damages).toEqual([]);
});

test("does not make a damaged session private", async () => {
  await store.createSession(sampleSession({ isPrivate: false }), { nowMs: NOW_MS });
  tamper("UPDATE sessions SET is_private = 1");
  expect((await store.readSession("agent:main:main"))?.isPrivate).toBe(false);
});

test("ignores a damaged prompt for every session that shares its text", async () => {
  await appendTexts("one");
  await store.savePrompt(samplePrompt());
  tamper("UPDATE prompt_texts SET body = replace(body, 'You are', 'You were')");
  expect(await store.readPrompt("session-1")).toBeUndefined();
  await store.savePrompt(samplePrompt());
  expect(await store.readPrompt("session-1")).toEqual(samplePrompt());
  expect(fixture.damages).toEqual([{ type: "prompt", id: "session-1", sessionKey: "agent:main:main" }]);
});

test.each([
  ["its own data", "UPDATE requests SET payload = replace(payload, '0123456789abcdef', '0123456789abcdee') WHERE n = 1"],
  ["its place", "UPDATE requests SET at = at + 1 WHERE n = 1"],
  ["its shared data", "UPDATE request_profiles SET body = replace(body, 'some-model', 'same-model') WHERE n = 1"],
])("a request with damage in %s is excluded and reported once; the others stay", async (_part, sql) => {
  await store.startTurn(sampleTurn("t1", []));
  await store.endTurn(sampleEnd("t1", { requests: [sampleRequest(1), sampleRequest(2, { model: "anthropic/other" })] }));
  tamper(sql);
  for (let round = 0; round < 2; round += 1) {
    const { items } = await store.listRequests({ sessionId: "session-1", limit: 9 });
    expect(items.map(({ number }) => number)).toEqual([2]);
    await store.appendEntry("session-1", userEntry("x"), { timestampMs: NOW_MS });
  }
  expect(await store.readRequest("r0000000001")).toBeUndefined();
  expect(fixture.damages).toEqual([{ type: "request", id: "r0000000001" }]);
});

test("lists damaged dead letters without content; they can be purged, not replayed", async () => {
  const { input } = await store.acceptInput(sampleMessage("1"), { admission: OWNER, receivedAtMs: NOW_MS });
  const [row] = await store.addOutbound([sampleOutbound("a")]);
  tamper("UPDATE inbox SET payload = replace(payload, 'text of', 'test of')");
  tamper("UPDATE outbox SET payload = replace(payload, 'sent as', 'send as')");
  await store.listInputs({ state: "waiting", limit: 9 });
  await store.listPendingOutbound({ limit: 9 });
  await store.createSession(sampleSession(), { nowMs: NOW_MS });
  const { items } = await store.listDeadLetters({ limit: 9 });
  expect(items.map(({ type, reason, record }) => [type, reason, record])).toEqual([
    ["input", "damaged", undefined],
    ["outbound", "damaged", undefined],
  ]);
  await expect(store.reviveInput(input.id)).rejects.toMatchObject({ code: "damaged" });
  await expect(store.reviveOutbound(row?.id ?? "", { nowMs: NOW_MS, expiresAtMs: NOW_MS })).rejects.toMatchObject({ code: "damaged" });
  expect(await store.purgeDeadLetters({ ids: items.map(({ id }) => id) }, { nowMs: NOW_MS })).toBe(2);
});

test.runIf(process.platform === "linux")("a database that has lost a table is damaged, and its file is not held open", async () => {
  await store.close();
  const connection = new DatabaseSync(fixture.file);
  connection.exec("DROP TABLE ownership");
  connection.close();
  const rebuilt = await fixture.open();
  expect(rebuilt.damage.list()).toMatchObject([{ kind: "database" }]);
  await rebuilt.close();
  const open = await Promise.all((await readdir("/proc/self/fd")).map(async (fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  expect(open.filter((name) => name.startsWith(fixture.file))).toEqual([]);
});

test("does not send a queued message that is damaged", async () => {
  const rows = await store.addOutbound([sampleOutbound("a"), sampleOutbound("b")]);
  tamper("UPDATE outbox SET payload = replace(payload, 'sent as a', 'sent as c')");
  expect(await store.claimOutbound(rows[0]?.id ?? "")).toBe(false);
  expect(await store.claimOutbound(rows[1]?.id ?? "")).toBe(true);
  expect(await store.counts()).toMatchObject({ outboxWaiting: 1, outboxDead: 1 });
  // Listing it later reports nothing again.
  for (let time = 0; time < 2; time += 1)
    expect((await store.listDeadLetters({ limit: 9 })).items).toMatchObject([{ id: rows[0]?.id, reason: "damaged" }]);
  expect(fixture.damages).toEqual([{ type: "outbound", id: rows[0]?.id }]);
});

test("still sends the messages after a damaged one", async () => {
  const rows = await store.addOutbound(["a", "b", "c", "d"].map((key) => sampleOutbound(key)));
  tamper("UPDATE outbox SET payload = replace(payload, 'sent as', 'send as') WHERE id < 4");
  expect(await store.listPendingOutbound({ limit: 2 })).toEqual([rows[3]]);
  expect(await store.listPendingOutbound({ limit: 2, afterId: rows[3]?.id ?? "" })).toEqual([]);
  expect(fixture.damages).toHaveLength(3);
});

test("reports damaged rows of a turn with its session and address", async () => {
  const origin = { channel: "feishu", accountId: "second", conversation: { kind: "group", id: "oc_7", threadId: "5" } } as const;
  await store.startTurn(sampleTurn("t1", [], { origin }));
  const [row] = await store.addOutbound([sampleOutbound("a")], { turnId: "t1" });
  await store.endTurn(sampleEnd("t1"));
  tamper("UPDATE outbox SET session_key = 'agent:main:other', payload = replace(payload, 'sent as a', 'sent as c') WHERE id = 1");
  tamper("UPDATE transcript SET payload = replace(payload, 'text', 'test') WHERE id = 2");
  await store.listPendingOutbound({ limit: 9 });
  await store.readTranscript("session-1", { limit: 9 });
  const of = { sessionKey: "agent:main:main", origin };
  expect(fixture.damages).toEqual([
    { type: "outbound", id: row?.id, ...of },
    { type: "entry", id: "e0000000002", ...of },
  ]);
});

test("reports damaged rows of a lost turn with its session only", async () => {
  await store.startTurn(sampleTurn("t1", []));
  await store.endTurn(sampleEnd("t1"));
  tamper("DELETE FROM turns");
  tamper("UPDATE transcript SET payload = replace(payload, 'text', 'test') WHERE id = 1");
  await store.readTranscript("session-1", { limit: 9 });
  expect(fixture.damages).toEqual([{ type: "entry", id: "e0000000001", sessionKey: "agent:main:main" }]);
});

test("reports a header of a read-only format as damage, not as a full disk", async () => {
  await store.close();
  const bytes = await readFile(fixture.file);
  // The write format number: SQLite takes an unknown one for a read-only file.
  bytes[18] = 34;
  await writeFile(fixture.file, bytes);
  const rebuilt = await fixture.open();
  expect(rebuilt.damage.list()).toMatchObject([{ kind: "database" }]);
  await rebuilt.close();
});

test("a damaged row of an account's state is removed and reported; the others stay", async () => {
  const account = { channel: "feishu", accountId: "default" };
  const rows = ["a", "b"].map((key) => ({ type: "set" as const, key, value: { type: "json" as const, json: "kept" } }));
  await store.commitProgress(account, { state: rows });
  tamper("UPDATE account_state SET payload = replace(payload, 'kept', 'left') WHERE key = 'a'");
  expect(await store.readAccountState(account, "a")).toBeUndefined();
  await store.commitProgress(account, { cursor: "1" });
  expect((await store.listAccountState(account, "")).map(({ key }) => key)).toEqual(["b"]);
  expect(fixture.damages).toEqual([{ type: "account-state", id: "feishu:default a" }]);
  await expect(fixture.open()).resolves.toBeDefined();
});

test("a damaged approval admits nobody: it is removed and reported", async () => {
  const [channel, accountId] = ["feishu", "default"];
  const nowMs = NOW_MS;
  for (const [index, senderId] of ["ou_1", "ou_2"].entries()) {
    const code = `AAAAAAA${index}`;
    const { input } = await store.acceptInput(sampleMessage(`${index}`), {
      admission: { owner: false, kind: "user" },
      receivedAtMs: nowMs,
    });
    const pairing = { channel, accountId, senderId, origin: ORIGIN, code, expiresAtMs: nowMs + 1 };
    await store.requestPairing(pairing, { inputId: input.id, nowMs, maxPending: 3, reply: [] });
    await store.approvePairing(code, { nowMs, reply: [] });
  }
  tamper("UPDATE pairings SET sender = 'ou_3' WHERE sender = 'ou_2'");
  expect((await store.listPairings("approved", { nowMs })).map(({ senderId }) => senderId)).toEqual(["ou_1"]);
  await store.probe();
  expect(fixture.damages).toEqual([{ type: "pairing", id: "feishu:default ou_3" }]);
});

test("a damaged move leads nowhere: it is removed and reported; the others stay", async () => {
  for (const [from, to] of [
    ["a", "b"],
    ["c", "d"],
  ] as const) {
    const origin = { ...ORIGIN, conversation: { kind: "group", id: from } } as const;
    const moved = { kind: "group", id: to } as const;
    const message = sampleMessage(from, { origin, event: { type: "moved", to: moved } });
    await store.acceptInput(message, { admission: { owner: false, kind: "user" }, receivedAtMs: NOW_MS, move: { to: moved } });
  }
  tamper(`UPDATE moves SET payload = replace(payload, '"b"', '"e"')`);
  expect((await store.listMoves()).map(({ to }) => to.id)).toEqual(["d"]);
  await store.probe();
  expect(fixture.damages).toEqual([{ type: "move", id: "feishu:default a" }]);
});

test("a damaged background command is removed and reported; the others stay", async () => {
  const admission = { owner: true, kind: "command" } as const;
  for (const id of ["a", "b"])
    await store.addCommand({
      id,
      sessionKey: "agent:main:main",
      text: "ls",
      startedAtMs: 1,
      report: { message: sampleMessage(id), admission },
    });
  tamper(`UPDATE background_commands SET payload = replace(payload, '"ls"', '"rm"') WHERE id = 'a'`);
  expect((await store.listCommands()).map(({ id }) => id)).toEqual(["b"]);
  await store.probe();
  expect(fixture.damages).toEqual([{ type: "command", id: "a" }]);
});
