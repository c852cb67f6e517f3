import { describe, expect, test } from "vitest";
import type { Store } from "../src/index.ts";
import {
  assistantEntry,
  NOW_MS,
  ORIGIN,
  OWNER,
  RUN_USAGE,
  sampleEnd,
  sampleMessage,
  sampleOutbound,
  samplePrompt,
  sampleSession,
  sampleTurn,
  userEntry,
} from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

async function accept(store: Store, eventId: string): Promise<string> {
  const { input } = await store.acceptInput(sampleMessage(eventId), { admission: OWNER, receivedAtMs: NOW_MS });
  return input.id;
}

export function describeTurns(context: () => ContractContext): void {
  describe("turns", () => {
    test("a turn begins with its session, its inputs, its entry and its prompt in one commit", async () => {
      const { store } = context();
      const id = await accept(store, "1");
      const { sessionId: _sessionId, ...prompt } = samplePrompt();
      const started = await store.startTurn(sampleTurn("t1", [id], { prompt }));
      expect(started.turn).toMatchObject({
        id: "t1",
        sessionId: "session-1",
        agentId: "main",
        state: "running",
        attempts: 1,
        inputIds: [id],
      });
      expect(started.session).toEqual(await store.readSession("agent:main:main"));
      expect(started.session).toMatchObject({ sessionId: "session-1", isPrivate: true, lastOrigin: ORIGIN, interactedAtMs: NOW_MS });
      expect(started.entries).toMatchObject([{ turnId: "t1", sessionId: "session-1", timestampMs: NOW_MS, ...userEntry("asked in t1") }]);
      expect(await store.readInput(id)).toMatchObject({ state: { type: "claimed" }, turnId: "t1" });
      expect(await store.readPrompt("session-1")).toEqual(samplePrompt());
      expect(await store.readTurn("t1")).toEqual(started.turn);
    });

    test("a turn that cannot begin leaves nothing behind", async () => {
      const { store } = context();
      const id = await accept(store, "1");
      await store.startTurn(sampleTurn("t1", [id]));
      const session = sampleSession({ key: "agent:main:other", sessionId: "session-2" });
      await expect(store.startTurn(sampleTurn("t2", [id], { session }))).rejects.toMatchObject({ code: "conflict" });
      expect(await store.readSession("agent:main:other")).toBeUndefined();
      expect(await store.readTurn("t2")).toBeUndefined();
      expect((await store.readTranscript("session-2", { limit: 5 })).items).toEqual([]);
      await expect(store.startTurn(sampleTurn("t2", ["nothing"]))).rejects.toMatchObject({ code: "not-found" });
      await expect(store.startTurn(sampleTurn("t1", []))).rejects.toMatchObject({ code: "conflict" });
    });

    test("settles the shown events that still wait, together with the turn or not at all", async () => {
      const { store } = context();
      const [first, second, third] = await Promise.all(
        ["1", "2", "3"].map(
          async (id) => (await store.acceptInput(sampleMessage(id), { admission: OWNER, receivedAtMs: NOW_MS })).input.id,
        ),
      );
      if (first === undefined || second === undefined || third === undefined) throw new Error("no inputs");
      await store.settleInputs([second], { type: "ignored", reason: "too many" });
      await expect(store.startTurn(sampleTurn("t1", ["nothing"], { shownEventIds: [first] }))).rejects.toMatchObject({ code: "not-found" });
      expect((await store.readInput(first))?.state).toEqual({ type: "waiting" });
      await store.startTurn(sampleTurn("t1", [third], { shownEventIds: [first, second] }));
      expect((await store.readInput(first))?.state).toEqual({ type: "shown" });
      expect((await store.readInput(second))?.state).toEqual({ type: "ignored", reason: "too many" });
      expect((await store.readTurn("t1"))?.inputIds).toEqual([third]);
    });

    test("the state of the newest turn is read, excluding some kinds", async () => {
      const { store } = context();
      const last = async (...except: ("memory" | "user")[]) => store.readLastTurn("session-1", { except });
      expect(await last()).toBeUndefined();
      await store.startTurn(sampleTurn("t1", []));
      await store.endTurn(sampleEnd("t1", { failure: { code: "loop", message: "again" }, state: "failed" }));
      await store.startTurn(sampleTurn("t2", [], { kind: "memory" }));
      expect(await last()).toEqual({ id: "t2", kind: "memory", state: "running", attempts: 1, starts: 1 });
      const failed = { id: "t1", kind: "user", state: "failed", attempts: 1, starts: 1, failure: { code: "loop", message: "again" } };
      expect(await last("memory")).toEqual(failed);
      expect(await last("memory", "user")).toBeUndefined();
    });

    test("those of several sessions whose newest turn of the wanted kinds was aborted are found together", async () => {
      const { store } = context();
      const turn = async (id: string, sessionId: string, kind: "user" | "memory", state: "aborted" | "done"): Promise<void> => {
        const session = sampleSession({ key: `agent:main:${sessionId}`, sessionId });
        await store.startTurn(sampleTurn(id, [], { kind, session }));
        await store.endTurn(sampleEnd(id, { state }));
      };
      await turn("t1", "stopped", "user", "aborted");
      await turn("t2", "finished", "user", "aborted");
      await turn("t3", "finished", "user", "done");
      await turn("t4", "remembered", "user", "aborted");
      await turn("t5", "remembered", "memory", "done");
      await turn("t6", "forgotten", "memory", "aborted");
      await turn("t7", "unasked", "user", "aborted");
      const ids = ["finished", "stopped", "unknown", "remembered", "forgotten"];
      expect(await store.listAborted(ids, { except: ["memory"] })).toEqual(new Set(["stopped", "remembered"]));
      expect(await store.listAborted(ids, { except: [] })).toEqual(new Set(["stopped", "forgotten"]));
      expect(await store.listAborted([], { except: [] })).toEqual(new Set());
    });

    test("finds a guest's chat that had turns in a session, even before a reset", async () => {
      const { store } = context();
      const chat = (id: string, accountId = "default"): typeof ORIGIN => ({ ...ORIGIN, accountId, conversation: { kind: "direct", id } });
      const said = async (id: string, chatId: string, owner: boolean): Promise<void> => {
        await store.startTurn(sampleTurn(id, [], { origin: chat(chatId), owner }));
        await store.endTurn(sampleEnd(id));
      };
      await said("t1", "oc_owner", true);
      await said("t2", "oc_guest", false);
      await store.resetSession("agent:main:main", { sessionId: "session-2", isPrivate: true, nowMs: NOW_MS + 1 });
      const has = async (key: string, origin: typeof ORIGIN): Promise<boolean> => store.hasTurnFrom(key, origin);
      expect(await has("agent:main:main", chat("oc_guest"))).toBe(true);
      expect(await has("agent:main:main", chat("oc_owner"))).toBe(false);
      expect(await has("agent:main:main", chat("oc_other"))).toBe(false);
      expect(await has("agent:main:main", chat("oc_guest", "second"))).toBe(false);
      expect(await has("agent:main:main", { ...ORIGIN, conversation: { kind: "group", id: "oc_guest" } })).toBe(false);
      expect(await has("agent:other:main", chat("oc_guest"))).toBe(false);
    });

    test("notes of a turn that yielded are removed with it, in one commit", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", [], { kind: "memory", touch: { memoryFlushAtMs: NOW_MS } }));
      const kept = await store.endTurn(sampleEnd("t1"));
      expect(kept.session.memoryFlushAtMs).toBe(NOW_MS);
      await store.startTurn(sampleTurn("t2", [], { kind: "memory", touch: { memoryFlushAtMs: NOW_MS + 1 } }));
      const forgotten = await store.endTurn(sampleEnd("t2", { state: "aborted", forgetsMemoryFlush: true }));
      expect(forgotten.session.memoryFlushAtMs).toBeUndefined();
      expect((await store.readSession("agent:main:main"))?.memoryFlushAtMs).toBeUndefined();
    });

    test("a later turn only touches its session", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      await store.endTurn(sampleEnd("t1"));
      const origin = { ...ORIGIN, conversation: { kind: "group", id: "oc_9" } } as const;
      const next = await store.startTurn(
        sampleTurn("t2", [], {
          session: sampleSession({ sessionId: "session-9", displayName: "Nobody" }),
          touch: { lastOrigin: origin, endsPrivacy: true },
          origin,
          owner: false,
          startedAtMs: NOW_MS + 5000,
        }),
      );
      expect(next.session).toMatchObject({
        sessionId: "session-1",
        displayName: "Ada",
        isPrivate: false,
        lastOrigin: origin,
        interactedAtMs: NOW_MS,
      });
      expect(next.session.updatedAtMs).toBe(NOW_MS + 5000);
      expect(next.turn).toMatchObject({ origin, owner: false });
    });

    test("only the end of a person's turn updates the last activity", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      const talked = await store.endTurn(sampleEnd("t1", { interactedAtMs: NOW_MS + 3000, endedAtMs: NOW_MS + 3000 }));
      expect(talked.session).toMatchObject({ interactedAtMs: NOW_MS + 3000, updatedAtMs: NOW_MS + 3000 });
      await store.startTurn(sampleTurn("t2", [], { kind: "cron", touch: {} }));
      await store.endTurn(sampleEnd("t2", { endedAtMs: NOW_MS + 9000 }));
      expect(await store.readSession(talked.session.key)).toMatchObject({ interactedAtMs: NOW_MS + 3000, updatedAtMs: NOW_MS + 9000 });
    });

    test("inputs join a running turn and are answered with it", async () => {
      const { store } = context();
      const [first, second] = [await accept(store, "1"), await accept(store, "2")];
      await store.startTurn(sampleTurn("t1", [first]));
      const joined = await store.joinTurn("t1", { inputIds: [second], entries: [userEntry("also")], timestampMs: NOW_MS + 1 });
      expect(joined).toMatchObject([{ turnId: "t1", ...userEntry("also") }]);
      await store.endTurn(sampleEnd("t1"));
      expect((await store.readTurn("t1"))?.inputIds).toEqual([first, second]);
      for (const id of [first, second]) expect((await store.readInput(id))?.state).toEqual({ type: "answered" });
      const late = store.joinTurn("t1", { inputIds: [await accept(store, "3")], entries: [], timestampMs: NOW_MS });
      await expect(late).rejects.toMatchObject({ code: "conflict" });
    });

    test("inputs of a turn without an answer can be requeued for another turn", async () => {
      const { store } = context();
      const id = await accept(store, "1");
      await store.startTurn(sampleTurn("t1", [id]));
      expect(await store.hasOutbound("t1")).toBe(false);
      await store.endTurn(sampleEnd("t1", { state: "aborted", inputState: { type: "waiting" }, outbox: [] }));
      expect(await store.readInput(id)).toMatchObject({ state: { type: "waiting" } });
      expect((await store.readInput(id))?.turnId).toBeUndefined();
      await store.startTurn(sampleTurn("t2", [id]));
      await store.addOutbound([sampleOutbound("t2:line")], { turnId: "t2" });
      expect([await store.hasOutbound("t1"), await store.hasOutbound("t2")]).toEqual([false, true]);
      await store.endTurn(sampleEnd("t2"));
      expect((await store.readInput(id))?.state).toEqual({ type: "answered" });
    });

    test("the journal knows what was started, and a finished call stays finished", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      const write = (callId: string, state: "started" | "finished"): Promise<unknown> =>
        store.appendToTurn("t1", { entries: [], journal: [{ callId, name: "exec", state }], timestampMs: NOW_MS });
      await write("a", "started");
      await write("b", "started");
      await write("a", "finished");
      await write("a", "started");
      expect(await store.readJournal("t1")).toEqual([
        { turnId: "t1", callId: "a", name: "exec", state: "finished" },
        { turnId: "t1", callId: "b", name: "exec", state: "started" },
      ]);
      await store.endTurn(sampleEnd("t1"));
      expect(await store.readJournal("t1")).toEqual([]);
      const late = store.appendToTurn("t1", { entries: [assistantEntry("late")], timestampMs: NOW_MS });
      await expect(late).rejects.toMatchObject({ code: "conflict" });
      await expect(store.appendToTurn("t9", { entries: [], timestampMs: NOW_MS })).rejects.toMatchObject({ code: "not-found" });
    });

    test("the final commit holds the last entries, the outbox, the usage and the inputs, once", async () => {
      const { store } = context();
      const id = await accept(store, "1");
      await store.startTurn(sampleTurn("t1", [id]));
      const ended = await store.endTurn(sampleEnd("t1", { failure: { code: "loop", message: "again and again" }, state: "failed" }));
      expect(ended.entries).toMatchObject([{ turnId: "t1", ...assistantEntry("answered in t1") }]);
      expect(ended.outbox).toMatchObject([{ turnId: "t1", idempotencyKey: "t1:0", state: { type: "waiting" }, attempts: 0 }]);
      expect(ended.session.usage).toEqual(RUN_USAGE);
      expect(await store.readTurn("t1")).toMatchObject({
        state: "failed",
        failure: { code: "loop" },
        usage: RUN_USAGE,
        endedAtMs: NOW_MS + 1000,
      });
      await expect(store.endTurn(sampleEnd("t1"))).rejects.toMatchObject({ code: "conflict" });
      await expect(store.endTurn(sampleEnd("t9"))).rejects.toMatchObject({ code: "not-found" });
      await store.startTurn(sampleTurn("t2", []));
      const second = await store.endTurn(sampleEnd("t2"));
      expect(second.session.usage).toMatchObject({ input: 20, total: 244, calls: 4, costUsd: 1, lastInput: 4, lastCacheRead: 60 });
      expect((await store.counts()).usage).toEqual(second.session.usage);
    });

    test("running turns are resumed, oldest first; an attempt counts from its start unless it is released", async () => {
      const { store, fixture } = context();
      const id = await accept(store, "1");
      await store.startTurn(sampleTurn("t1", [id]));
      await store.startTurn(sampleTurn("t2", []));
      await store.startTurn(sampleTurn("t3", []));
      await store.endTurn(sampleEnd("t2"));
      const reopened = await fixture.open();
      expect(await reopened.resumeTurns()).toMatchObject([
        { id: "t1", attempts: 1, inputIds: [id], origin: ORIGIN },
        { id: "t3", attempts: 1 },
      ]);
      expect(await reopened.beginAttempt("t1")).toMatchObject({ id: "t1", attempts: 2, inputIds: [id] });
      expect(await reopened.beginAttempt("t2")).toBeUndefined();
      await reopened.beginAttempt("t3");
      await reopened.releaseAttempt("t3");
      const third = await fixture.open();
      expect((await third.resumeTurns()).map((turn) => turn.attempts)).toEqual([2, 1]);
      await expect(third.beginAttempt("t9")).rejects.toMatchObject({ code: "not-found" });
      await expect(third.releaseAttempt("t2")).rejects.toMatchObject({ code: "conflict" });
      await third.endTurn(sampleEnd("t1"));
      expect((await third.readInput(id))?.state).toEqual({ type: "answered" });
    });

    test("a committed entry resets the attempts of a turn to one, while its starts keep counting", async () => {
      const { store, fixture } = context();
      await store.startTurn(sampleTurn("t1", []));
      const second = await fixture.open();
      expect(await second.beginAttempt("t1")).toMatchObject({ attempts: 2, starts: 2 });
      await second.appendToTurn("t1", { entries: [], journal: [], timestampMs: NOW_MS });
      const third = await fixture.open();
      expect(await third.beginAttempt("t1")).toMatchObject({ attempts: 3, starts: 3 });
      await third.appendToTurn("t1", { entries: [{ type: "notice", level: "info", text: "progress" }], timestampMs: NOW_MS });
      expect(await third.readTurn("t1")).toMatchObject({ attempts: 1, starts: 3 });
      const fourth = await fixture.open();
      expect(await fourth.beginAttempt("t1")).toMatchObject({ attempts: 2, starts: 4 });
      await fourth.releaseAttempt("t1");
      expect(await fourth.readTurn("t1")).toMatchObject({ attempts: 1, starts: 3 });
    });

    test("counts attempts as the only resumed turn separately, and takes back a released one", async () => {
      const { store, fixture } = context();
      await store.startTurn(sampleTurn("t1", []));
      expect(await store.readTurn("t1")).toMatchObject({ starts: 1, soloStarts: 0 });
      const second = await fixture.open();
      expect(await second.beginAttempt("t1")).toMatchObject({ starts: 2, soloStarts: 0 });
      const third = await fixture.open();
      expect(await third.beginAttempt("t1", { isSolo: true })).toMatchObject({ starts: 3, soloStarts: 1 });
      await third.appendToTurn("t1", { entries: [{ type: "notice", level: "info", text: "progress" }], timestampMs: NOW_MS });
      const fourth = await fixture.open();
      await fourth.beginAttempt("t1", { isSolo: true });
      expect(await fourth.readTurn("t1")).toMatchObject({ starts: 4, soloStarts: 2 });
      await fourth.releaseAttempt("t1");
      expect(await fourth.readTurn("t1")).toMatchObject({ starts: 3, soloStarts: 1 });
      const fifth = await fixture.open();
      await fifth.beginAttempt("t1");
      await fifth.releaseAttempt("t1");
      expect(await fifth.readTurn("t1")).toMatchObject({ starts: 3, soloStarts: 1 });
    });

    test("a turn that outlives its conversation does not charge the new one", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      await store.resetSession("agent:main:main", { sessionId: "session-2", isPrivate: true, nowMs: NOW_MS + 1 });
      const ended = await store.endTurn(sampleEnd("t1"));
      expect(ended.entries).toMatchObject([{ sessionId: "session-1" }]);
      expect(ended.session).toMatchObject({ sessionId: "session-2", usage: { total: 0 } });
      expect((await store.counts()).usage.total).toBe(RUN_USAGE.total);
    });
  });
}
