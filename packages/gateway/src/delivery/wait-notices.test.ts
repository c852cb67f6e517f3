import type { Origin } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { createMemoryLogger } from "../../test/gateway-harness.ts";
import { createManualClock } from "../../test/manual-clock.ts";
import { WaitNotices } from "./wait-notices.ts";

const chat = (id: string): Origin => ({ channel: "test", accountId: "default", conversation: { kind: "direct", id } });

/** One session with two chats. `waiting`: the chats in which a message waits. */
function createScene() {
  const waiting = new Set<string>();
  const lines: string[] = [];
  const clock = createManualClock();
  const notices = new WaitNotices({
    reasonFor: (_, { conversation }) => (waiting.has(conversation.id) ? "place" : undefined),
    showTyping: () => undefined,
    send: async (_, inputId) => void lines.push(inputId),
    clock,
    logger: createMemoryLogger(),
  });
  const begin = (id: string, inputId: string): void => {
    waiting.add(id);
    notices.begin("session", chat(id), inputId);
  };
  return { waiting, lines, clock, notices, begin };
}

test("a wait ends although another chat of its session has started to wait since", () => {
  const { waiting, lines, clock, notices, begin } = createScene();
  begin("first", "input-1");
  begin("second", "input-2");
  waiting.delete("first");
  notices.check("session");
  begin("first", "input-3");
  clock.run(5_000);
  expect(lines.toSorted()).toEqual(["input-2", "input-3"]);
});

test("a change in another session ends no wait", () => {
  const { waiting, lines, clock, notices, begin } = createScene();
  begin("first", "input-1");
  waiting.clear();
  notices.check("another session");
  waiting.add("first");
  clock.run(5_000);
  expect(lines).toEqual(["input-1"]);
});
