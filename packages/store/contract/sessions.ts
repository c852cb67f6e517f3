import { describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Store } from "../src/index.ts";
import { NOW_MS, OWNER, RUN_USAGE, sampleEnd, sampleMessage, sampleSession, sampleTurn, userEntry } from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

async function fill(store: Store, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => String(index).padStart(4, "0"));
  await Promise.all(
    names.map((name, index) =>
      store.createSession(sampleSession({ key: `agent:main:${name}`, sessionId: `s-${name}` }), { nowMs: NOW_MS + index }),
    ),
  );
}

export function describeSessions(context: () => ContractContext): void {
  describe("sessions", () => {
    test("pinned sessions are listed alone; neither mark is activity, and who writes in an archived one takes it back", async () => {
      const { store } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      await store.createSession(sampleSession({ key: "agent:main:other", sessionId: "session-2" }), { nowMs: NOW_MS });
      const marked = { overrides: { pinned: true, archived: true } } as const;
      const session = await store.patchSession("agent:main:main", marked, { nowMs: NOW_MS + 5000 });
      expect(session).toMatchObject({ ...marked, updatedAtMs: NOW_MS });
      expect((await store.listSessions({ pinned: true, limit: 10 })).items.map(({ key }) => key)).toEqual(["agent:main:main"]);
      const { input } = await store.acceptInput(sampleMessage("e-1"), { admission: OWNER, receivedAtMs: NOW_MS });
      const touch = { interactedAtMs: NOW_MS + 6000 };
      await store.startTurn(sampleTurn("turn-1", [input.id], { touch }));
      expect((await store.readSession("agent:main:main"))?.overrides).toEqual({ pinned: true });
      await store.patchSession("agent:main:main", { overrides: { pinned: null } }, { nowMs: NOW_MS });
      expect((await store.listSessions({ pinned: true, limit: 10 })).items).toEqual([]);
    });

    test("a session is created once; a taken session id is refused", async () => {
      const { store } = context();
      const made = await store.createSession(sampleSession({ spawnedBy: "agent:main:a" }), { nowMs: NOW_MS });
      expect(made).toMatchObject({
        createdAtMs: NOW_MS,
        startedAtMs: NOW_MS,
        compactionCount: 0,
        overrides: {},
        spawnedBy: "agent:main:a",
      });
      expect(await store.createSession(sampleSession({ sessionId: "session-2" }), { nowMs: NOW_MS + 5 })).toEqual(made);
      const clash = store.createSession(sampleSession({ key: "agent:main:b" }), { nowMs: NOW_MS });
      await expect(clash).rejects.toMatchObject({ code: "conflict" });
      expect(await store.readSession("agent:main:b")).toBeUndefined();
      expect((await store.counts()).sessions).toBe(1);
    });

    test.each(["a\u0000b", "\ud800"])("a key with %j is refused", async (part) => {
      const { store } = context();
      const making = store.createSession(sampleSession({ key: `agent:main:${part}` }), { nowMs: NOW_MS });
      await expect(making).rejects.toMatchObject({ code: "invalid" });
    });

    test.each(["", "../x", "a/b", ".hidden"])("%j is no session id", async (sessionId) => {
      const { store } = context();
      await expect(store.createSession(sampleSession({ sessionId }), { nowMs: NOW_MS })).rejects.toMatchObject({ code: "invalid" });
    });

    test("a key is found exactly, then without case if that is unique", async () => {
      const { store } = context();
      await store.createSession(sampleSession({ key: "agent:main:Ada", sessionId: "s1" }), { nowMs: NOW_MS });
      expect((await store.findSession({ key: "AGENT:main:ada" }))?.sessionId).toBe("s1");
      await store.createSession(sampleSession({ key: "agent:main:ada", sessionId: "s2" }), { nowMs: NOW_MS });
      expect((await store.findSession({ key: "agent:main:ada" }))?.sessionId).toBe("s2");
      expect(await store.findSession({ key: "AGENT:main:ada" })).toBeUndefined();
      expect(await store.findSession({})).toBeUndefined();
    });

    test("a label is found within an agent", async () => {
      const { store } = context();
      for (const agentId of ["main", "coder"]) {
        const key = `agent:${agentId}:x`;
        await store.createSession(sampleSession({ key, agentId, sessionId: agentId }), { nowMs: NOW_MS });
        await store.patchSession(key, { label: "Work" }, { nowMs: NOW_MS });
      }
      expect(await store.findSession({ label: "Work" })).toBeUndefined();
      expect((await store.findSession({ label: "work", agentId: "coder" }))?.key).toBe("agent:coder:x");
      await store.patchSession("agent:main:x", { label: null }, { nowMs: NOW_MS });
      expect((await store.findSession({ label: "Work" }))?.key).toBe("agent:coder:x");
      expect(await store.readSession("agent:main:x")).not.toHaveProperty("label");
    });

    test("settings are patched one by one, and null clears", async () => {
      const { store } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      await store.patchSession(
        "agent:main:main",
        { overrides: { model: "a/b", thinking: "high" }, displayName: "Eve" },
        { nowMs: NOW_MS + 1 },
      );
      const patched = await store.patchSession(
        "agent:main:main",
        { overrides: { thinking: null, queue: { cap: 3 } } },
        { nowMs: NOW_MS + 2 },
      );
      expect(patched).toMatchObject({ displayName: "Eve", updatedAtMs: NOW_MS + 2 });
      expect(patched.overrides).toEqual({ model: "a/b", queue: { cap: 3 } });
      expect(await store.readSession("agent:main:main")).toEqual(patched);
      expect(await store.patchSession("agent:main:main", { label: "Work" }, { nowMs: NOW_MS + 3 })).toEqual({ ...patched, label: "Work" });
      expect(await store.patchSession("agent:main:main", { label: null }, { nowMs: NOW_MS + 4 })).toEqual(patched);
      await expect(store.patchSession("agent:main:x", {}, { nowMs: NOW_MS })).rejects.toMatchObject({ code: "not-found" });
    });

    test.each([true, false])("a reset sets whether the conversation is private to %s", async (isPrivate) => {
      const { store } = context();
      await store.createSession({ ...sampleSession(), isPrivate: !isPrivate }, { nowMs: NOW_MS });
      await store.resetSession("agent:main:main", { sessionId: "session-2", isPrivate, nowMs: NOW_MS + 1 });
      expect(await store.readSession("agent:main:main")).toMatchObject({ sessionId: "session-2", isPrivate });
    });

    test("a reset gives a new id and new counters, keeps the settings, ends trust, and leaves the old transcript readable", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      await store.endTurn(sampleEnd("t1"));
      await store.patchSession("agent:main:main", { overrides: { model: "a/b" }, label: "Work" }, { nowMs: NOW_MS });
      await store.patchSession("agent:main:main", { trust: { type: "session" } }, { nowMs: NOW_MS });
      expect(await store.readSession("agent:main:main")).toMatchObject({ trust: { type: "session" }, label: "Work" });
      const fresh = await store.resetSession("agent:main:main", { sessionId: "session-2", isPrivate: true, nowMs: NOW_MS + 9 });
      expect(fresh).toMatchObject({
        sessionId: "session-2",
        startedAtMs: NOW_MS + 9,
        createdAtMs: NOW_MS,
        label: "Work",
        usage: { total: 0 },
        earlierUsage: RUN_USAGE,
      });
      expect(fresh.overrides).toEqual({ model: "a/b" });
      expect(fresh.trust).toBeUndefined();
      expect(await store.readSession("agent:main:main")).toEqual(fresh);
      expect((await store.readTranscript("session-1", { limit: 9 })).items).toHaveLength(2);
      expect(await store.readContext("session-2")).toEqual([]);
      expect(await store.readPrompt("session-2")).toBeUndefined();
    });

    test("the list is newest activity first, and a page reads one row more than it shows", async () => {
      const { store, fixture } = context();
      await fill(store, 60);
      const before = fixture.rowsRead();
      const seen: string[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await store.listSessions({ limit: 25, ...withoutUndefined({ cursor }) });
        seen.push(...page.items.map((session) => session.sessionId));
        cursor = page.cursor;
        pages += 1;
      } while (cursor !== undefined);
      expect(fixture.rowsRead() - before).toBeLessThanOrEqual(pages * 26);
      expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => `s-${String(59 - index).padStart(4, "0")}`));
    });

    test("the list filters inactive and unwanted sessions, and continues at its cursor", async () => {
      const { store, fixture } = context();
      await fill(store, 450);
      const late = await store.listSessions({ limit: 9, activeSinceMs: NOW_MS + 446 });
      expect(late).toMatchObject({ items: [{ sessionId: "s-0449" }, {}, {}, { sessionId: "s-0446" }] });
      expect(late.cursor).toBeUndefined();
      // Four in 450, two of them beyond the rows that one page scans.
      const rare = (key: string): boolean => /:(?:0449|0300|0010|0000)$/.test(key);
      const seen: string[][] = [];
      let cursor: string | undefined;
      do {
        const before = fixture.rowsRead();
        const page = await store.listSessions({ limit: 3, isWanted: rare, ...withoutUndefined({ cursor }) });
        expect(fixture.rowsRead() - before).toBeLessThanOrEqual(201);
        seen.push(page.items.map(({ sessionId }) => sessionId));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(seen).toEqual([["s-0449", "s-0300"], [], ["s-0010", "s-0000"]]);
      const one = await store.listSessions({ limit: 1, isWanted: rare });
      expect(one.items.map(({ sessionId }) => sessionId)).toEqual(["s-0449"]);
      expect((await store.listSessions({ limit: 1, isWanted: rare, cursor: one.cursor ?? "" })).items).toMatchObject([
        { sessionId: "s-0300" },
      ]);
    });

    test("the list keeps to one agent and pages through equal times", async () => {
      const { store } = context();
      for (const [index, agentId] of ["main", "coder", "main", "main"].entries()) {
        await store.createSession(sampleSession({ key: `agent:${agentId}:${index}`, agentId, sessionId: `s${index}` }), { nowMs: NOW_MS });
      }
      const first = await store.listSessions({ agentId: "main", limit: 2 });
      expect(first.items.map((session) => session.sessionId)).toEqual(["s3", "s2"]);
      const rest = await store.listSessions({ agentId: "main", limit: 2, ...withoutUndefined({ cursor: first.cursor }) });
      expect(rest.items.map((session) => session.sessionId)).toEqual(["s0"]);
    });

    test("a deletion removes every transcript of the key, and is refused during a running turn", async () => {
      const { store } = context();
      await store.startTurn(sampleTurn("t1", []));
      await store.resetSession("agent:main:main", { sessionId: "session-2", isPrivate: true, nowMs: NOW_MS });
      await expect(store.deleteSession("agent:main:main", { nowMs: NOW_MS })).rejects.toMatchObject({ code: "conflict" });
      await store.endTurn(sampleEnd("t1"));
      expect(await store.deleteSession("agent:main:main", { nowMs: NOW_MS })).toEqual(["session-1", "session-2"]);
      expect(await store.deleteSession("agent:main:main", { nowMs: NOW_MS })).toEqual([]);
      expect(await store.readSession("agent:main:main")).toBeUndefined();
      expect((await store.readTranscript("session-1", { limit: 9 })).items).toEqual([]);
      expect(await store.listPendingOutbound({ limit: 9 })).toHaveLength(1);
      expect((await store.counts()).sessions).toBe(0);
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      await expect(store.appendEntry("session-2", userEntry("x"), { timestampMs: NOW_MS })).rejects.toMatchObject({ code: "not-found" });
    });

    test("sessions that expire are listed when their time has passed", async () => {
      const { store } = context();
      for (const [index, expiresAtMs] of [NOW_MS + 50, NOW_MS + 10].entries()) {
        await store.createSession(sampleSession({ key: `agent:main:${index}`, sessionId: `s${index}`, expiresAtMs }), { nowMs: NOW_MS });
      }
      await store.createSession(sampleSession({ key: "agent:main:stays", sessionId: "s9" }), { nowMs: NOW_MS });
      expect((await store.listExpiredSessions(NOW_MS + 10, 9)).map((session) => session.sessionId)).toEqual(["s1"]);
      expect((await store.listExpiredSessions(NOW_MS + 99, 9)).map((session) => session.sessionId)).toEqual(["s1", "s0"]);
    });
  });
}
