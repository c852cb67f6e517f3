import { describe, expect, test } from "vitest";
import { NOW_MS, OWNER, sampleEnd, sampleMessage, sampleOutbound, sampleSession, sampleTurn, userEntry } from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const at = { admission: OWNER, receivedAtMs: NOW_MS };

export function describeDurability(context: () => ContractContext): void {
  describe("durability", () => {
    test("the last process to open the store owns it", async () => {
      const { store, fixture } = context();
      await store.acceptInput(sampleMessage("1"), at);
      const second = await fixture.open();
      await expect(store.acceptInput(sampleMessage("2"), at)).rejects.toMatchObject({ code: "lost-ownership" });
      await expect(store.createSession(sampleSession(), { nowMs: NOW_MS })).rejects.toMatchObject({ code: "lost-ownership" });
      expect((await second.acceptInput(sampleMessage("2"), at)).type).toBe("accepted");
      await store.close();
      expect((await second.listInputs({ state: "waiting", limit: 9 })).items).toHaveLength(2);
    });

    test("a failed write does not affect concurrent ones", async () => {
      const { store } = context();
      const results = await Promise.allSettled([
        store.createSession(sampleSession(), { nowMs: NOW_MS }),
        store.startTurn(sampleTurn("t1", ["nothing"], { session: sampleSession({ key: "agent:main:b", sessionId: "s2" }) })),
        store.appendEntry("session-1", userEntry("a"), { timestampMs: NOW_MS }),
        store.endTurn(sampleEnd("t1")),
        store.addOutbound([sampleOutbound("a")]),
      ]);
      expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"]);
      expect(await store.readSession("agent:main:b")).toBeUndefined();
      expect((await store.readContext("session-1")).length).toBe(1);
      expect(await store.listPendingOutbound({ limit: 9 })).toHaveLength(1);
    });

    test("reads of a cached session match the disk after a concurrent failure", async () => {
      const { store, fixture } = context();
      await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const label = async (text: string): Promise<unknown> => store.patchSession("agent:main:main", { label: text }, { nowMs: NOW_MS });
      await label("before");
      const failing = (id: string): Promise<unknown> => store.startTurn(sampleTurn(id, ["nothing"], { touch: { endsPrivacy: true } }));
      const results = await Promise.allSettled([label("first"), failing("t1"), label("second"), failing("t2")]);
      expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
      const read = await store.readSession("agent:main:main");
      expect(read).toMatchObject({ label: "second", isPrivate: true });
      await expect(failing("t3")).rejects.toMatchObject({ code: "not-found" });
      expect(await store.readSession("agent:main:main")).toEqual(read);
      await store.close();
      expect(await (await fixture.open()).readSession("agent:main:main")).toEqual(read);
    });

    test("a probe is an empty commit, and is refused like every write", async () => {
      const { store, fixture } = context();
      await store.probe();
      expect((await store.acceptInput(sampleMessage("1"), at)).type).toBe("accepted");
      const second = await fixture.open();
      await expect(store.probe()).rejects.toMatchObject({ code: "lost-ownership" });
      await second.probe();
      expect((await second.listInputs({ state: "waiting", limit: 9 })).items).toHaveLength(1);
    });

    test("writes requested before the close are kept; later ones are refused", async () => {
      const { store, fixture } = context();
      const writing = store.acceptInput(sampleMessage("1"), at);
      await Promise.all([store.close(), store.close()]);
      expect((await writing).type).toBe("accepted");
      await expect(store.acceptInput(sampleMessage("2"), at)).rejects.toMatchObject({ code: "closed" });
      await expect(store.readInput("x")).rejects.toMatchObject({ code: "closed" });
      await expect(store.flushCopies()).rejects.toMatchObject({ code: "closed" });
      const reopened = await fixture.open();
      expect((await reopened.acceptInput(sampleMessage("1"), at)).type).toBe("duplicate");
    });

    test("maintenance removes old settled rows, but no dead letter", async () => {
      const { store } = context();
      const ids: string[] = [];
      for (const id of ["1", "2", "3"]) ids.push((await store.acceptInput(sampleMessage(id), at)).input.id);
      const [answered = "", dead = "", waiting = ""] = ids;
      await store.startTurn(sampleTurn("t1", [answered]));
      await store.endTurn(
        sampleEnd("t1", { outbox: [sampleOutbound("sent", { state: "sending" }), sampleOutbound("lost", { state: "sending" })] }),
      );
      await store.settleInputs([dead], { type: "dead", reason: "broken" });
      const [sent, lost] = await store.listPendingOutbound({ limit: 9 });
      const receipt = { type: "accepted", messageIds: [] } as const;
      await store.settleOutbound(sent?.id ?? "", { type: "receipt", receipt }, { nowMs: NOW_MS });
      await store.settleOutbound(lost?.id ?? "", { type: "dead", reason: "broken" }, { nowMs: NOW_MS });

      await store.maintain({ nowMs: NOW_MS + DAY_MS });
      expect(await store.readInput(answered)).toBeDefined();
      await store.maintain({ nowMs: NOW_MS + 15 * DAY_MS });
      expect(await store.readInput(answered)).toBeUndefined();
      expect((await store.readInput(dead))?.state.type).toBe("dead");
      expect((await store.readInput(waiting))?.state.type).toBe("waiting");
      expect(await store.readOutbound(sent?.id ?? "")).toBeUndefined();
      expect((await store.readOutbound(lost?.id ?? ""))?.state.type).toBe("dead");
      expect(await store.maintain({ nowMs: NOW_MS + 15 * DAY_MS })).toBe(false);
    });
  });
}
