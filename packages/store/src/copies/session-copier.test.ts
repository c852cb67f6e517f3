import { appendFile, mkdir, readdir, readFile, readlink, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NOW_MS, sampleEnd, sampleSession, sampleTurn, userEntry } from "../../contract/samples.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteFixture } from "../../test/open-test-store.ts";
import { exportSession } from "../index.ts";
import type { SqliteStore } from "../index.ts";
import type { CopyBook } from "./copy-book.ts";
import { SessionCopier } from "./session-copier.ts";

let fixture: SqliteFixture;
let store: SqliteStore;
beforeEach(async () => {
  fixture = await createSqliteFixture();
  store = await fixture.open();
});
afterEach(() => fixture.remove());

const copy = (sessionId = "session-1"): Promise<string> => readFile(fixture.copyPath(sessionId), "utf8");

async function speak(name: string): Promise<void> {
  await store.startTurn(sampleTurn(name, []));
  await store.endTurn(sampleEnd(name));
}

async function exported(): Promise<string> {
  let text = "";
  for await (const line of exportSession(store, {
    sessionId: "session-1",
    startedAtMs: NOW_MS,
    cwd: "/home/ada/workspace-main",
    sessionKey: "agent:main:main",
  }))
    text += line;
  return text;
}

test("a conversation is a private file of lines, and no file stays open", async () => {
  await speak("t1");
  await speak("t2");
  await store.flushCopies();
  const lines = (await copy()).split("\n");
  expect(lines.pop()).toBe("");
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    type: "session",
    version: 3,
    id: "session-1",
    timestamp: "2026-01-30T12:00:00.000Z",
    cwd: "/home/ada/workspace-main",
    sessionKey: "agent:main:main",
  });
  expect(lines).toHaveLength(5);
  expect(JSON.parse(lines[1] ?? "")).toEqual({
    type: "message",
    id: "e0000000001",
    parentId: null,
    timestamp: "2026-01-30T12:00:00.000Z",
    turnId: "t1",
    message: userEntry("asked in t1").message,
  });
  expect(JSON.parse(lines[2] ?? "")).toMatchObject({
    id: "e0000000002",
    parentId: "e0000000001",
    message: { role: "assistant", usage: {} },
  });
  expect(await copy()).toBe(await exported());
  expect((await stat(fixture.copyPath("session-1"))).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(fixture.copyPath("session-1")))).mode & 0o777).toBe(0o700);
  const open = await Promise.all((await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  expect(open.filter((path) => path.endsWith(".jsonl"))).toEqual([]);
});

test("entries committed during a copy round are batched into the next one", async () => {
  const rounds: number[][] = [];
  const grown = new Map<number, number>();
  const said = (n: number): void => void grown.set(n, (grown.get(n) ?? 0) + 1);
  let whileWriting = (): void => undefined;
  const book: CopyBook = {
    behind: () => [],
    requireOwnership: () => undefined,
    next(n) {
      const lines = grown.get(n);
      if (lines === undefined) return undefined;
      rounds.at(-1)?.push(n);
      grown.delete(n);
      whileWriting();
      return {
        sessionId: `s${n}`,
        sessionKey: "k",
        agentId: "main",
        startedAtMs: NOW_MS,
        position: { entry: 0, bytes: 0 },
        entries: [],
        lastEntry: lines,
      };
    },
    moveTo: () => undefined,
    waiting: 0,
    savePositions: async () => undefined,
    toRename: () => [],
    renamed: async () => undefined,
    toRemove: () => [],
    removed: async () => undefined,
  };
  let due: (() => void) | undefined;
  const clock: Pick<Clock, "schedule"> = {
    schedule(_delayMs, run) {
      expect(due).toBeUndefined();
      due = run;
      return { [Symbol.dispose]: () => void (due = undefined) };
    },
  };
  const folder = dirname(fixture.copyPath("session-1"));
  const copier = new SessionCopier(
    book,
    { folder: () => folder, cwd: () => "/", agents: async () => [] },
    { clock, logger: fixture.logger },
  );
  const round = async (): Promise<void> => {
    rounds.push([]);
    const run = due;
    due = undefined;
    run?.();
    await expect.poll(() => due !== undefined || grown.size === 0).toBe(true);
  };
  for (const n of [1, 2, 1]) {
    said(n);
    copier.mark(n);
  }
  whileWriting = () => {
    whileWriting = () => undefined;
    for (const n of [1, 3, 3]) {
      said(n);
      copier.mark(n);
    }
  };
  await round();
  await round();
  // The second page of a conversation that grew while it was written belongs to its round; new entries of other conversations do not.
  expect(rounds).toEqual([[1, 1, 2], [3]]);
  said(4);
  copier.mark(4);
  await copier.flush();
  expect(grown.size).toBe(0);
  await copier.stop();
});

