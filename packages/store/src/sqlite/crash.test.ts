import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteStore, parseSessionFile } from "../index.ts";
import type { Store } from "../index.ts";
import { createTestClock, createTestLogger, TEST_RANDOM } from "../../test/open-test-store.ts";

const KILLS = 20;
const CHILD = fileURLToPath(new URL("../../test/crash-child.ts", import.meta.url));

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "factotum-crash-"));
});
afterEach(() => rm(root, { recursive: true }));

/** Runs the child until it has reported `count` facts, then kills it with SIGKILL. */
async function runUntilKilled(boot: number, count: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--conditions=factotum-source", CHILD, root, String(boot)], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, "compiled") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit");
  const facts: string[] = [];
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    facts.push(line);
    if (facts.length === count) child.kill("SIGKILL");
  }
  const [, signal] = (await exit) as [number | null, NodeJS.Signals | null];
  expect({ signal, complaint }).toEqual({ signal: "SIGKILL", complaint: "" });
  return facts.filter((line) => line !== "ready");
}

function expectIntegrity(): void {
  const connection = new DatabaseSync(join(root, "state", "factotum.sqlite"), { readOnly: true });
  expect(connection.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(connection.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  connection.close();
}

async function expectKept(store: Store, fact: string): Promise<void> {
  const [what, name = "", id = ""] = fact.split(" ");
  const turn = await store.readTurn(name);
  if (what === "accepted") expect(await store.readInput(id)).toBeDefined();
  else expect(turn).toBeDefined();
  if (what !== "ended") return;
  expect(turn?.state).toBe("done");
  expect(await store.readOutbound(id)).toMatchObject({ idempotencyKey: `${name}:0`, state: { type: "sending" } });
}

/** A turn is atomic: its outcome, its inputs and its entries agree. */
async function expectWhole(store: Store): Promise<number> {
  const running = await store.resumeTurns();
  const claimed = (await store.listInputs({ state: "claimed", limit: 500 })).items;
  expect(claimed.map((input) => input.id)).toEqual(running.flatMap((turn) => turn.inputIds).toSorted((a, b) => (a < b ? -1 : 1)));
  for (const turn of running) {
    const entries = (await store.readTranscript(turn.sessionId, { limit: 500 })).items.filter((entry) => entry.turnId === turn.id);
    expect(entries.length).toBe(1 + (await store.readJournal(turn.id)).length);
  }
  return running.length;
}

test(`nothing acknowledged is lost and nothing is half done in ${KILLS} kills`, async () => {
  const facts: string[] = [];
  let unfinished = 0;
  for (let boot = 0; boot < KILLS; boot += 1) {
    const said = await runUntilKilled(boot, 2 + ((boot * 37) % 90));
    facts.push(...said);
    expectIntegrity();
    const store = await openSqliteStore({
      folder: join(root, "state"),
      copies: { folder: (agentId) => join(root, "agents", agentId), cwd: () => "/home/ada", agents: async () => [] },
      clock: createTestClock(),
      random: TEST_RANDOM,
      logger: createTestLogger(),
    });
    unfinished += await expectWhole(store);
    for (const fact of boot === KILLS - 1 ? facts : said) await expectKept(store, fact);
    await expectCopy(store, `s-${boot % 4}`);
    await store.close();
  }
  expect(facts.length).toBeGreaterThan(KILLS * 10);
  expect(unfinished).toBeGreaterThan(KILLS);
});

async function expectCopy(store: Store, sessionId: string): Promise<void> {
  await store.flushCopies();
  let count = 0;
  for await (const _entry of store.exportTranscript(sessionId)) count += 1;
  if (count === 0) return;
  const file = await parseSessionFile(await readFile(join(root, "agents", "main", `${sessionId}.jsonl`), "utf8"));
  expect(file.problems).toEqual([]);
  expect(file.entries).toHaveLength(count);
}
