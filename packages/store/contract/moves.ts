import type { Conversation, MsgContext, Origin } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import type { AcceptedInput, ConversationMove, Store } from "../src/index.ts";
import { NOW_MS, ORIGIN, OWNER, sampleMessage, sampleSession } from "./samples.ts";
import type { ContractContext } from "./contract-context.ts";

const group = (id: string): Conversation => ({ kind: "group", id });
const at = (id: string, account: Partial<Origin> = {}): Origin => ({ ...ORIGIN, ...account, conversation: group(id) });

let count = 0;
function event(origin: Origin, to: Conversation, eventId = `move-${(count += 1)}`): MsgContext {
  return sampleMessage(eventId, { origin, event: { type: "moved", to } });
}

async function move(store: Store, from: string, to: string, unlessSession?: string): Promise<AcceptedInput> {
  const options = {
    admission: OWNER,
    receivedAtMs: NOW_MS,
    move: { to: group(to), ...(unlessSession !== undefined && { unlessSession }) },
  };
  return store.acceptInput(event(at(from), group(to)), options);
}

const pairs = (moves: readonly ConversationMove[]): readonly string[] =>
  moves.map(({ from, to, isContinued }) => `${from.id}${isContinued ? "→" : "⇢"}${to.id}`);

/** A moved conversation is stored with the event that reports it. */
export function describeMoves(context: () => ContractContext): void {
  describe("moves", () => {
    test("are stored with their event, without the thread, and survive a restart", async () => {
      const { store, fixture } = context();
      const origin = { ...at("a"), conversation: { ...group("a"), threadId: "t", spaceId: "s" } };
      const { move: stored } = await store.acceptInput(event(origin, group("b")), {
        admission: OWNER,
        receivedAtMs: NOW_MS,
        move: { to: group("b") },
      });
      const { channel, accountId } = ORIGIN;
      const expected = { channel, accountId, from: { ...group("a"), spaceId: "s" }, to: group("b"), isContinued: true, movedAtMs: NOW_MS };
      expect(stored).toEqual(expected);
      expect(await (await fixture.open()).listMoves()).toEqual([expected]);
    });

    test("are not stored without their event: neither for a duplicate nor in a commit that fails", async () => {
      const { store } = context();
      const message = event(at("a"), group("b"), "once");
      const plain = { admission: OWNER, receivedAtMs: NOW_MS };
      await store.acceptInput(message, plain);
      expect(await store.acceptInput(message, { ...plain, move: { to: group("b") } })).not.toHaveProperty("move");
      const failing = store.acceptInput(event(at("c"), group("d"), "failed"), { ...plain, move: { to: group("d\u0000") } });
      await expect(failing).rejects.toMatchObject({ code: "invalid" });
      expect(await store.listMoves()).toEqual([]);
      expect((await store.acceptInput(event(at("c"), group("d"), "failed"), plain)).type).toBe("accepted");
    });

    test("repeats and cycles change nothing, chains are kept, and other accounts are separate", async () => {
      const { store } = context();
      for (const [from, to] of [
        ["a", "b"],
        ["a", "b"],
        ["a", "c"],
        ["b", "a"],
        ["b", "c"],
        ["c", "a"],
        ["c", "c"],
      ] as const)
        expect((await move(store, from, to)).type).toBe("accepted");
      expect(pairs(await store.listMoves())).toEqual(["a→b", "b→c"]);
      const other = { channel: "feishu", accountId: "second" };
      const options = { admission: OWNER, receivedAtMs: NOW_MS, move: { to: group("a") } };
      expect((await store.acceptInput(event(at("c", other), group("a")), options)).move).toMatchObject({ ...other, isContinued: true });
    });

    test("a session of the new address with entries stays, and a second conversation does not continue at an address", async () => {
      const { store } = context();
      const key = (id: string): string => `agent:main:feishu:group:${id}`;
      for (const [index, each] of [key("empty"), key("used"), `${key("threads")}:topic:t`, `${key("near")}s`].entries()) {
        const session = sampleSession({ key: each, sessionId: `session-${index}` });
        await store.createSession(session, { nowMs: NOW_MS });
        if (index > 0) await store.appendEntry(session.sessionId, { type: "notice", level: "info", text: "x" }, { timestampMs: NOW_MS });
      }
      for (const id of ["empty", "used", "threads", "near"]) await move(store, `old ${id}`, id, key(id));
      await move(store, "other", "near", key("near"));
      expect(pairs(await store.listMoves())).toEqual([
        "old empty→empty",
        "old used⇢used",
        "old threads⇢threads",
        "old near→near",
        "other⇢near",
      ]);
    });
  });
}
