import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NOW_MS } from "../../contract/samples.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteFixture } from "../../test/open-test-store.ts";
import { importSessionFolder } from "../index.ts";
import type { ImportFolderOptions, Store } from "../index.ts";

let fixture: SqliteFixture;
let store: Store;
let folder = "";
let options: ImportFolderOptions = { agentId: "main", isForAll: false, agents: new Set(["main"]), asideFolder: "", nowMs: NOW_MS };
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
    importedAtMs: NOW_MS,
    lastHeartbeat: { text: "all fine", sentAtMs: NOW_MS - 5 },
    lastOrigin: { channel: "telegram", accountId: "bot", conversation: { kind: "direct", id: "7", threadId: "12" } },
  });
  expect(await store.readContext("s2")).toMatchObject([{ message: { content: [{ text: "tick" }] } }]);
});

test("is a no-op the second time, and says why", async () => {
  await write({ main: { sessionId: "s3" } }, { "s3.jsonl": transcript("s3", "hi") });
  await importSessionFolder(store, folder, options);
  const again = await importSessionFolder(store, folder, options);
  expect(again).toEqual({ imported: [], present: ["agent:main:main"], refused: [], unlisted: [] });
  expect(await store.readContext("s3")).toHaveLength(1);
});

test("keeps an unreadable transcript aside, starts its session empty and reports it", async () => {
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

test("does not follow a transcript outside the folder", async () => {
  await write({ main: { sessionId: "s3", sessionFile: "../../secret.jsonl" } }, {});
  await writeFile(join(fixture.folder, "..", "secret.jsonl"), transcript("s9", "secret"));
  await writeFile(join(fixture.folder, "secret.jsonl"), transcript("s9", "secret"));
  await importSessionFolder(store, folder, options);
  expect(await store.readContext("s3")).toEqual([]);
});

test("does not follow a session id outside the folder", async () => {
  await mkdir(join(fixture.folder, "other"));
  await writeFile(join(fixture.folder, "other", "x.jsonl"), "\u0000secret");
  await write({ main: { sessionId: "../other/x" }, second: { sessionId: "../other/x", sessionFile: "/" } }, {});
  const report = await importSessionFolder(store, folder, options);
  expect(report.imported).toEqual([]);
  expect(report.refused.map(({ key }) => key)).toEqual(["agent:main:main", "agent:main:second"]);
  expect((await readdir(fixture.folder, { recursive: true })).filter((name) => name.includes("unreadable"))).toEqual([]);
});

test.each(["", "{", "[]", "null", "7"])("a folder with the index %j is refused", async (index) => {
  await write(index, {});
  await expect(importSessionFolder(store, folder, options)).rejects.toMatchObject({ code: "invalid" });
});

test("reports the same in a dry run and changes nothing", async () => {
  await write(
    { main: { sessionId: "s3" }, "agent:main:main": { sessionId: "s4" }, twin: { sessionId: "s3" }, gone: { sessionId: "s5" } },
    { "s3.jsonl": transcript("s3", "hi"), "s4.jsonl": transcript("s4", "ho"), "s5.jsonl": "broken" },
  );
  const trial = await importSessionFolder(store, folder, { ...options, isTrial: true });
  expect((await store.counts()).sessions).toBe(0);
  expect(await readdir(fixture.folder)).not.toContain("aside");
  const report = await importSessionFolder(store, folder, options);
  expect(report.imported.map(({ key }) => key)).toEqual(["agent:main:main", "agent:main:gone"]);
  expect(report.refused.map(({ key }) => key)).toEqual(["agent:main:main", "agent:main:twin"]);
  const { keptAside: _copy, ...gone } = report.imported[1] ?? { keptAside: "" };
  expect(trial).toEqual({ ...report, imported: [report.imported[0], gone] });
});

test("refuses sessions of unknown agents until an agent is given", async () => {
  await write({ "agent:ghost:main": { sessionId: "s1" }, "agent:../x:main": { sessionId: "s2" } }, { "s1.jsonl": transcript("s1", "boo") });
  const report = await importSessionFolder(store, folder, options);
  expect(report.refused.map(({ reason }) => reason)).toEqual([expect.stringContaining("no agent"), expect.stringContaining("no agent")]);
  const forAll = await importSessionFolder(store, folder, { ...options, isForAll: true });
  expect(forAll.imported).toMatchObject([{ key: "agent:main:main", entries: 1 }]);
});

test("imports the rest of a folder with arbitrary files", async () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const index = {
    "agent:main:good": { sessionId: "good", label: "a\u0000b", updatedAt: 8e15, compactionCount: "many", deliveryContext: 7, usage: [] },
    "agent:main:list": [],
    "agent:main:text": "no entry",
    "agent:main:none": null,
    "agent:main:number": { sessionId: 7 },
    "agent:main:folder": { sessionId: "folder" },
    "agent:main:link": { sessionId: "link" },
    "agent:main:pipe": { sessionId: "pipe" },
    "agent:main:large": { sessionId: "large" },
    "agent:main:newer": { sessionId: "newer" },
    "agent:main:torn": { sessionId: "torn" },
    "agent:main:odd": { sessionId: "odd" },
    "a\u0000b": { sessionId: "nul" },
    [`agent:main:${"x".repeat(5_000)}`]: { sessionId: "long" },
    "agent:main:last": { sessionId: "last" },
  };
  const odd = [
    deep,
    `{"role":"user","content":${deep}}`,
    `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"b","arguments":{"x":${deep}}}]}}`,
    '{"role":"user","content":17}',
    '{"role":{},"content":[null,7,{"type":"text","text":[]}]}',
    '{"type":"compaction","summary":[],"firstKeptEntryId":{}}',
    "\u0000".repeat(100),
    '{"role":"user","content":"still here"}',
  ].join("\n");
  await write(index, {
    "good.jsonl": transcript("good", "one"),
    "last.jsonl": transcript("last", "two"),
    "newer.jsonl": `{"type":"session","version":99,"id":"newer"}\n{"type":"hologram"}\n{"role":"user","content":"from later"}\n`,
    "torn.jsonl": `${transcript("torn", "whole")}{"role":"user","con`,
    "odd.jsonl": `${odd}\n`,
    "large.jsonl": "",
  });
  await truncate(join(folder, "large.jsonl"), 300 * 1024 * 1024);
  await mkdir(join(folder, "folder.jsonl"));
  await writeFile(join(fixture.folder, "secret.jsonl"), transcript("link", "secret"));
  await symlink(join(fixture.folder, "secret.jsonl"), join(folder, "link.jsonl"));
  execFileSync("sh", ["-c", 'mkfifo "$0"', join(folder, "pipe.jsonl")]);
  const report = await importSessionFolder(store, folder, options);
  expect(report.imported.map(({ key, entries }) => [key.slice("agent:main:".length), entries])).toEqual([
    ["good", 1],
    ["newer", 1],
    ["torn", 1],
    ["odd", expect.any(Number)],
    ["last", 1],
  ]);
  expect(report.refused.map(({ key, reason }) => [key.replace("agent:main:", "").slice(0, 9), reason])).toEqual([
    ...["list", "text", "none", "number"].map((key) => [key, expect.stringContaining("names no session")]),
    ["folder", expect.stringContaining("no file")],
    ["link", expect.stringContaining("links are not followed")],
    ["pipe", expect.stringContaining("no file")],
    ["large", expect.stringContaining("bytes")],
    ["a?b", expect.stringContaining("no session key")],
    ["xxxxxxxxx", expect.stringContaining("no session key")],
  ]);
  expect(report.imported[1]?.problems).toMatchObject([{ type: "newer-version", version: 99 }, { type: "left-out" }]);
  expect(report.imported[2]?.problems).toMatchObject([{ type: "torn-tail" }]);
  expect(JSON.stringify(await store.readContext("odd"))).toContain("still here");
  expect(await store.readSession("agent:main:good")).toMatchObject({ updatedAtMs: NOW_MS, compactionCount: 0 });
  expect((await store.listSessions({ limit: 1 })).cursor).toBeDefined();
});
