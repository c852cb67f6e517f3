import { describe, expect, test } from "vitest";
import type { NewRequest, Store } from "../src/index.ts";
import { assistantEntry, compactionEntry, NOW_MS, sampleEnd, samplePrompt, sampleSession, sampleTurn, userEntry } from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

const DAY_MS = 86_400_000;

/** A conversation request: its texts are a prompt and transcript entries. */
type SampleRequest = Omit<Extract<NewRequest, { readonly promptHash: string }>, "body">;

export function sampleRequest(number: number, changes: Partial<SampleRequest> = {}): SampleRequest {
  return {
    number,
    promptHash: "hash-1",
    lastEntryId: "e0000000001",
    messages: { count: number, digest: "0123456789abcdef" },
    view: { settledBeforeMs: 5, contextWindow: 200_000, prunes: true, historyLimit: 20 },
    model: "anthropic/some-model",
    credential: "ANTHROPIC_API_KEY",
    settings: { cacheKey: "session-1", thinking: "low" },
    causes: number === 1 ? ["new-session"] : [],
    usage: { input: 10, output: 2, cacheRead: 0, cacheWrite: 5, total: 17, costUsd: 0.01 },
    outcome: { type: "answered", stopReason: "stop" },
    sentAtMs: NOW_MS + number,
    durationMs: 20,
    ...changes,
  };
}

const { sessionId: _sessionId, ...PROMPT } = samplePrompt();

/** A turn of two requests: one committed in the middle of the turn, one at its end. */
async function runTurn(store: Store, id: string, changes: Parameters<typeof sampleTurn>[2] = {}): Promise<void> {
  await store.startTurn(sampleTurn(id, [], { prompt: PROMPT, ...changes }));
  await store.appendToTurn(id, { entries: [assistantEntry("one")], requests: [sampleRequest(1)], timestampMs: NOW_MS });
  await store.endTurn(sampleEnd(id, { requests: [sampleRequest(2)] }));
}

