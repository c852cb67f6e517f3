import assert from "node:assert/strict";
import type { ConformanceCase } from "../../case.ts";
import { acceptedId } from "./receipt.ts";
import { text } from "./text.ts";

/** Several sends: their order, and which of them are duplicates. */
export const SERIES_CASES: readonly ConformanceCase[] = [
  {
    id: "outbound:order",
    needs: [],
    behaviour: "Twenty texts sent at once to one conversation are shown in the order of the calls.",
    async prove({ send, platform }) {
      const numbers = Array.from({ length: 20 }, (_, index) => `number ${index}`);
      await Promise.all(numbers.map((number, index) => send(text(index % 2 === 0 ? number : `${number} `), { to: "group" })));
      assert.deepEqual(
        platform.shown.map((message) => message.text.trim()),
        numbers,
      );
    },
  },
  {
    id: "outbound:idempotent",
    needs: ["idempotent-send"],
    behaviour: "Two sends with one key are one message, and both receipts name it.",
    async prove({ send, platform }) {
      const first = acceptedId(await send(text("once"), { idempotencyKey: "key-1" }));
      assert.equal(acceptedId(await send(text("once"), { idempotencyKey: "key-1" })), first);
      assert.equal(platform.shown.length, 1);
    },
  },
  {
    id: "outbound:idempotent-long-key",
    needs: ["idempotent-send"],
    behaviour: "A key longer than the platform's works as a short one does, and two long keys that begin alike are two keys.",
    async prove({ send, platform }) {
      const key = "k".repeat(300);
      acceptedId(await send(text("once"), { idempotencyKey: `${key}1` }));
      acceptedId(await send(text("once"), { idempotencyKey: `${key}1` }));
      acceptedId(await send(text("twice"), { idempotencyKey: `${key}2` }));
      assert.deepEqual(
        platform.shown.map((message) => message.text),
        ["once", "twice"],
      );
    },
  },
  {
    id: "outbound:distinct",
    needs: [],
    behaviour: "Two sends with two keys are two messages, also when the words are the same.",
    async prove({ send, platform }) {
      acceptedId(await send(text("same"), { idempotencyKey: "key-1" }));
      acceptedId(await send(text("same"), { idempotencyKey: "key-2" }));
      assert.equal(platform.shown.length, 2);
    },
  },
];
