import { describe, expect, test } from "vitest";
import type { NewSpawn, SpawnEnd, SpawnRecord } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";
import { NOW_MS, sampleEnd, sampleMessage, sampleSession, sampleTurn } from "./samples.ts";

const PARENT = "agent:main:main";
const admission = (sessionKey: string, kind: "a2a" | "subagent") => ({ owner: true, kind, sessionKey }) as const;

function spawnOf(id: string, changes: Partial<SpawnRecord> = {}): SpawnRecord {
  return {
    id,
    parentKey: PARENT,
    parentSessionId: "s1",
    parentTurnId: "t1",
    rootKey: PARENT,
    childKey: `agent:main:subagent:${id}`,
    agentId: "main",
    depth: 1,
    maxDepth: 1,
    task: "Count the files.",
    cleanup: "keep",
    createdAtMs: NOW_MS,
    deadlineAtMs: NOW_MS + 1000,
    state: "queued",
    report: { message: sampleMessage(`report:${id}`), admission: admission(changes.parentKey ?? PARENT, "a2a") },
    child: admission(`agent:main:subagent:${id}`, "subagent"),
    ...changes,
  };
}

function newSpawn(id: string, changes: Partial<SpawnRecord> = {}): NewSpawn {
  const spawn = spawnOf(id, changes);
  return { spawn, input: { message: sampleMessage(`task:${id}`), admission: admission(spawn.childKey, "subagent") } };
}

function endOf({ id, report }: SpawnRecord, changes: Partial<SpawnEnd> = {}): SpawnEnd {
  return { id, state: "done", result: "three", endedAtMs: NOW_MS + 500, expiresAtMs: NOW_MS + 9000, report, ...changes };
}

