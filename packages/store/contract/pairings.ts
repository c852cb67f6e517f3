import { describe, expect, test } from "vitest";
import type { NewPairing, PairingRequest } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";
import { NOW_MS, ORIGIN, sampleMessage, sampleOutbound } from "./samples.ts";

const HOUR_MS = 3_600_000;
const GUEST = { owner: false, kind: "user" } as const;

function pairing(code: string, changes: Partial<NewPairing> = {}): NewPairing {
  const { channel, accountId } = ORIGIN;
  return { channel, accountId, senderId: `ou_${code}`, senderName: "Ada", origin: ORIGIN, code, expiresAtMs: NOW_MS + HOUR_MS, ...changes };
}

/** Requests to be admitted and approved senders. */
export function describePairings(context: () => ContractContext): void {
  let inputs = 0;
  /** Accepts a message and stores the request that it causes. */
  const request = async (of: NewPairing, nowMs: number = NOW_MS): Promise<PairingRequest> => {
    const { store } = context();
    inputs += 1;
    const { input } = await store.acceptInput(sampleMessage(`pairing-${inputs}`), { admission: GUEST, receivedAtMs: nowMs });
    const asked = await store.requestPairing(of, { inputId: input.id, nowMs, maxPending: 3, reply: [sampleOutbound(`reply-${inputs}`)] });
    expect((await store.readInput(input.id))?.state).toMatchObject({ type: "ignored" });
    return asked;
  };

  describe("pairings", () => {
    test("a request is stored with one reply; until it expires the sender gets neither another code nor another reply", async () => {
      const { store } = context();
      const first = await request(pairing("AAAAAAAA"));
      expect(first).toMatchObject({
        type: "created",
        pairing: { state: "pending", requestedAtMs: NOW_MS },
        outbox: [{ purpose: "reply" }],
      });
      expect(await request(pairing("BBBBBBBB", { senderId: "ou_AAAAAAAA" }))).toEqual({ type: "known" });
      expect(await store.listPendingOutbound({ limit: 9 })).toHaveLength(1);
      expect(await store.listPairings("pending", { nowMs: NOW_MS })).toEqual([
        { ...pairing("AAAAAAAA"), state: "pending", requestedAtMs: NOW_MS },
      ]);
      const later = NOW_MS + HOUR_MS;
      expect(await store.listPairings("pending", { nowMs: later })).toEqual([]);
      expect(await store.findPairing("AAAAAAAA", { nowMs: later })).toBeUndefined();
      const again = pairing("BBBBBBBB", { senderId: "ou_AAAAAAAA", expiresAtMs: later + HOUR_MS });
      expect((await request(again, later)).type).toBe("created");
    });

    test("limits the pending requests of an account, not those of another one", async () => {
      const { store } = context();
      for (const code of ["AAAAAAAA", "BBBBBBBB", "CCCCCCCC"]) expect((await request(pairing(code))).type).toBe("created");
      expect(await request(pairing("DDDDDDDD"))).toEqual({ type: "full" });
      expect((await request(pairing("EEEEEEEE", { accountId: "second" }))).type).toBe("created");
      await store.approvePairing("AAAAAAAA", { nowMs: NOW_MS, reply: [] });
      expect((await request(pairing("DDDDDDDD"))).type).toBe("created");
      expect((await request(pairing("FFFFFFFF", { expiresAtMs: NOW_MS + 2 * HOUR_MS }), NOW_MS + HOUR_MS)).type).toBe("created");
    });

    test("a code is unique while its request is pending, and works once", async () => {
      const { store } = context();
      await request(pairing("AAAAAAAA"));
      await expect(request(pairing("AAAAAAAA", { senderId: "ou_2" }))).rejects.toMatchObject({ code: "conflict" });
      const approve = async (): Promise<unknown> => store.approvePairing("AAAAAAAA", { nowMs: NOW_MS, reply: [] });
      const outcomes = await Promise.allSettled([approve(), approve()]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      await expect(approve()).rejects.toMatchObject({ code: "not-found" });
      await expect(store.rejectPairing("AAAAAAAA", { nowMs: NOW_MS })).rejects.toMatchObject({ code: "not-found" });
      expect((await request(pairing("AAAAAAAA", { senderId: "ou_2" }))).type).toBe("created");
    });

    test("an expired code cannot be approved", async () => {
      await request(pairing("AAAAAAAA"));
      await expect(context().store.approvePairing("AAAAAAAA", { nowMs: NOW_MS + HOUR_MS, reply: [] })).rejects.toMatchObject({
        code: "not-found",
      });
    });

    test("an approval survives a restart and its code; a revoked sender may ask again, and somebody was paired once", async () => {
      const { store, fixture } = context();
      expect(await store.hasEverPaired()).toBe(false);
      await request(pairing("AAAAAAAA"));
      expect(await store.hasEverPaired()).toBe(false);
      const approved = await store.approvePairing("AAAAAAAA", { nowMs: NOW_MS + 1, reply: [sampleOutbound("welcome")] });
      expect(approved).toMatchObject({ pairing: { state: "approved", approvedAtMs: NOW_MS + 1 }, outbox: [{ idempotencyKey: "welcome" }] });
      expect(await request(pairing("BBBBBBBB", { senderId: "ou_AAAAAAAA" }))).toEqual({ type: "admitted" });
      const reopened = await fixture.open();
      await reopened.maintain({ nowMs: NOW_MS + 1000 * HOUR_MS });
      const later = { nowMs: NOW_MS + 1000 * HOUR_MS };
      expect(await reopened.listPairings("approved", later)).toMatchObject([{ senderId: "ou_AAAAAAAA", senderName: "Ada" }]);
      const sender = { channel: ORIGIN.channel, accountId: ORIGIN.accountId, senderId: "ou_AAAAAAAA" };
      expect(await reopened.revokePairing({ ...sender, senderId: "ou_aaaaaaaa" })).toBe(false);
      expect(await reopened.revokePairing({ ...sender, accountId: "second" })).toBe(false);
      expect(await reopened.revokePairing(sender)).toBe(true);
      expect(await reopened.revokePairing(sender)).toBe(false);
      expect(await reopened.listPairings("approved", later)).toEqual([]);
      expect(await reopened.hasEverPaired()).toBe(true);
    });

    test("a rejected sender gets no other code before the first one would have expired", async () => {
      const { store } = context();
      await request(pairing("AAAAAAAA"));
      expect(await store.rejectPairing("AAAAAAAA", { nowMs: NOW_MS })).toMatchObject({ senderId: "ou_AAAAAAAA" });
      expect(await store.listPairings("pending", { nowMs: NOW_MS })).toEqual([]);
      expect(await request(pairing("BBBBBBBB", { senderId: "ou_AAAAAAAA" }))).toEqual({ type: "known" });
      const later = NOW_MS + HOUR_MS;
      expect((await request(pairing("BBBBBBBB", { senderId: "ou_AAAAAAAA", expiresAtMs: later + 1 }), later)).type).toBe("created");
    });

    test("maintenance removes expired requests and keeps the others", async () => {
      const { store } = context();
      await request(pairing("AAAAAAAA"));
      await request(pairing("BBBBBBBB", { expiresAtMs: NOW_MS + 2 * HOUR_MS }));
      await store.maintain({ nowMs: NOW_MS + HOUR_MS });
      // Removed, not only expired: the time of the question does not matter.
      expect((await store.listPairings("pending", { nowMs: NOW_MS })).map(({ code }) => code)).toEqual(["BBBBBBBB"]);
    });
  });
}
