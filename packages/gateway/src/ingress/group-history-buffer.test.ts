import { messageId } from "@factotum/channel-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { GroupHistoryBuffer } from "./group-history-buffer.ts";

let count = 0;
const at = (conversation: string): Origin => ({ channel: "test", accountId: "default", conversation: { kind: "group", id: conversation } });
const said = (conversation: string, text: string): MsgContext => ({
  origin: at(conversation),
  eventId: `event-${(count += 1)}`,
  messageId: messageId(`message-${count}`),
  timestampMs: 0,
  event: { type: "message" },
  sender: { id: "somebody", isBot: false },
  text,
  mentionsBot: false,
  attachments: [],
});
const texts = (messages: readonly MsgContext[]): readonly string[] => messages.map(({ text }) => text.slice(0, 8));

test("keeps the latest messages of a conversation until they are taken", () => {
  const overheard = new GroupHistoryBuffer();
  for (const text of ["one", "two", "three"]) overheard.add(said("a", text), 2);
  overheard.add(said("b", "other"), 2);
  overheard.add(said("b", "unwanted"), 0);
  expect(texts(overheard.take([at("a")]))).toEqual(["two", "three"]);
  expect(overheard.take([at("a")])).toEqual([]);
  expect(texts(overheard.take([at("b")]))).toEqual(["other"]);
});

test("keeps the latest long messages that fit the limits, per conversation and in total", () => {
  const overheard = new GroupHistoryBuffer();
  const long = "x".repeat(400_000);
  for (const name of ["first   ", "second  ", "third   "]) overheard.add(said("a", name + long), 50);
  overheard.add(said("b", "huge    " + "x".repeat(3_000_000)), 50);
  overheard.add(said("b", "small   "), 50);
  expect(texts(overheard.take([at("a")]))).toEqual(["second  ", "third   "]);
  expect(texts(overheard.take([at("b")]))).toEqual(["small   "]);

  for (let index = 0; index < 100; index += 1) overheard.add(said(`c${index}`, long), 50);
  const kept = Array.from({ length: 100 }, (_, index) => overheard.take([at(`c${index}`)]).length);
  expect(kept[0]).toBe(0);
  expect(kept[99]).toBe(1);
  expect(kept.filter((length) => length === 1).length * long.length).toBeLessThanOrEqual(8 * 1024 * 1024);
});

test("evicts the conversation that was silent for longest when there are too many", () => {
  const overheard = new GroupHistoryBuffer();
  for (let index = 0; index < 1_000; index += 1) overheard.add(said(`c${index}`, "hello"), 50);
  overheard.add(said("c0", "again"), 50);
  overheard.add(said("new", "hello"), 50);
  expect(texts(overheard.take([at("c0")]))).toEqual(["hello", "again"]);
  expect(overheard.take([at("c1")])).toEqual([]);
  expect(texts(overheard.take([at("new")]))).toEqual(["hello"]);
});