/** Requests are kept by reference, found by session and turn, and forgotten by age and number. */
export function describeRequests(context: () => ContractContext): void {
  describe("model requests", () => {
    test("are listed with their usage over all sessions and pages, in a time", async () => {
      const { store } = context();
      await runTurn(store, "t1");
      const other = sampleSession({ key: "agent:main:other", sessionId: "session-2" });
      await runTurn(store, "t2", { session: other, prompt: { ...PROMPT } });
      const first = await store.listRequestUsage({ fromMs: NOW_MS + 1, toMs: NOW_MS + 3, limit: 3 });
      const second = await store.listRequestUsage({ fromMs: NOW_MS + 1, toMs: NOW_MS + 3, limit: 3, before: first.cursor ?? "" });
      expect(second).not.toHaveProperty("cursor");
      const found = [...first.items, ...second.items].map(({ sessionKey, agentId, kind, sentAtMs }) => [
        sessionKey,
        agentId,
        kind,
        sentAtMs - NOW_MS,
      ]);
      expect(found).toEqual([
        ["agent:main:other", "main", "user", 2],
        ["agent:main:other", "main", "user", 1],
        ["agent:main:main", "main", "user", 2],
        ["agent:main:main", "main", "user", 1],
      ]);
      expect(first.items[0]).toMatchObject({ channel: "feishu", model: "anthropic/some-model", usage: { total: 17, costUsd: 0.01 } });
      expect((await store.listRequestUsage({ fromMs: NOW_MS + 2, toMs: NOW_MS + 3, limit: 9 })).items).toHaveLength(2);
      expect(await store.oldestRequestMs()).toBe(NOW_MS + 1);
    });

    test("include texts that are stored nowhere else", async () => {
      const { store } = context();
      await runTurn(store, "t1");
      const body = { system: { stable: "You condense.", session: "" }, messages: [userEntry("one\u0000two").message], tools: [] };
      const { promptHash: _promptHash, ...request } = sampleRequest(3);
      await store.startTurn(sampleTurn("t2", []));
      await store.endTurn(sampleEnd("t2", { requests: [{ ...request, body }], outbox: [] }));
      const [own, other] = (await store.listRequests({ sessionId: "session-1", limit: 9 })).items;
      expect(own).toMatchObject({ turnId: "t2", number: 3 });
      expect(own).not.toHaveProperty("promptHash");
      expect(await store.readRequestBody(own?.id ?? "")).toEqual(body);
      expect(await store.readRequestBody(other?.id ?? "")).toBeUndefined();
      expect(await store.readRequestBody("nothing")).toBeUndefined();
    });

    test("do not reveal their texts for a foreign id", async () => {
      const { store } = context();
      const body = { system: { stable: "You condense.", session: "" }, messages: [], tools: [] };
      const { promptHash: _promptHash, ...request } = sampleRequest(1);
      await store.startTurn(sampleTurn("t1", []));
      await store.endTurn(sampleEnd("t1", { requests: [{ ...request, body }], outbox: [] }));
      expect(await store.readRequestBody("nothing")).toBeUndefined();
      expect(await store.readRequestBody("r0000000001")).toEqual(body);
    });

    test("are kept even when none of their entries is readable", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      await store.endTurn(sampleEnd("t1", { requests: [sampleRequest(1, { lastEntryId: "" })], outbox: [] }));
      const [kept] = (await store.listRequests({ sessionId: "session-1", limit: 9 })).items;
      expect(kept).toMatchObject({ turnId: "t1", number: 1 });
      expect(await store.readContext("session-1", { at: kept?.lastEntryId ?? "" })).toEqual([]);
    });

    test("are returned as written, newest first, page by page", async () => {
      const { store } = context();
      await runTurn(store, "t1");
      await runTurn(store, "t2");
      const all = (await store.listRequests({ sessionId: "session-1", limit: 9 })).items;
      expect(all.map(({ turnId, turnNumber, number }) => [turnId, turnNumber, number])).toEqual([
        ["t2", 2, 2],
        ["t2", 2, 1],
        ["t1", 1, 2],
        ["t1", 1, 1],
      ]);
      const last = all.at(-1);
      expect(last).toEqual({
        ...sampleRequest(1),
        id: last?.id,
        sessionId: "session-1",
        turnId: "t1",
        turnNumber: 1,
        kind: "user",
      });
      expect(await store.readRequest(last?.id ?? "")).toEqual(last);
      const page = await store.listRequests({ sessionId: "session-1", limit: 3 });
      expect(page.items).toEqual(all.slice(0, 3));
      expect((await store.listRequests({ sessionId: "session-1", limit: 3, before: page.cursor ?? "" })).items).toEqual(all.slice(3));
      expect((await store.listRequests({ sessionId: "session-1", turnId: "t1", limit: 9 })).items).toEqual(all.slice(2));
    });

    test("unknown requests are not found", async () => {
      const { store } = context();
      expect(await store.readRequest("r0000000001")).toBeUndefined();
      expect(await store.readRequest("nothing")).toBeUndefined();
      expect((await store.listRequests({ sessionId: "session-9", limit: 9 })).items).toEqual([]);
      await runTurn(store, "t1");
      await expect(store.listRequests({ sessionId: "session-1", turnId: "t9", limit: 9 })).rejects.toMatchObject({ code: "not-found" });
      await expect(store.listRequests({ sessionId: "session-1", before: "x", limit: 9 })).rejects.toMatchObject({ code: "invalid" });
    });

    test("turns are counted in their session id, and found by their number", async () => {
      const { store } = context();
      const other = { session: sampleSession({ key: "agent:main:b", sessionId: "session-2" }) };
      await runTurn(store, "t1");
      await runTurn(store, "o1", other);
      await runTurn(store, "t2");
      expect((await store.findTurn("session-1", 2))?.id).toBe("t2");
      expect((await store.findTurn("session-2", 1))?.id).toBe("o1");
      expect(await store.findTurn("session-1", 3)).toBeUndefined();
      expect(await store.findTurn("session-9", 1)).toBeUndefined();
      expect((await store.readTurn("t2"))?.number).toBe(2);
      expect(await store.readLastTurn("session-1", { except: [] })).toMatchObject({ id: "t2", kind: "user", state: "done", attempts: 1 });
      await store.resetSession("agent:main:main", { sessionId: "session-3", isPrivate: true, nowMs: NOW_MS });
      expect((await store.startTurn(sampleTurn("t3", []))).turn).toMatchObject({ sessionId: "session-3", number: 1 });
    });

    test("a prompt is found by its hash and has its outline", async () => {
      const { store } = context();
      const outline = {
        sections: [{ id: "identity", half: "stable", chars: 12 } as const],
        cutFiles: [{ name: "SOUL.md", limit: "file", keptChars: 5, totalChars: 9 } as const],
      };
      await store.startTurn(sampleTurn("t1", [], { prompt: { ...PROMPT, outline } }));
      await store.savePrompt(samplePrompt({ hash: "hash-2", cause: "cold-cache" }));
      await store.savePrompt(samplePrompt({ cause: "cold-cache", renderedAtMs: NOW_MS + 9 }));
      expect(await store.readPrompt("session-1", { hash: "hash-1", notAfterMs: NOW_MS + 8 })).toEqual({ ...samplePrompt(), outline });
      expect((await store.readPrompt("session-1", { hash: "hash-1", notAfterMs: NOW_MS + 9 }))?.cause).toBe("cold-cache");
      expect((await store.readPrompt("session-1"))?.outline).toBeUndefined();
      expect(await store.readPrompt("session-1", { hash: "hash-1", notAfterMs: NOW_MS - 1 })).toBeUndefined();
      expect(await store.readPrompt("session-1", { hash: "hash-9", notAfterMs: NOW_MS })).toBeUndefined();
      await store.endTurn(sampleEnd("t1", { requests: [sampleRequest(1, { promptHash: "hash-9" })] }));
      const [request] = (await store.listRequests({ sessionId: "session-1", limit: 1 })).items;
      expect(request).not.toHaveProperty("promptHash");
    });

    test("the context of a past moment ignores later compactions", async () => {
      const { store } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const append = async (body: ReturnType<typeof userEntry> | ReturnType<typeof compactionEntry>): Promise<string> =>
        (await store.appendEntry("session-1", body, { timestampMs: NOW_MS })).id;
      const [a, b, c] = [await append(userEntry("a")), await append(userEntry("b")), await append(userEntry("c"))];
      await store.appendEntry("session-1", { type: "notice", level: "info", text: "x" }, { timestampMs: NOW_MS });
      const first = await append(compactionEntry(b, "first"));
      const d = await append(userEntry("d"));
      const second = await append(compactionEntry(d, "second"));
      const e = await append(userEntry("e"));
      const ids = async (at: string): Promise<readonly string[]> => (await store.readContext("session-1", { at })).map((entry) => entry.id);
      expect(await ids(b)).toEqual([a, b]);
      expect(await ids(c)).toEqual([a, b, c]);
      expect(await ids(d)).toEqual([first, b, c, d]);
      expect(await ids(e)).toEqual([second, d, e]);
      expect(await store.readContext("session-1", { at: e })).toEqual(await store.readContext("session-1"));
      expect(await store.readContext("session-9", { at: e })).toEqual([]);
    });

    test("maintenance removes old and surplus requests", async () => {
      const { store } = context();
      for (const id of ["t1", "t2", "t3"]) await runTurn(store, id);
      const numbers = async (): Promise<readonly number[]> =>
        (await store.listRequests({ sessionId: "session-1", limit: 9 })).items.map(({ turnNumber }) => turnNumber);
      expect(await store.maintain({ nowMs: NOW_MS + 29 * DAY_MS })).toBe(false);
      expect(await numbers()).toEqual([3, 3, 2, 2, 1, 1]);
      await store.maintain({ nowMs: NOW_MS + DAY_MS, keepRequests: 3 });
      expect(await numbers()).toEqual([3, 3, 2]);
      await store.maintain({ nowMs: NOW_MS + 31 * DAY_MS });
      expect(await numbers()).toEqual([]);
    });

    test("are deleted with their session", async () => {
      const { store } = context();
      await runTurn(store, "t1");
      const [request] = (await store.listRequests({ sessionId: "session-1", limit: 1 })).items;
      expect(await store.deleteSession("agent:main:main", { nowMs: NOW_MS })).toHaveLength(1);
      expect(await store.readRequest(request?.id ?? "")).toBeUndefined();
    });

    test("survive a restart", async () => {
      const { store, fixture } = context();
      await runTurn(store, "t1");
      const before = await store.listRequests({ sessionId: "session-1", limit: 9 });
      await store.close();
      const again = await fixture.open();
      expect(await again.listRequests({ sessionId: "session-1", limit: 9 })).toEqual(before);
      await again.close();
    });
  });
}
