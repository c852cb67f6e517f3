import type { MsgContext } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { TestPlatform } from "../../test/gateway-harness.ts";
import { isTainted } from "./taint.ts";

const context = { admission: { kind: "user", owner: true } as const, overheard: [], ownerAllowFrom: ["test:owner-1"] };
const isMarked = (extra: Partial<MsgContext>): boolean => isTainted(new TestPlatform().message("hello", extra), context);

test("the owner's own words in a direct conversation are not marked", () => {
  expect(isMarked({})).toBe(false);
});

const OF_OTHERS: readonly (readonly [string, Partial<MsgContext>])[] = [
  ["a forwarded message", { forwarded: { body: "said" } }],
  ["the start of a thread", { thread: { starter: { body: "said" } } }],
  ["the history of a thread", { thread: { history: [{ sender: "guest-1", timestampMs: 1, body: "said" }] } }],
];
test.each(OF_OTHERS)("%s that comes along is", (_, extra) => {
  expect(isMarked(extra)).toBe(true);
});
