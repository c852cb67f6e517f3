import { messageId } from "@factotum/channel-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { NOW_MS, ORIGIN, OWNER, sampleMessage, sampleOutbound, sampleSession } from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

const OTHER_PLACES: readonly Origin[] = [
  ORIGIN,
  { ...ORIGIN, channel: "slack" },
  { ...ORIGIN, accountId: "second" },
  { ...ORIGIN, conversation: { ...ORIGIN.conversation, id: "oc_2" } },
];

const at = { admission: OWNER, receivedAtMs: NOW_MS };

export function describeInbox(context: () => ContractContext): void {
  describe("inbox", () => {
    test("lists the newest inputs, whatever their state, reading no others", async () => {
      const { store, fixture } = context();
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1)
        ids.push((await store.acceptInput(sampleMessage(`recent-${index}`), { admission: OWNER, receivedAtMs: NOW_MS })).input.id);
      await store.settleInputs([ids[3] ?? ""], { type: "ignored", reason: "not addressed" });
      const before = fixture.rowsRead();
      const recent = await store.listRecentInputs(3);
      expect(fixture.rowsRead() - before).toBeLessThanOrEqual(3);
      expect(recent.map(({ id }) => id)).toEqual(ids.slice(2).toReversed());
      expect(recent[1]?.state).toEqual({ type: "ignored", reason: "not addressed" });
    });

    test("an input is accepted once, however often it is delivered", async () => {
      const { store, fixture } = context();
      const all = await Promise.all(Array.from({ length: 50 }, () => store.acceptInput(sampleMessage("1"), at)));
      expect(all.filter((each) => each.type === "accepted")).toHaveLength(1);
      expect(new Set(all.map((each) => each.input.id)).size).toBe(1);
      const reopened = await fixture.open();
      const again = await reopened.acceptInput(sampleMessage("1"), { ...at, receivedAtMs: NOW_MS + 9 });
      expect(again).toMatchObject({ type: "duplicate", input: { receivedAtMs: NOW_MS, state: { type: "waiting" } } });
      await reopened.settleInputs([again.input.id], { type: "dead", reason: "tried too often" });
      const third = await reopened.acceptInput(sampleMessage("1"), at);
      expect(third).toMatchObject({ type: "duplicate", input: { state: { type: "dead", reason: "tried too often" } } });
    });

    test("an input is found by its event", async () => {
      const { store } = context();
      const { input } = await store.acceptInput(sampleMessage("1"), at);
      expect(await store.findInput(sampleMessage("1"))).toEqual(input);
      expect(await store.findInput(sampleMessage("2"))).toBeUndefined();
    });

    test("the parts of a message for several agents are stored with it, once, each naming the one before if they are ordered", async () => {
      const { store, fixture } = context();
      const part = (id: string, agentId: string) => ({
        message: sampleMessage(id, { messageId: messageId("om_1") }),
        admission: { ...OWNER, broadcast: { agentId } },
      });
      const accept = async (id: string, isOrdered: boolean) => {
        const { message, admission } = part(id, "main");
        return store.acceptInput(message, {
          admission,
          receivedAtMs: NOW_MS,
          others: { parts: [part(`${id}:b`, "b"), part(`${id}:c`, "c")], isOrdered },
        });
      };
      const first = await accept("1", true);
      const [b, c] = first.others ?? [];
      const firstId = first.input.id;
      expect([b, c].map((input) => input?.admission.broadcast)).toEqual([
        { agentId: "b", first: firstId, after: firstId },
        { agentId: "c", first: firstId, after: b?.id },
      ]);
      expect(await accept("1", true)).toMatchObject({ type: "duplicate", input: { id: firstId } });
      // The platform repeats a message under another event id.
      expect(await accept("2", false)).toMatchObject({ type: "duplicate", input: { id: firstId } });
      const reopened = await fixture.open();
      const { items } = await reopened.listInputs({ state: "waiting", limit: 9 });
      expect(items.map(({ admission }) => admission.broadcast?.agentId)).toEqual(["main", "b", "c"]);
    });

    test("a message is known by its id in its chat, whatever its thread, and nowhere else", async () => {
      const { store } = context();
      await store.acceptInput(sampleMessage("1"), at);
      await store.acceptInput(sampleMessage("2", { messageId: messageId("2") }), at);
      const inThread: Origin = { ...ORIGIN, conversation: { ...ORIGIN.conversation, threadId: "om_root" } };
      const ids = ["om_1", "2", "om_9"];
      const known = async (chat: Origin): Promise<boolean[]> => Promise.all(ids.map(async (id) => store.hasReceived(chat, id)));
      expect(await known(inThread)).toEqual([true, true, false]);
      for (const chat of OTHER_PLACES.slice(1)) expect(await known(chat)).toEqual([false, false, false]);
    });

    test("attempts to start an input's turn are counted over restarts, can be taken back, and restart with a replay", async () => {
      const { store, fixture } = context();
      const ids = await Promise.all(["1", "2"].map(async (id) => (await store.acceptInput(sampleMessage(id), at)).input.id));
      const [first = "", second = ""] = ids;
      expect((await store.readInput(first))?.attempts).toBeUndefined();
      expect(await store.beginInputs([first])).toBe(2);
      const reopened = await fixture.open();
      expect(await reopened.beginInputs([first, second])).toBe(3);
      expect((await reopened.listInputs({ state: "waiting", limit: 9 })).items.map(({ attempts }) => attempts)).toEqual([3, 2]);
      await reopened.releaseInputs([first, second]);
      await reopened.releaseInputs([second]);
      expect((await reopened.listInputs({ state: "waiting", limit: 9 })).items.map(({ attempts }) => attempts)).toEqual([2, undefined]);
      await reopened.settleInputs([first], { type: "dead", reason: "tried too often" });
      expect(await reopened.beginInputs([first])).toBe(1);
      expect(await reopened.reviveInput(first)).not.toHaveProperty("attempts");
      expect(await reopened.beginInputs([first])).toBe(2);
    });

    test("a message redelivered under another event id is the same input, even after a restart", async () => {
      const { store, fixture } = context();
      const under = (eventId: string): MsgContext => sampleMessage(eventId, { messageId: messageId("om_1") });
      const all = await Promise.all(["1", "2", "3"].map(async (eventId) => store.acceptInput(under(eventId), at)));
      expect(all.map(({ type }) => type)).toEqual(["accepted", "duplicate", "duplicate"]);
      expect(new Set(all.map(({ input }) => input.id)).size).toBe(1);
      const reopened = await fixture.open();
      await reopened.settleInputs([all[0]?.input.id ?? ""], { type: "command" });
      const again = await reopened.acceptInput(under("4"), at);
      expect(again).toMatchObject({ type: "duplicate", input: { message: { eventId: "1" }, state: { type: "command" } } });
      expect((await reopened.acceptInputOptimistic(under("5"), at)).result.type).toBe("duplicate");
    });

    test("the same message id on another channel, account or conversation is another input, and an absent id matches no message", async () => {
      const { store } = context();
      for (const [index, origin] of OTHER_PLACES.entries()) {
        const message = sampleMessage(`${index}`, { origin, messageId: messageId("om_1") });
        expect((await store.acceptInput(message, at)).type).toBe("accepted");
      }
      for (const eventId of ["a", "b"])
        expect((await store.acceptInput(sampleMessage(eventId, { messageId: messageId("") }), at)).type).toBe("accepted");
    });

    test("edits, deletes, reactions and button presses of one message are separate inputs, keyed by event id alone", async () => {
      const { store } = context();
      const id = messageId("om_1");
      await store.acceptInput(sampleMessage("1"), at);
      const events: readonly MsgContext["event"][] = [
        { type: "edit", targetId: id },
        { type: "delete", targetId: id },
        { type: "reaction", targetId: id, emoji: "+1", removed: false },
        { type: "action", actionId: "yes" },
        { type: "member", change: "joined", member: { id: "ou_2", isSelf: false } },
      ];
      for (const event of events) {
        for (const eventId of ["first", "second"]) {
          const message = sampleMessage(`${event.type} ${eventId}`, { event, messageId: id });
          expect((await store.acceptInput(message, at)).type).toBe("accepted");
          expect((await store.acceptInput(message, at)).type).toBe("duplicate");
        }
      }
      expect((await store.acceptInput(sampleMessage("2", { messageId: id }), at)).type).toBe("duplicate");
    });

    test("both keys of a message expire together with its input", async () => {
      const { store } = context();
      const { input } = await store.acceptInput(sampleMessage("1"), at);
      await store.settleInputs([input.id], { type: "command" });
      const under = sampleMessage("2", { messageId: messageId("om_1") });
      const day = 24 * 60 * 60 * 1000;
      await store.maintain({ nowMs: NOW_MS + 13 * day });
      expect((await store.acceptInput(under, at)).type).toBe("duplicate");
      await store.maintain({ nowMs: NOW_MS + 15 * day });
      expect((await store.acceptInput(under, at)).type).toBe("accepted");
    });

    test("the same event id on another channel, account or conversation is another input", async () => {
      const { store } = context();
      for (const origin of OTHER_PLACES) expect((await store.acceptInput(sampleMessage("1", { origin }), at)).type).toBe("accepted");
    });

    test("an input is returned as given, including unusual text", async () => {
      const { store } = context();
      const text = "a\u0000b \ud800 \u{1f980} \u2028 e\u0301";
      const admission = { owner: false, kind: "user", sessionKey: "agent:main:http:a", extra: "be brief" } as const;
      const { input } = await store.acceptInput(sampleMessage("1", { text }), { admission, receivedAtMs: NOW_MS });
      expect(await store.readInput(input.id)).toEqual({
        id: input.id,
        message: sampleMessage("1", { text }),
        admission,
        receivedAtMs: NOW_MS,
        state: { type: "waiting" },
      });
      expect(await store.readInput("nothing")).toBeUndefined();
    });

    test("inputs are listed by state, oldest first, page by page", async () => {
      const { store } = context();
      for (const id of ["1", "2", "3", "4"]) await store.acceptInput(sampleMessage(id), at);
      const first = await store.listInputs({ state: "waiting", limit: 3 });
      expect(first.items.map((input) => input.message.eventId)).toEqual(["1", "2", "3"]);
      expect(first.cursor).toBeDefined();
      const second = await store.listInputs({
        state: "waiting",
        limit: 3,
        ...withoutUndefined({ cursor: first.cursor }),
      });
      expect(second.items.map((input) => input.message.eventId)).toEqual(["4"]);
      expect(second.cursor).toBeUndefined();
      expect((await store.listInputs({ state: "dead", limit: 3 })).items).toEqual([]);
    });

    test("inputs and their notices are settled in one commit", async () => {
      const { store } = context();
      const { input } = await store.acceptInput(sampleMessage("1"), at);
      const other = await store.acceptInput(sampleMessage("2"), at);
      const { sessionId } = await store.createSession(sampleSession(), { nowMs: NOW_MS });
      const said = { type: "ui-message", text: "hello", channel: "feishu", eventId: "1", sender: "Ada", attachments: 2 } as const;
      const told = { type: "notice", level: "error", text: "no model" } as const;
      const transcript = { sessionId, entries: [said, told] };
      const { outbox: rows, entries } = await store.settleInputs(
        [input.id],
        { type: "told", reason: "no model" },
        { outbox: [sampleOutbound("told:1")], transcript },
      );
      expect(entries).toMatchObject([said, told]);
      expect((await store.readTranscript(sessionId, { limit: 9 })).items).toEqual(entries);
      // Neither is sent to the model.
      expect(await store.readContext(sessionId)).toEqual([]);
      expect(rows).toMatchObject([{ outbound: { text: "sent as told:1" }, inputIds: [input.id], state: { type: "waiting" } }]);
      const [row] = await store.listPendingOutbound({ limit: 10 });
      expect(row).toEqual(rows[0]);
      expect((await store.readInput(input.id))?.state).toEqual({ type: "told", reason: "no model" });
      const third = await store.acceptInput(sampleMessage("3"), at);
      await store.settleInputs([third.input.id], { type: "interrupted", reason: "stopped" });
      expect((await store.readInput(third.input.id))?.state).toEqual({ type: "interrupted", reason: "stopped" });
      const answer = { outbox: [sampleOutbound("told:2")], transcript };
      const again = store.settleInputs([other.input.id, input.id], { type: "command" }, answer);
      await expect(again).rejects.toMatchObject({ code: "conflict" });
      expect((await store.readInput(other.input.id))?.state).toEqual({ type: "waiting" });
      expect(await store.listPendingOutbound({ limit: 10 })).toHaveLength(1);
      expect((await store.readTranscript(sessionId, { limit: 9 })).items).toHaveLength(2);
      await expect(store.settleInputs(["nothing"], { type: "command" })).rejects.toMatchObject({ code: "not-found" });
    });

    test("entries for a deleted session are dropped, and the inputs still end", async () => {
      const { store } = context();
      const { input } = await store.acceptInput(sampleMessage("1"), at);
      const transcript = { sessionId: "gone", entries: [{ type: "notice", level: "info", text: "done" }] } as const;
      expect(await store.settleInputs([input.id], { type: "command" }, { transcript })).toEqual({ outbox: [], entries: [] });
      expect((await store.readInput(input.id))?.state).toEqual({ type: "command" });
    });

    test("a cursor without an account is refused", async () => {
      const { store } = context();
      await expect(store.listInputs({ state: "waiting", limit: 1, cursor: "x" })).rejects.toMatchObject({ code: "invalid" });
    });
  });
}
