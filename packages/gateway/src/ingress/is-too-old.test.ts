import { messageId } from "@factotum/channel-contract";
import type { ChannelCapabilities, MsgContext } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { isTooOld } from "./is-too-old.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 5, 1);

const CAPABILITIES: ChannelCapabilities = {
  addressing: "platform",
  inbound: { delivery: "redelivers", transport: "webhook", webhookAuth: "signature" },
  text: { maxLength: 4000, unit: "utf16", markdown: "full", dialect: "markdown" },
  threads: "flat",
  edit: false,
  delete: false,
  reactions: false,
  polls: false,
  typing: false,
  media: [],
  nativeCommands: false,
  buttons: false,
  cards: false,
  streaming: "none",
  caseSensitiveIds: true,
  actions: [],
};

const message = (timestampMs: number): MsgContext => ({
  origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } },
  eventId: "event-1",
  messageId: messageId("message-1"),
  timestampMs,
  event: { type: "message" },
  sender: { id: "somebody", isBot: false },
  text: "hello",
  mentionsBot: false,
  attachments: [],
});

const input = (timestampMs: number): Parameters<typeof isTooOld>[0] => ({ message: message(timestampMs), receivedAtMs: NOW_MS });
const limits = { maxAgeHours: 24, capabilities: CAPABILITIES };

test("a message is too old if its receipt is more than the limit after its sending", () => {
  expect(isTooOld(input(NOW_MS - 24 * HOUR_MS), limits)).toBe(false);
  expect(isTooOld(input(NOW_MS - 24 * HOUR_MS - 1), limits)).toBe(true);
  expect(isTooOld(input(NOW_MS - 2 * HOUR_MS), { ...limits, maxAgeHours: 1 })).toBe(true);
});

test.each([
  ["the limit is 0", input(NOW_MS - 999 * HOUR_MS), { ...limits, maxAgeHours: 0 }],
  ["it was replayed", { ...input(NOW_MS - 999 * HOUR_MS), isReplayed: true } as const, limits],
  [
    "its channel takes old messages",
    input(NOW_MS - 999 * HOUR_MS),
    { ...limits, capabilities: { ...CAPABILITIES, acceptsOldMessages: true } },
  ],
  ["it does not come from a channel", input(NOW_MS - 999 * HOUR_MS), { ...limits, capabilities: undefined }],
  ["the platform's clock is in the future", input(NOW_MS + 99 * HOUR_MS), limits],
  ["the platform gives no time", input(0), limits],
  ["the platform gives seconds", input(NOW_MS / 1000), limits],
])("a message is never too old when %s", (_when, one, how) => {
  expect(isTooOld(one, how)).toBe(false);
});