test("an unfinished copy of the last process is completed at the start", async () => {
  await speak("t1");
  await store.flushCopies();
  const good = (await copy()).length;
  await speak("t2");
  await store.close();
  const whole = await copy();
  const connection = new DatabaseSync(fixture.file);
  connection.prepare("UPDATE conversations SET copied_entry = 2, copied_bytes = ?").run(good);
  connection.close();
  await truncate(fixture.copyPath("session-1"), good + 7);
  await appendFile(fixture.copyPath("session-1"), `torn\n${"{}\n".repeat(whole.length)}`);
  store = await fixture.open();
  await store.flushCopies();
  expect(await copy()).toBe(whole);
});

test("a shortened or removed file is rewritten", async () => {
  await speak("t1");
  await store.flushCopies();
  await rm(fixture.copyPath("session-1"));
  await speak("t2");
  await store.flushCopies();
  expect(await copy()).toBe(await exported());
  await truncate(fixture.copyPath("session-1"), 5);
  await speak("t3");
  await store.flushCopies();
  expect(await copy()).toBe(await exported());
});

test("an unwritable folder stops only the copies", async () => {
  const folder = dirname(dirname(fixture.copyPath("session-1")));
  await mkdir(dirname(folder), { recursive: true });
  await writeFile(folder, "in the way");
  await speak("t1");
  await expect(store.flushCopies()).rejects.toMatchObject({ name: "StoreError", cause: { code: expect.stringMatching(/ENOTDIR|EEXIST/) } });
  await speak("t2");
  await expect(store.flushCopies()).rejects.toMatchObject({ name: "StoreError" });
  expect(fixture.logger.lines.filter((line) => line.level === "warn")).toHaveLength(1);
  await rm(folder);
  await store.flushCopies();
  expect(await copy()).toBe(await exported());
  expect(fixture.logger.lines.at(-1)).toMatchObject({ level: "info" });
});

test("the file of a deleted session is completed, renamed, and removed by maintenance", async () => {
  await speak("t1");
  await store.resetSession("agent:main:main", { sessionId: "session-2", isPrivate: true, nowMs: NOW_MS });
  await speak("t2");
  const before = await exported();
  fixture.clock.nowMs = NOW_MS + 1000;
  await store.deleteSession("agent:main:main", { nowMs: NOW_MS + 1000 });
  const folder = dirname(fixture.copyPath("session-1"));
  const names = ["session-1", "session-2"].map((id) => `${id}.jsonl.deleted.2026-01-30T12-00-01.000Z`);
  expect((await readdir(folder)).toSorted()).toEqual(names);
  expect(await readFile(`${folder}/${names[0]}`, "utf8")).toBe(before);
  const day = 24 * 60 * 60 * 1000;
  await store.maintain({ nowMs: NOW_MS + 29 * day });
  expect(await readdir(folder)).toHaveLength(2);
  await store.maintain({ nowMs: NOW_MS + 31 * day });
  expect(await readdir(folder)).toEqual([]);
});

test("an interrupted deletion is finished at the start", async () => {
  await speak("t1");
  await store.flushCopies();
  await store.close();
  const connection = new DatabaseSync(fixture.file);
  connection.exec("INSERT INTO deleted_copies (session_id, agent_id, deleted_at) VALUES ('session-1', 'main', 0)");
  connection.close();
  store = await fixture.open();
  await expect.poll(() => readdir(dirname(fixture.copyPath("session-1")))).toEqual(["session-1.jsonl.deleted.1970-01-01T00-00-00.000Z"]);
});

test("a fenced-off process does not touch the files", async () => {
  await speak("t1");
  // Opened before the first copier has run.
  const second = await fixture.open();
  await second.flushCopies();
  await expect(store.flushCopies()).rejects.toMatchObject({ code: "lost-ownership" });
  const text = await copy();
  expect(text.split("\n")).toHaveLength(4);
  await rm(fixture.copyPath("session-1"));
  await store.close();
  expect(await readdir(dirname(fixture.copyPath("session-1")))).toEqual([]);
  await second.appendEntry("session-1", userEntry("new"), { timestampMs: NOW_MS });
  await second.flushCopies();
  expect((await copy()).startsWith(text)).toBe(true);
});

test("sessions without entries have no file", async () => {
  await store.createSession(sampleSession(), { nowMs: NOW_MS });
  await store.flushCopies();
  await expect(stat(fixture.copyPath("session-1"))).rejects.toMatchObject({ code: "ENOENT" });
  expect(await store.deleteSession("agent:main:main", { nowMs: NOW_MS })).toHaveLength(1);
});
