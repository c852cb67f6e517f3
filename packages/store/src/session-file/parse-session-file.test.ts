import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NOW_MS, sampleSession } from "../../contract/samples.ts";
import { arbitraryEntries } from "../../test/arbitrary-entries.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteFixture } from "../../test/open-test-store.ts";
import { exportSession, importSession, MAX_BRANCHES, parseSessionFile } from "../index.ts";
import type { ImportedEntry, Store } from "../index.ts";

const lines = (...records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

async function* inPieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

test("a file has no more branches than a conversation may have", async () => {
  const message = { type: "message", id: "m", parentId: null, message: { role: "user", content: "one", timestamp: 1 } };
  const branches = Array.from({ length: MAX_BRANCHES + 3 }, (_, index) => ({ type: "branch", id: `b${index}`, after: "m" }));
  const { entries, problems, count } = await parseSessionFile(lines({ type: "session", version: 3, id: "s" }, message, ...branches));
  expect([entries.length, count]).toEqual([1 + MAX_BRANCHES, 1 + MAX_BRANCHES]);
  expect(problems).toEqual([{ type: "left-out", kind: "branch", count: 3 }]);
});

test("a branch from an entry that the file has lost continues the one before it", async () => {
  const said = (id: string): unknown => ({ type: "message", id, message: { role: "user", content: id, timestamp: 1 } });
  const branches = [
    { type: "branch", id: "e6", after: "e2" },
    { type: "branch", id: "e7", after: "e0" },
  ];
  const { entries } = await parseSessionFile(
    lines({ type: "session", version: 3, id: "s" }, ...["e1", "e3", "e4"].map(said), branches[0], said("e6b"), branches[1]),
  );
  expect(entries.flatMap(({ body }) => (body.type === "branch" ? [body] : []))).toEqual([
    { type: "branch", after: "0" },
    { type: "branch" },
  ]);
});

describe("written files are read back", () => {
  let fixture: SqliteFixture;
  let store: Store;
  let imports = 0;
  beforeAll(async () => {
    fixture = await createSqliteFixture();
    store = await fixture.open();
  });
  afterAll(() => fixture.remove());

  /** Takes entries through the store and out again as a file. */
  async function throughStore(entries: readonly ImportedEntry[]): Promise<string> {
    imports += 1;
    const sessionId = `session-${imports}`;
    const facts = { count: entries.length, compactionCount: 0, usage: NO_USAGE_TOTALS };
    const file = { isReadable: true, version: 3, sessionId, startedAtMs: NOW_MS, entries, problems: [], ...facts };
    const { key, agentId, displayName } = sampleSession({ key: `agent:main:${imports}` });
    await importSession(store, file, { key, agentId, displayName, sessionId, isPrivate: false, nowMs: NOW_MS });
    let text = "";
    for await (const line of exportSession(store, { sessionId, startedAtMs: NOW_MS, cwd: "/home/ada/workspace-main" })) text += line;
    return text;
  }

  test("imports an export unchanged, for any chunk sizes", async () => {
    const property = fc.asyncProperty(arbitraryEntries, fc.integer({ min: 1, max: 300 }), async (entries, size) => {
      const text = await throughStore(entries);
      const parsed = await parseSessionFile(inPieces(Buffer.from(text), size));
      expect(parsed).toMatchObject({ isReadable: true, version: 3, startedAtMs: NOW_MS, cwd: "/home/ada/workspace-main", problems: [] });
      expect(parsed.entries).toEqual(entries);
      await store.flushCopies();
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test("keeps everything before a truncation or an overwrite", async () => {
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.json().map((text) => Buffer.from(text)),
    );
    const property = fc.asyncProperty(arbitraryEntries, fc.nat(), garbage, async (entries, at, noise) => {
      const bytes = Buffer.from(await throughStore(entries));
      const cut = at % (bytes.length + 1);
      const parsed = await parseSessionFile(inPieces(Buffer.concat([bytes.subarray(0, cut), noise]), 64));
      const whole = bytes.subarray(0, cut).filter((byte) => byte === 0x0a).length - 1;
      expect(parsed.entries.slice(0, Math.max(0, whole))).toEqual(entries.slice(0, Math.max(0, whole)));
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test("loses only the damaged line", async () => {
    const property = fc.asyncProperty(arbitraryEntries, fc.nat(), async (entries, at) => {
      const all = (await throughStore(entries)).split("\n").slice(0, -1);
      const lost = 1 + (at % entries.length);
      const parsed = await parseSessionFile(`${all.with(lost, '{"type":"mess').join("\n")}\n`);
      expect(parsed.problems).toContainEqual({ type: "unreadable-line", line: lost + 1 });
      // Entries that refer to others use positions, which have shifted.
      const namesNone = ({ body }: ImportedEntry): boolean => body.type !== "compaction" && body.type !== "replacement";
      const kept = entries.filter((_, index) => index !== lost - 1).filter(namesNone);
      const bodies = parsed.entries.filter(namesNone).map((entry) => entry.body);
      for (const entry of kept) expect(bodies).toContainEqual(entry.body);
      await throughStore(parsed.entries);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

test("does not throw for arbitrary bytes", async () => {
  const property = fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 })), async (pieces) => {
    const parsed = await parseSessionFile(
      (async function* () {
        yield* pieces;
      })(),
    );
    expect(parsed.isReadable || parsed.entries.length === 0).toBe(true);
  });
  await fc.assert(property);
});

describe("older and other files", () => {
  const header = { type: "session", version: 2, id: "old-1", timestamp: "2026-01-30T12:00:00.000Z", cwd: "/home/ada" };

  test("version 2 has messages without an envelope", async () => {
    const parsed = await parseSessionFile(
      lines(
        header,
        { role: "user", content: "Hello", timestamp: 1706620800000 },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "hm", thinkingSignature: "opaque" },
            { type: "text", text: "Hi!" },
            { type: "toolCall", id: "c1", name: "ls", arguments: { path: "." }, partialJson: "" },
            { type: "toolCall", id: "c2", name: "ls" },
          ],
          api: "openai-responses",
          provider: "openai",
          model: "m",
          usage: { input: 3, output: 2, cacheRead: 1, cacheWrite: 0, totalTokens: 6, cost: { total: 0.25 } },
          stopReason: "toolUse",
          timestamp: 1706620801000,
        },
        {
          role: "toolResult",
          toolCallId: "c1",
          toolName: "ls",
          content: [{ type: "text", text: "a.py" }],
          isError: false,
          timestamp: 1706620802000,
        },
      ),
    );
    expect(parsed).toMatchObject({
      version: 2,
      sessionId: "old-1",
      cwd: "/home/ada",
      startedAtMs: Date.UTC(2026, 0, 30, 12),
      problems: [],
    });
    expect(parsed.entries.map((entry) => entry.body)).toEqual([
      { type: "message", message: { role: "user", content: [{ type: "text", text: "Hello" }], timestamp: 1706620800000 } },
      {
        type: "message",
        message: {
          role: "assistant",
          content: [
            { type: "thinking", text: "hm" },
            { type: "text", text: "Hi!" },
            { type: "toolCall", id: "c1", name: "ls", arguments: { path: "." } },
          ],
          api: "openai-responses",
          provider: "openai",
          model: "m",
          usage: { input: 3, output: 2, cacheRead: 1, cacheWrite: 0, total: 6, costUsd: 0.25 },
          stopReason: "toolUse",
          timestamp: 1706620801000,
        },
      },
      {
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: "c1",
          toolName: "ls",
          content: [{ type: "text", text: "a.py" }],
          isError: false,
          timestamp: 1706620802000,
        },
      },
    ]);
    expect(parsed.entries.map((entry) => entry.timestampMs)).toEqual([1706620800000, 1706620801000, 1706620802000]);
  });

  const user = (id: string, parentId: string | null, text: string): unknown => ({
    type: "message",
    id,
    parentId,
    timestamp: "2026-01-30T12:00:01.000Z",
    message: { role: "user", content: text, timestamp: 1 },
  });
  const textsOf = (entries: readonly ImportedEntry[]): readonly string[] =>
    entries.map((entry) => JSON.stringify(entry.body).match(/"(?:text|summary)":"([^"]*)"/)?.[1] ?? "");

  test("version 3 is a tree: the last entry's branch counts, and entries of other kinds are links of it", async () => {
    const parsed = await parseSessionFile(
      lines(
        { ...header, version: 3 },
        user("a", null, "first"),
        user("b", "a", "dropped"),
        { type: "model_change", id: "c", parentId: "a", timestamp: "2026-01-30T12:00:02.000Z", provider: "p", modelId: "m" },
        user("d", "c", "second"),
        { type: "custom_message", id: "e", parentId: "d", timestamp: "2026-01-30T12:00:03.000Z", content: "injected" },
        {
          type: "compaction",
          id: "f",
          parentId: "e",
          timestamp: "2026-01-30T12:00:04.000Z",
          summary: "so far",
          firstKeptEntryId: "d",
          tokensBefore: 9,
        },
      ),
    );
    expect(textsOf(parsed.entries)).toEqual(["first", "second", "injected", "so far"]);
    expect(parsed.entries.at(-1)?.body).toMatchObject({ message: { firstKeptEntryId: "1", tokensBefore: 9 } });
    expect(parsed.problems).toEqual([
      { type: "left-out", kind: "model_change", count: 1 },
      { type: "other-branch", count: 1 },
    ]);
  });

  test("version 1 names the first kept entry by its place", async () => {
    const { version: _version, ...first } = header;
    const message = (text: string): unknown => ({
      type: "message",
      timestamp: "2026-01-30T12:00:01.000Z",
      message: { role: "user", content: text },
    });
    const parsed = await parseSessionFile(
      lines(first, message("a"), message("b"), {
        type: "compaction",
        timestamp: "2026-01-30T12:00:02.000Z",
        summary: "s",
        firstKeptEntryIndex: 2,
        tokensBefore: 1,
      }),
    );
    expect(parsed.version).toBe(1);
    expect(parsed.entries.at(-1)?.body).toMatchObject({ type: "compaction", message: { firstKeptEntryId: "1" } });
  });

  test("keeps the existing entries of a compaction whose first kept entry is missing", async () => {
    const compaction = {
      type: "compaction",
      id: "z",
      parentId: null,
      timestamp: "2026-01-30T12:00:04.000Z",
      summary: "so far",
      firstKeptEntryId: "gone",
    };
    const parsed = await parseSessionFile(lines(header, user("a", null, "first"), { ...compaction, parentId: "a" }));
    expect(parsed.entries.at(-1)?.body).toMatchObject({ type: "compaction", message: { firstKeptEntryId: "0" } });
    const alone = await parseSessionFile(lines(header, compaction));
    expect(alone.entries).toMatchObject([{ body: { type: "message", message: { role: "user", content: [{ text: "so far" }] } } }]);
    for (const { problems } of [parsed, alone]) expect(problems).toEqual([{ type: "lost-cut" }]);
  });

  test("cuts a torn tail, reports a missing header, and treats an empty file as unreadable", async () => {
    const text = lines(header, { role: "user", content: "Hello" });
    expect(await parseSessionFile(text.slice(0, -3))).toMatchObject({
      isReadable: true,
      entries: [],
      problems: [{ type: "torn-tail", line: 2 }],
    });
    expect(await parseSessionFile(lines({ role: "user", content: "Hello" }))).toMatchObject({
      isReadable: true,
      problems: [{ type: "no-header" }],
    });
    expect(await parseSessionFile(text.slice(0, -1))).toMatchObject({ entries: [{ body: { type: "message" } }], problems: [] });
    for (const nothing of ["", "\n\n", "\u0000\u0000\u0000", "not json\n"])
      expect((await parseSessionFile(nothing)).isReadable).toBe(false);
  });

  test("replaces an image of an unsupported type by a note", async () => {
    const content = [
      { type: "image", data: "AA==", mimeType: "image/tiff" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
    ];
    const parsed = await parseSessionFile(lines(header, { role: "user", content, timestamp: 1 }));
    expect(parsed.entries[0]?.body).toMatchObject({
      message: { content: [{ type: "text" }, { type: "image", mimeType: "image/png", data: "AA==" }] },
    });
  });
});
