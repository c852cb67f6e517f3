import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NOW_MS } from "../../contract/samples.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteFixture } from "../../test/open-test-store.ts";
import { importSessionFolder } from "../index.ts";
import type { Store } from "../index.ts";

let fixture: SqliteFixture;
let store: Store;
let folder = "";
let options = { agentId: "main", asideFolder: "", nowMs: NOW_MS };
beforeEach(async () => {
  fixture = await createSqliteFixture();
  store = await fixture.open();
  folder = join(fixture.folder, "theirs");
  options = { ...options, asideFolder: join(fixture.folder, "aside") };
  await mkdir(folder);
});
afterEach(() => fixture.remove());

const transcript = (id: string, text: string): string =>
  `${JSON.stringify({ type: "session", version: 2, id, timestamp: "2026-01-30T12:00:00.000Z", cwd: "/x" })}\n${JSON.stringify({ role: "user", content: text, timestamp: 1769774401000 })}\n`;

async function write(index: unknown, files: Readonly<Record<string, string>>): Promise<void> {
  await writeFile(join(folder, "sessions.json"), typeof index === "string" ? index : JSON.stringify(index));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

test("entries and transcripts become sessions", async () => {
  await write(
    {
      "agent:main:telegram:dm:7": {
        sessionId: "s1",
        updatedAt: NOW_MS,
        sessionFile: "/home/them/.openclaw/agents/main/sessions/s1-topic.jsonl",
        thinkingLevel: "high",
        verboseLevel: "loud",
        providerOverride: "openai",
        modelOverride: "m",
        sendPolicy: "deny",
        groupActivation: "always",
        inputTokens: 10,
        outputTokens: 4,
        totalTokens: 99,
        compactionCount: 2,
        label: "Work",
        displayName: "Ada",
        lastHeartbeatText: "all fine",
        lastHeartbeatSentAt: NOW_MS - 5,
        deliveryContext: { channel: "telegram", to: "7", accountId: "bot", threadId: 12 },
        skillsSnapshot: { prompt: "x" },
      },
      "cron:job-1": { sessionId: "s2" },
      main: { sessionId: "s3" },
    },
    {
      "s1-topic.jsonl": transcript("s1", "hello"),
      "s2.jsonl": transcript("s2", "tick"),
      "s3.jsonl": transcript("s3", "hi"),
      "s0.jsonl": transcript("s0", "old"),
    },
  );
  const report = await importSessionFolder(store, folder, options);
  expect(report.imported.map(({ key, sessionId, entries }) => [key, sessionId, entries])).toEqual([
    ["agent:main:telegram:direct:7", "s1", 1],
    ["cron:job-1", "s2", 1],
    ["agent:main:main", "s3", 1],
  ]);
  expect(report).toMatchObject({ refused: [], unlisted: ["s0.jsonl"] });
  expect(await store.readSession("agent:main:telegram:direct:7")).toEqual({
    key: "agent:main:telegram:direct:7",
    sessionId: "s1",
    agentId: "main",
    createdAtMs: Date.UTC(2026, 0, 30, 12),
    startedAtMs: Date.UTC(2026, 0, 30, 12),
    interactedAtMs: NOW_MS,
    updatedAtMs: NOW_MS,
    isPrivate: false,
    displayName: "Ada",
    label: "Work",
    overrides: { thinking: "high", model: "openai/m", sendPolicy: "deny", activation: "always" },
    usage: { input: 10, output: 4, cacheRead: 0, cacheWrite: 0, total: 14, calls: 0, lastInput: 0, lastCacheRead: 0, lastCacheWrite: 0 },
    compactionCount: 2,
    lastHeartbeat: { text: "all fine", sentAtMs: NOW_MS - 5 },
    lastOrigin: { channel: "telegram", accountId: "bot", conversation: { kind: "direct", id: "7", threadId: "12" } },
  });
  expect(await store.readContext("s2")).toMatchObject([{ message: { content: [{ text: "tick" }] } }]);
});

test("a second import changes nothing and says why", async () => {
  await write({ main: { sessionId: "s3" } }, { "s3.jsonl": transcript("s3", "hi") });
  await importSessionFolder(store, folder, options);
  const again = await importSessionFolder(store, folder, options);
  expect(again).toMatchObject({ imported: [], refused: [{ key: "agent:main:main" }] });
  expect(await store.readContext("s3")).toHaveLength(1);
});

test("an unreadable transcript is kept aside and its session begins empty, saying so", async () => {
  await write(
    { main: { sessionId: "s3" }, gone: { sessionId: "s4" }, "agent:main:x": { updatedAt: 1 }, bad: { sessionId: "../s5" } },
    { "s3.jsonl": "\u0000\u0000broken" },
  );
  const report = await importSessionFolder(store, folder, options);
  expect(report.imported).toMatchObject([
    { key: "agent:main:main", entries: 0, keptAside: expect.stringContaining("s3.jsonl.unreadable.") },
    { key: "agent:main:gone" },
  ]);
  expect(report.imported[1]).not.toHaveProperty("keptAside");
  expect(report.refused.map((each) => each.key)).toEqual(["agent:main:x", "agent:main:bad"]);
  expect(await readFile(report.imported[0]?.keptAside ?? "", "utf8")).toBe("\u0000\u0000broken");
  expect(await readdir(folder)).toEqual(["s3.jsonl", "sessions.json"]);
  expect((await store.readTranscript("s3", { limit: 5 })).items).toMatchObject([{ type: "notice", level: "warning" }]);
  expect(await store.readContext("s3")).toEqual([]);
});

test("a transcript outside the folder is not followed", async () => {
  await write({ main: { sessionId: "s3", sessionFile: "../../secret.jsonl" } }, {});
  await writeFile(join(fixture.folder, "..", "secret.jsonl"), transcript("s9", "secret"));
  await writeFile(join(fixture.folder, "secret.jsonl"), transcript("s9", "secret"));
  await importSessionFolder(store, folder, options);
  expect(await store.readContext("s3")).toEqual([]);
});

test.each(["", "{", "[]", "null", "7"])("a folder with the index %j is refused", async (index) => {
  await write(index, {});
  await expect(importSessionFolder(store, folder, options)).rejects.toMatchObject({ code: "invalid" });
});
