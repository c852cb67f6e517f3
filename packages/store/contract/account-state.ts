import { ACCOUNT_STATE_LIMITS } from "@factotum/channel-contract";
import type { AccountChange, AccountValue } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import type { ContractContext } from "./contract-context.ts";
import { NOW_MS, ORIGIN, OWNER, sampleMessage } from "./samples.ts";

const account = { channel: ORIGIN.channel, accountId: ORIGIN.accountId };
const json = (value: unknown): AccountValue => ({ type: "json", json: value });
const set = (key: string, value: unknown, options: { readonly expiresAtMs?: number } = {}): AccountChange => ({
  type: "set",
  key,
  value: json(value),
  ...options,
});

/** State of channel accounts that survives restarts. */
export function describeAccountState(context: () => ContractContext): void {
  describe("account state", () => {
    test("keeps JSON and bytes per account across a restart, and replaces and deletes rows", async () => {
      const { store, fixture } = context();
      const bytes = new Uint8Array([0, 255, 7]);
      await store.commitProgress(account, {
        cursor: "7",
        state: [
          set("a", { deep: ["\ud800", null] }),
          { type: "set", key: "b", value: { type: "bytes", bytes }, isSecret: true },
          set("c", 1),
        ],
      });
      await store.commitProgress(account, { state: [set("a", 2), { type: "delete", key: "c" }, { type: "delete", key: "never there" }] });
      await store.commitProgress({ ...account, accountId: "second" }, { state: [set("a", "theirs")] });
      const reopened = await fixture.open();
      expect(await reopened.readCursor(account)).toBe("7");
      expect(await reopened.readAccountState(account, "a")).toEqual(json(2));
      expect(await reopened.readAccountState(account, "b")).toEqual({ type: "bytes", bytes });
      expect(await reopened.readAccountState(account, "c")).toBeUndefined();
      expect(await reopened.readAccountState({ ...account, accountId: "second" }, "a")).toEqual(json("theirs"));
      expect(await reopened.readAccountState({ ...account, channel: "other" }, "a")).toBeUndefined();
    });

    test("lists the rows of a prefix by key, without pattern characters", async () => {
      const { store } = context();
      const keys = ["topic/\u{1f600}", "topic/\uffee", "topic/1", "topic%", "topic_/2", "topic", "other"];
      await store.commitProgress(account, { state: keys.map((key) => set(key, key)) });
      const keysOf = async (prefix: string): Promise<readonly string[]> =>
        (await store.listAccountState(account, prefix)).map(({ key }) => key);
      expect(await keysOf("topic/")).toEqual(["topic/1", "topic/\u{1f600}", "topic/\uffee"]);
      expect(await keysOf("topic_")).toEqual(["topic_/2"]);
      expect(await keysOf("topic/\u{1f600}")).toEqual(["topic/\u{1f600}"]);
      expect(await keysOf("")).toEqual(keys.toSorted());
      expect((await store.listAccountState(account, "other"))[0]).toEqual({ key: "other", value: json("other") });
    });

    test("an expired row counts as absent, and maintenance removes it", async () => {
      const { store } = context();
      await store.commitProgress(account, {
        state: [set("gone", 1, { expiresAtMs: 1 }), set("later", 2, { expiresAtMs: 4_102_444_800_000 })],
      });
      expect(await store.readAccountState(account, "gone")).toBeUndefined();
      expect((await store.listAccountState(account, "")).map(({ key }) => key)).toEqual(["later"]);
      expect(await store.maintain({ nowMs: NOW_MS })).toBe(false);
      expect(await store.readAccountState(account, "later")).toEqual(json(2));
      await store.maintain({ nowMs: 4_102_444_800_000 });
      expect(await store.readAccountState(account, "later")).toBeUndefined();
    });

    test("progress is committed with the input, even with a duplicate, and neither without the other", async () => {
      const { store } = context();
      const at = { admission: OWNER, receivedAtMs: NOW_MS };
      await store.acceptInput(sampleMessage("1"), { ...at, progress: { cursor: "7", state: [set("session", "one")] } });
      expect(await store.readCursor(account)).toBe("7");
      const again = await store.acceptInput(sampleMessage("1"), { ...at, progress: { cursor: "8", state: [set("session", "two")] } });
      expect(again.type).toBe("duplicate");
      expect(await store.readCursor(account)).toBe("8");
      expect(await store.readAccountState(account, "session")).toEqual(json("two"));
      const bad = store.acceptInput(sampleMessage("2"), { ...at, progress: { cursor: "9", state: [set("session", "three"), set("", 1)] } });
      await expect(bad).rejects.toMatchObject({ code: "invalid" });
      expect(await store.readCursor(account)).toBe("8");
      expect(await store.readAccountState(account, "session")).toEqual(json("two"));
      expect((await store.acceptInput(sampleMessage("2"), at)).type).toBe("accepted");
    });

    test.each([
      ["a key without a character", set("", 1)],
      ["a long key", set("k".repeat(ACCOUNT_STATE_LIMITS.keyLength + 1), 1)],
      ["a key with a NUL", set("a\u0000", 1)],
      ["a key with half a surrogate pair", set("\ud800", 1)],
      ["what is not JSON", set("a", undefined)],
      ["a large value", set("a", "x".repeat(ACCOUNT_STATE_LIMITS.valueBytes))],
    ])("refuses %s and changes nothing", async (_name, change) => {
      const { store } = context();
      await expect(store.commitProgress(account, { cursor: "1", state: [set("ok", 1), change] })).rejects.toMatchObject({
        code: "invalid",
      });
      expect(await store.listAccountState(account, "")).toEqual([]);
      expect(await store.readCursor(account)).toBeUndefined();
    });

    test("limits the state of an account; replacing and deleting free space", async () => {
      const { store } = context();
      const { valueBytes, totalBytes } = ACCOUNT_STATE_LIMITS;
      const block = (key: string, length = valueBytes - 64): AccountChange => ({
        type: "set",
        key,
        value: { type: "bytes", bytes: new Uint8Array(length) },
      });
      const count = totalBytes / valueBytes;
      for (let index = 0; index < count; index += 1) await store.commitProgress(account, { state: [block(`block-${index}`)] });
      for (let round = 0; round < 2; round += 1) await store.commitProgress(account, { state: [block("block-0")] });
      await expect(store.commitProgress(account, { state: [block("more")] })).rejects.toMatchObject({ code: "invalid" });
      await store.commitProgress({ ...account, accountId: "second" }, { state: [block("more")] });
      await store.commitProgress(account, { state: [{ type: "delete", key: "block-1" }, block("more")] });
      expect(await store.readAccountState(account, "more")).toBeDefined();
    });
  });
}
