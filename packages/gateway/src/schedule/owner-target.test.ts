import type { Origin } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { ownerTarget, type OwnerTargetParts } from "./owner-target.ts";

const DIRECT: Origin = { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } };
const GROUP: Origin = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g-1" } };
const GONE: Origin = { ...DIRECT, accountId: "gone" };
const PAGE: Origin = { channel: "webchat", accountId: "default", conversation: { kind: "direct", id: "page" } };
const FALLBACK: Origin = { channel: "cli", accountId: "default", conversation: { kind: "direct", id: "agent:main:main" } };

async function targetOf(target: string, main: { readonly lastOrigin?: Origin; readonly isPrivate: boolean } | undefined): Promise<unknown> {
  const parts = {
    store: { readSession: async (key: string) => Promise.resolve(key === "agent:main:main" ? main : undefined) },
    running: { config: { session: { mainKey: "main" } } },
    channels: { accountFor: ({ accountId, channel }: Origin) => (channel === "test" && accountId === "default" ? {} : undefined) },
    findTarget: async (to: string, origin: Origin) => Promise.resolve(to === "wrong" ? { refusal: "there is no such chat" } : origin),
  } as unknown as OwnerTargetParts;
  return ownerTarget({ agentId: "main", target, fallback: FALLBACK }, parts);
}

test.each([
  ["owner", { lastOrigin: DIRECT, isPrivate: true }, DIRECT],
  ["owner", { lastOrigin: PAGE, isPrivate: true }, PAGE],
  ["owner", { lastOrigin: GROUP, isPrivate: true }, "the owner's newest message is not from a direct conversation"],
  ["last", { lastOrigin: GROUP, isPrivate: true }, GROUP],
  ["last", { lastOrigin: GONE, isPrivate: true }, "the account of test is gone"],
  ["owner", { lastOrigin: DIRECT, isPrivate: false }, "others than the owner write into the main session: name an address instead"],
  ["owner", { isPrivate: true }, "the owner has not written yet"],
  ["owner", undefined, "the owner has not written yet"],
  ["7", { lastOrigin: GROUP, isPrivate: false }, GROUP],
  ["7", undefined, FALLBACK],
  ["wrong", undefined, "there is no such chat"],
])("%s after %j is %j", async (target, main, expected) => {
  expect(await targetOf(target, main)).toEqual(expected);
});
