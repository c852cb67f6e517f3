import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@factotum/agent-contract";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { NOW_MS, ORIGIN, RUN_USAGE } from "../../contract/samples.ts";
import { arbitraryEntries } from "../../test/arbitrary-entries.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteFixture } from "../../test/open-test-store.ts";
import { createPortableLines, exportSession, importSessionFile, renderSessionEntry } from "../index.ts";
import type { SessionRecord, Store, TranscriptBody } from "../index.ts";
import { sampleSession, userEntry } from "../../contract/samples.ts";
import { TEST_RANDOM } from "../../test/open-test-store.ts";

const fixtures: SqliteFixture[] = [];
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) await fixture.remove();
});

const text = fc.string({ minLength: 1, maxLength: 8 }).map((value) => `t${value.replaceAll("\u0000", "")}`);
const choice = <Value>(...values: readonly Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);

/** Every field of a session, each present or absent. */
const arbitraryRecord: fc.Arbitrary<Partial<SessionRecord>> = fc.record(
  {
    label: text,
    spawnedBy: text,
    displayName: text,
    memoryFlushAtMs: fc.constant(NOW_MS - 7),
    lastHeartbeat: fc.record({ text, sentAtMs: fc.constant(NOW_MS - 9) }),
    lastOrigin: choice(ORIGIN, {
      ...ORIGIN,
      conversation: { kind: "group", id: "g", threadId: "5", parentId: "p", spaceId: "s" },
    } as const),
    expiresAtMs: fc.constant(NOW_MS + 1e9),
    overrides: fc.record(
      {
        thinking: choice("off" as const, "high" as const),
        verbose: choice("on" as const, "full" as const),
        reasoning: choice("on" as const, "stream" as const),
        elevated: choice("off" as const),
        mode: choice("read-only" as const),
        tts: choice("always" as const, "inbound" as const),
        model: choice("plain", "openrouter/moonshotai/kimi", "a/b"),
        authProfile: text,
        sendPolicy: choice("allow" as const, "deny" as const),
        activation: choice("mention" as const, "always" as const),
        queue: fc.record({
          mode: choice("collect" as const, "steer" as const),
          cap: fc.nat(50),
          drop: choice("old" as const, "new" as const),
        }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

async function fresh(): Promise<{ readonly store: Store; readonly folder: string }> {
  const fixture = await createSqliteFixture();
  fixtures.push(fixture);
  return { store: await fixture.open(), folder: fixture.folder };
}

/** The file that a user gets. */
async function exported(store: Store, key: string): Promise<string> {
  const session = await store.readSession(key);
  if (session === undefined) throw new Error("there is no session");
  let lines = "";
  const header = { sessionId: session.sessionId, startedAtMs: session.startedAtMs, cwd: `/home/${Math.random()}`, session };
  const toPortable = createPortableLines();
  for await (const line of exportSession(store, header)) lines += `${JSON.stringify(toPortable(JSON.parse(line) as JsonObject))}\n`;
  return lines;
}

/** By notice: whether the model is informed of it. */
function marksOf(bodies: readonly TranscriptBody[]): readonly boolean[] {
  return bodies.flatMap((body) => (body.type === "notice" ? [body.tellsModel === true] : []));
}

const owners = { agentId: "main", isForAll: false, agents: new Set(["main"]), random: TEST_RANDOM, nowMs: NOW_MS };

test("export, import and export again gives the same bytes", { timeout: 120_000 }, async () => {
  const second = await fresh();
  await second.store.createSession(sampleSession({ key: "agent:main:other", sessionId: "other" }), { nowMs: NOW_MS });
  let count = 0;
  const property = fc.asyncProperty(arbitraryEntries, arbitraryRecord, async (entries, facts) => {
    count += 1;
    const key = `agent:main:telegram:direct:${count}`;
    const first = await fresh();
    await first.store.importSession({
      key,
      sessionId: `s${count}`,
      agentId: "main",
      createdAtMs: NOW_MS - 100,
      startedAtMs: NOW_MS - 50,
      interactedAtMs: NOW_MS - 20,
      updatedAtMs: NOW_MS - 10,
      isPrivate: false,
      displayName: "Ada",
      overrides: {},
      usage: RUN_USAGE,
      compactionCount: 3,
      ...facts,
      entries,
    });
    const before = await exported(first.store, key);
    const path = join(second.folder, "export.jsonl");
    await writeFile(path, before);
    // The other store has assigned other ids by now.
    await second.store.appendEntry("other", userEntry("x"), { timestampMs: NOW_MS });
    const trial = await importSessionFile(second.store, path, { ...owners, isTrial: true });
    expect(await second.store.readSession(key)).toBeUndefined();
    const report = await importSessionFile(second.store, path, owners);
    expect(report).toEqual(trial);
    expect(report.imported).toMatchObject([{ key, sessionId: `s${count}`, problems: [] }]);
    expect(await exported(second.store, key)).toBe(before);
    expect(await second.store.readSession(key)).toEqual({ ...(await first.store.readSession(key)), importedAtMs: NOW_MS });
    const { items } = await second.store.readTranscript(`s${count}`, { limit: 100 });
    expect(marksOf(items)).toEqual(marksOf(entries.map(({ body }) => body)));
    await first.store.flushCopies();
  });
  await fc.assert(property, { numRuns: 20 });
});

test("a session shows every field that a sessions.json has", () => {
  const conversation = { kind: "group", id: "g", threadId: "5" } as const;
  const entry = renderSessionEntry({
    key: "agent:main:test:group:g",
    sessionId: "s1",
    agentId: "main",
    createdAtMs: 1,
    startedAtMs: 2,
    interactedAtMs: 3,
    updatedAtMs: 4,
    isPrivate: false,
    displayName: "Friends",
    label: "work",
    spawnedBy: "agent:main:main",
    lastOrigin: { channel: "test", accountId: "bot", conversation },
    lastHeartbeat: { text: "fine", sentAtMs: 5 },
    overrides: {
      thinking: "high",
      verbose: "on",
      reasoning: "on",
      elevated: "off",
      mode: "read-only",
      tts: "always",
      model: "a/b/c",
      authProfile: "p",
      sendPolicy: "deny",
      activation: "always",
    },
    usage: RUN_USAGE,
    compactionCount: 1,
  });
  expect(entry).toMatchObject({ providerOverride: "a", modelOverride: "b/c", contextTokens: 67, totalTokens: 122, lastThreadId: "5" });
  const names =
    "sessionId updatedAt sessionFile lastHeartbeatText lastHeartbeatSentAt spawnedBy thinkingLevel verboseLevel reasoningLevel elevatedLevel toolMode " +
    "ttsAuto providerOverride modelOverride authProfileOverride sendPolicy groupActivation inputTokens outputTokens totalTokens contextTokens " +
    "compactionCount label displayName channel subject origin deliveryContext lastChannel lastTo lastAccountId lastThreadId";
  expect(Object.keys(entry)).toEqual(expect.arrayContaining(names.split(" ")));
});

test("an import never overwrites: a second one is a no-op, another key makes a second conversation", async () => {
  const { store, folder } = await fresh();
  const path = join(folder, "theirs.jsonl");
  const line = { role: "user", content: "hello", timestamp: 1769774401000 };
  await writeFile(
    path,
    `${JSON.stringify({ type: "session", version: 1, id: "x1", timestamp: "2026-01-30T12:00:00.000Z" })}\n${JSON.stringify(line)}\n{"torn`,
  );
  expect(await importSessionFile(store, path, owners)).toEqual({
    imported: [{ key: "agent:main:import:x1", sessionId: "x1", entries: 1, problems: [{ type: "torn-tail", line: 3 }] }],
    present: [],
    refused: [],
    unlisted: [],
  });
  expect(await importSessionFile(store, path, owners)).toMatchObject({ imported: [], present: ["agent:main:import:x1"] });
  const other = await importSessionFile(store, path, { ...owners, key: "agent:main:other" });
  expect(other).toMatchObject({ imported: [{ key: "agent:main:other", entries: 1 }] });
  expect(other.imported[0]?.sessionId).not.toBe("x1");
  expect(await importSessionFile(store, path, { ...owners, key: "agent:main:other" })).toMatchObject({
    imported: [],
    present: ["agent:main:other"],
    refused: [],
  });
  expect((await store.counts()).sessions).toBe(2);
  await store.createSession(sampleSession({ key: "agent:main:third", sessionId: "third" }), { nowMs: NOW_MS });
  expect(await importSessionFile(store, path, { ...owners, key: "agent:main:third" })).toMatchObject({
    refused: [{ key: "agent:main:third", reason: expect.stringContaining("another conversation") }],
  });
  await writeFile(path, "no session");
  await expect(importSessionFile(store, path, owners)).rejects.toMatchObject({ code: "invalid" });
});

test.each([
  [{ key: "agent:../../x:main" }, "no agent"],
  [{ key: "agent:ghost:main" }, "no agent"],
  [{ key: "a\u0001b" }, "no session key"],
])("%j is not a valid import target", async (place, reason) => {
  const { store, folder } = await fresh();
  const path = join(folder, "export.jsonl");
  await writeFile(
    path,
    `${JSON.stringify({ type: "session", version: 3, id: "x1", session: { ...place, entry: { sessionId: "x1" } } })}\n`,
  );
  expect(await importSessionFile(store, path, owners)).toMatchObject({
    imported: [],
    refused: [{ reason: expect.stringContaining(reason) }],
  });
  expect(await importSessionFile(store, path, { ...owners, isForAll: true, key: "agent:ghost:main" })).toMatchObject({
    imported: [{ key: "agent:main:main" }],
  });
});
