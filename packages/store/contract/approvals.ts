import { describe, expect, test } from "vitest";
import type { ApprovalDecision, NewApproval } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";
import { NOW_MS, ORIGIN } from "./samples.ts";

const HALF_HOUR_MS = 1_800_000;

function approval(id: string, changes: Partial<NewApproval> = {}): NewApproval {
  return {
    id,
    sessionKey: "agent:main:main",
    sessionId: "session-1",
    agentId: "main",
    turnId: "turn-1",
    callId: `call-${id}`,
    toolName: "exec",
    arguments: { command: "ls" },
    binding: `binding-${id}`,
    text: "ls",
    reason: "tools.exec.mode is ask",
    origin: ORIGIN,
    expiresAtMs: NOW_MS + HALF_HOUR_MS,
    ...changes,
  };
}

/** Decisions on tool calls. */
export function describeApprovals(context: () => ContractContext): void {
  const request = (of: NewApproval) => context().store.requestApproval(of, { nowMs: NOW_MS });
  const decide = (id: string, decision: ApprovalDecision, nowMs = NOW_MS + 1) => context().store.decideApproval(id, { decision, nowMs });

  describe("approvals", () => {
    test("a call is stored once per turn, with everything about it, and survives a restart", async () => {
      const first = await request(approval("aaaa"));
      expect(first).toEqual({ ...approval("aaaa"), state: "pending", requestedAtMs: NOW_MS });
      expect(await request(approval("bbbb", { callId: "call-aaaa" }))).toEqual(first);
      await context().store.close();
      const store = await context().fixture.open();
      expect(await store.listApprovals(["pending"])).toEqual([first]);
      expect(await store.readApproval("aaaa")).toEqual(first);
      expect(await store.readApproval("bbbb")).toBeUndefined();
    });

    test("those of a turn are listed, whatever became of them", async () => {
      await request(approval("aaaa"));
      await request(approval("bbbb"));
      await request(approval("cccc", { turnId: "turn-2" }));
      await decide("aaaa", "deny");
      const { store } = context();
      expect(await store.listTurnApprovals("turn-1")).toMatchObject([
        { id: "aaaa", decidedAtMs: NOW_MS + 1 },
        { id: "bbbb", state: "pending" },
      ]);
      expect(await store.listTurnApprovals("turn-3")).toEqual([]);
    });

    test("an id belongs to one call", async () => {
      await request(approval("aaaa"));
      await expect(request(approval("aaaa", { callId: "other" }))).rejects.toMatchObject({ code: "conflict" });
    });

    test("is decided once, and not after it has expired", async () => {
      await request(approval("aaaa"));
      expect(await decide("aaaa", "allow-once")).toMatchObject({ state: "decided", decision: "allow-once", decidedAtMs: NOW_MS + 1 });
      await expect(decide("aaaa", "deny")).rejects.toMatchObject({ code: "not-found" });
      await request(approval("bbbb"));
      await expect(decide("bbbb", "allow-once", NOW_MS + HALF_HOUR_MS)).rejects.toMatchObject({ code: "not-found" });
      await expect(decide("cccc", "allow-once")).rejects.toMatchObject({ code: "not-found" });
    });

    test("one allowed once or denied holds for no other call", async () => {
      const { store } = context();
      for (const [id, decision] of [
        ["aaaa", "allow-once"],
        ["bbbb", "deny"],
      ] as const) {
        await request(approval(id));
        await decide(id, decision);
        const query = { binding: `binding-${id}`, agentId: "main", sessionId: "session-1" };
        expect(await store.findGrant(query)).toBeUndefined();
        // Only what the call itself has made may ask for its decision.
        expect((await store.findGrant({ ...query, turnId: "turn-1" }))?.id).toBe(decision === "deny" ? undefined : id);
      }
      expect(await store.listGrants()).toEqual([]);
    });

    test("allow-session holds for the conversation, allow-always for the agent, both for the same binding alone", async () => {
      const { store } = context();
      await request(approval("aaaa"));
      await request(approval("bbbb"));
      await decide("aaaa", "allow-session");
      await decide("bbbb", "allow-always");
      const granted = async (binding: string, changes: { readonly agentId?: string; readonly sessionId?: string } = {}) =>
        (await store.findGrant({ binding, agentId: "main", sessionId: "session-1", ...changes })) !== undefined;
      expect(await granted("binding-aaaa")).toBe(true);
      expect(await granted("binding-aaaa", { sessionId: "session-2" })).toBe(false);
      expect(await granted("binding-bbbb", { sessionId: "session-2" })).toBe(true);
      expect(await granted("binding-bbbb", { agentId: "other" })).toBe(false);
      expect(await granted("binding-cccc")).toBe(false);
      expect((await store.listGrants()).map(({ id }) => id)).toEqual(["aaaa", "bbbb"]);
      await store.moveApproval("bbbb", { from: ["decided"], to: "withdrawn", nowMs: NOW_MS + 2 });
      expect(await granted("binding-bbbb")).toBe(false);
    });

    test("a decision that was taken back is kept, so that what it has allowed can still be asked about", async () => {
      const { store } = context();
      for (const id of ["aaaa", "bbbb"]) await request(approval(id));
      await decide("aaaa", "allow-session");
      await store.moveApproval("aaaa", { from: ["decided"], to: "withdrawn", nowMs: NOW_MS });
      await store.moveApproval("bbbb", { from: ["pending"], to: "withdrawn", nowMs: NOW_MS });
      await store.maintain({ nowMs: NOW_MS + 1000, keepInputsMs: 10 });
      expect([(await store.readApproval("aaaa"))?.state, await store.readApproval("bbbb")]).toEqual(["withdrawn", undefined]);
    });

    test("a parked call is running once it is allowed, and decided once it is denied", async () => {
      const { store } = context();
      for (const id of ["aaaa", "bbbb"]) {
        await request(approval(id));
        expect(await store.moveApproval(id, { from: ["pending"], to: "parked", nowMs: NOW_MS })).toMatchObject({ state: "parked" });
        expect(await store.moveApproval(id, { from: ["pending"], to: "parked", nowMs: NOW_MS })).toBeUndefined();
      }
      expect((await decide("aaaa", "allow-once")).state).toBe("running");
      expect((await decide("bbbb", "deny")).state).toBe("decided");
      expect((await store.listApprovals(["running"])).map(({ id }) => id)).toEqual(["aaaa"]);
    });

    test("a question is answered once, not decided on, and its answer survives a restart", async () => {
      await request(approval("aaaa", { isQuestion: true }));
      await request(approval("bbbb"));
      await request(approval("cccc", { isQuestion: true }));
      const answer = { text: "Blue", untrusted: false };
      const say = (id: string, nowMs = NOW_MS + 1) => context().store.answerQuestion(id, { answer, nowMs });
      await expect(decide("aaaa", "allow-once")).rejects.toMatchObject({ code: "not-found" });
      await expect(say("bbbb")).rejects.toMatchObject({ code: "not-found" });
      await expect(say("cccc", NOW_MS + HALF_HOUR_MS)).rejects.toMatchObject({ code: "not-found" });
      const answered = await say("aaaa");
      expect(answered).toMatchObject({ isQuestion: true, answer, state: "decided", decidedAtMs: NOW_MS + 1 });
      await expect(say("aaaa")).rejects.toMatchObject({ code: "not-found" });
      expect(await context().store.findGrant({ binding: "binding-aaaa", agentId: "main", sessionId: "session-1" })).toBeUndefined();
      await context().store.close();
      const store = await context().fixture.open();
      expect(await store.readApproval("aaaa")).toEqual(answered);
      const again = approval("dddd", { isQuestion: true, callId: "call-aaaa" });
      expect(await store.requestApproval(again, { nowMs: NOW_MS })).toEqual(answered);
    });

    test("maintenance removes settled calls, not those that wait or hold for later ones", async () => {
      const { store } = context();
      for (const id of ["aaaa", "bbbb", "cccc", "dddd"]) await request(approval(id));
      await decide("aaaa", "allow-once");
      await decide("bbbb", "allow-always");
      await store.moveApproval("cccc", { from: ["pending"], to: "expired", nowMs: NOW_MS + 1 });
      await store.maintain({ nowMs: NOW_MS + 1000, keepInputsMs: 10 });
      const left = await Promise.all(["aaaa", "bbbb", "cccc", "dddd"].map((id) => store.readApproval(id)));
      expect(left.map((record) => record?.state)).toEqual([undefined, "decided", undefined, "pending"]);
    });
  });
}