/** Sub-agents start and end in the commits of turns, and each end is reported once. */
export function describeSpawns(context: () => ContractContext): void {
  /** The parent's turn, with one sub-agent that waits. */
  const begin = async (...spawns: readonly NewSpawn[]): Promise<readonly string[]> => {
    const { store } = context();
    const { input } = await store.acceptInput(sampleMessage("1"), { admission: { owner: true, kind: "user" }, receivedAtMs: NOW_MS });
    await store.startTurn(sampleTurn("t1", [input.id], { session: sampleSession({ key: PARENT, sessionId: "s1" }) }));
    const { inputs } = await store.appendSpawns("t1", { entries: [], timestampMs: NOW_MS, spawns });
    return inputs.map(({ id }) => id);
  };
  const beginChild = async (inputId: string, { spawn }: NewSpawn): Promise<void> => {
    const session = sampleSession({ key: spawn.childKey, sessionId: `s-${spawn.id}`, spawnedBy: PARENT, workspace: "/srv/project" });
    await context().store.startTurn(sampleTurn(`t-${spawn.id}`, [inputId], { session, kind: "subagent" }));
  };

  describe("sub-agents", () => {
    test("start with their input, run from their first turn on, and end with an input of their parent, in one commit each", async () => {
      const { store, fixture } = context();
      const one = newSpawn("a");
      const [inputId = ""] = await begin(one);
      expect(await store.listSpawns()).toEqual([one.spawn]);
      expect((await store.readInput(inputId))?.state).toEqual({ type: "waiting" });
      await beginChild(inputId, one);
      expect(await store.listSpawns()).toMatchObject([{ id: "a", state: "running", startedAtMs: expect.any(Number) as number }]);
      const { ended } = await store.endTurn(sampleEnd("t-a", { spawnEnd: endOf(one.spawn) }));
      expect(ended).toMatchObject({
        spawn: { state: "done", result: "three", announcedAtMs: NOW_MS + 500 },
        input: { state: { type: "waiting" } },
      });
      expect(await store.readSession(one.spawn.childKey)).toMatchObject({
        expiresAtMs: NOW_MS + 9000,
        overrides: { workspace: "/srv/project" },
      });
      await store.close();
      const reopened = await fixture.open();
      expect(await reopened.listSpawns()).toEqual([ended?.spawn]);
      expect(await reopened.deleteSession(one.spawn.childKey, { nowMs: NOW_MS })).toEqual(["s-a"]);
      expect(await reopened.listSpawns()).toEqual([]);
      await reopened.close();
    });

    test("are remembered as awaited while they are open", async () => {
      const { store, fixture } = context();
      const [one, other] = [newSpawn("a"), newSpawn("b")];
      await begin(one, other);
      await store.endSpawn(endOf(other.spawn));
      await store.awaitSpawns(["a", "b", "missing"]);
      await store.close();
      const reopened = await fixture.open();
      const stored = await reopened.listSpawns();
      expect(new Map(stored.map(({ id, isAwaited }) => [id, isAwaited]))).toEqual(
        new Map([
          ["a", true],
          ["b", undefined],
        ]),
      );
      await reopened.close();
    });

    test("keep the conversation that they start with in one place", async () => {
      const { store } = context();
      const { spawn, input } = newSpawn("a");
      const history = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }], timestamp: NOW_MS }];
      const one = { spawn, input: { ...input, admission: { ...input.admission, history } } };
      const [inputId = ""] = await begin(one);
      expect((await store.readInput(inputId))?.admission.history).toEqual(history);
      await beginChild(inputId, one);
      expect(await store.readInput(inputId)).toMatchObject({ state: { type: "claimed" }, admission: input.admission });
      expect((await store.readInput(inputId))?.admission.history).toBeUndefined();
    });

    test("continue with an input that is stored with the end of a turn", async () => {
      const { store } = context();
      const one = newSpawn("a");
      const [inputId = ""] = await begin(one);
      await beginChild(inputId, one);
      const followUp = { message: sampleMessage("again"), admission: one.spawn.child };
      const ended = await store.endTurn(sampleEnd("t-a", { followUp }));
      expect(ended.followUp).toMatchObject({ state: { type: "waiting" }, message: { eventId: followUp.message.eventId } });
      expect(await store.readInput(ended.followUp?.id ?? "")).toEqual(ended.followUp);
      expect(await store.listSpawns()).toMatchObject([{ state: "running" }]);
    });

    test("that stay open report each run once, get time for the next one, and end once", async () => {
      const { store, fixture } = context();
      const one = newSpawn("a", { isPersistent: true, runTimeoutMs: 5_000 });
      const [inputId = ""] = await begin(one);
      await beginChild(inputId, one);
      const idle = endOf(one.spawn, { state: "failed", reason: "no answer", idleUntilMs: NOW_MS + 7_000 });
      const { ended } = await store.endTurn(sampleEnd("t-a", { spawnEnd: idle }));
      expect(ended).toMatchObject({ spawn: { state: "idle", reports: 1, reason: "no answer", deadlineAtMs: NOW_MS + 7_000 } });
      expect(ended?.input?.state).toEqual({ type: "waiting" });
      expect((await store.readSession(one.spawn.childKey))?.expiresAtMs).toBeUndefined();
      await store.close();
      const reopened = await fixture.open();
      expect(await reopened.listSpawns()).toEqual([ended?.spawn]);
      const said = { admission: one.spawn.child, receivedAtMs: NOW_MS };
      const { input } = await reopened.acceptInput(sampleMessage("more"), said);
      const session = sampleSession({ key: one.spawn.childKey, sessionId: "s-a" });
      await reopened.startTurn(sampleTurn("t-b", [input.id], { session, kind: "subagent", startedAtMs: NOW_MS + 10 }));
      expect(await reopened.listSpawns()).toMatchObject([{ state: "running", deadlineAtMs: NOW_MS + 5_010 }]);
      const again = await reopened.endSpawn(endOf(one.spawn, { result: "four", idleUntilMs: NOW_MS + 9_000 }));
      expect(again).toMatchObject({ spawn: { state: "idle", reports: 2, result: "four", announcedAtMs: NOW_MS + 500 } });
      expect(again?.spawn.reason).toBeUndefined();
      const { report: _report, result: _result, ...quiet } = endOf(one.spawn, { state: "killed" });
      expect(await reopened.endSpawn(quiet)).toMatchObject({ spawn: { state: "killed", reports: 2 } });
      expect(await reopened.endSpawn(quiet)).toBeUndefined();
      await reopened.close();
    });

    test("end once", async () => {
      const { store } = context();
      const one = newSpawn("a");
      await begin(one);
      expect(await store.endSpawn(endOf(one.spawn))).toMatchObject({ input: { message: { eventId: one.spawn.report.message.eventId } } });
      expect(await store.endSpawn(endOf(one.spawn, { state: "killed" }))).toBeUndefined();
      expect(await store.listSpawns()).toMatchObject([{ state: "done" }]);
    });

    test("of a conversation that was reset or deleted are to be reported by a message", async () => {
      const { store } = context();
      const [one, other] = [newSpawn("a"), newSpawn("b", { parentSessionId: "earlier" })];
      await begin(one, other);
      const ended = await store.endSpawn(endOf(other.spawn));
      expect(ended?.input).toBeUndefined();
      expect(ended?.spawn.announcedAtMs).toBeUndefined();
      await store.announceSpawn("b", { nowMs: NOW_MS + 600 });
      await store.announceSpawn("b", { nowMs: NOW_MS + 700 });
      expect((await store.listSpawns()).find(({ id }) => id === "b")?.announcedAtMs).toBe(NOW_MS + 600);
      await store.endTurn(sampleEnd("t1"));
      await store.deleteSession(PARENT, { nowMs: NOW_MS });
      expect((await store.endSpawn(endOf(one.spawn)))?.spawn.announcedAtMs).toBeUndefined();
    });

    test("of an ended sub-agent are not reported, and neither is a quiet end", async () => {
      const { store } = context();
      const parent = newSpawn("a", { maxDepth: 2 });
      const [inputId = ""] = await begin(parent);
      await beginChild(inputId, parent);
      const inner = newSpawn("b", { parentKey: parent.spawn.childKey, parentSessionId: "s-a", depth: 2, maxDepth: 2 });
      const quiet = newSpawn("c", { parentSessionId: "earlier" });
      await store.appendSpawns("t-a", { entries: [], timestampMs: NOW_MS, spawns: [inner, quiet] });
      await store.endTurn(sampleEnd("t-a", { spawnEnd: endOf(parent.spawn, { state: "killed" }) }));
      expect((await store.endSpawn(endOf(inner.spawn)))?.input).toBeUndefined();
      const { report } = quiet.spawn;
      const event = { ...report, admission: { ...report.admission, isEvent: true as const } };
      expect((await store.endSpawn(endOf(quiet.spawn, { report: event })))?.spawn.announcedAtMs).toBe(NOW_MS + 500);
    });
  });
}
