import assert from "node:assert/strict";
import { messageId } from "@factotum/channel-contract";
import type { Outbound } from "@factotum/channel-contract";
import { declaredNeeds } from "../../case.ts";
import type { ConformanceCase } from "../../case.ts";
import type { ShownMessage } from "../../platform.ts";
import { OUTBOUND_KINDS } from "./kinds.ts";
import { acceptedId, assertRejected } from "./receipt.ts";
import { text } from "./text.ts";

const targetId = messageId("m1");

/** One outbound of each kind. */
const SAMPLES: { readonly [Type in Outbound["type"]]: Extract<Outbound, { readonly type: Type }> } = {
  text: { type: "text", text: "x" },
  media: { type: "media", media: { kind: "file", mimeType: "text/plain", bytes: new Uint8Array(1) } },
  album: { type: "album", media: [] },
  edit: { type: "edit", targetId, text: "x" },
  delete: { type: "delete", targetId },
  reaction: { type: "reaction", targetId, emoji: "👍", removed: false },
  poll: { type: "poll", poll: { question: "?", options: ["a", "b"], multiple: false } },
  card: { type: "card", card: { body: "x" } },
  "edit-card": { type: "edit-card", targetId, card: { body: "x" } },
  stream: { type: "stream", text: "x", added: "x", isLast: true },
  typing: { type: "typing" },
};

/** Texts up to the limit, and refusals before anything is shown. */
export const LIMIT_CASES: readonly ConformanceCase[] = [
  {
    id: "outbound:limit",
    needs: [],
    behaviour: "A text of exactly the declared length is accepted as one message.",
    async prove({ send, channel, platform }) {
      acceptedId(await send(text("x".repeat(channel.capabilities.text.maxLength))));
      assert.equal(platform.shown.length, 1);
    },
  },
  {
    id: "outbound:limit-markup",
    needs: ["markdown"],
    behaviour: "A text of the declared length is accepted whatever it is made of: markup, quotes, three-byte characters.",
    async prove({ send, channel }) {
      const { maxLength, unit, maxLines = maxLength } = channel.capabilities.text;
      const sizeOf = {
        utf16: (part: string) => part.length,
        "code-points": (part: string) => Array.from(part).length,
        bytes: (part: string) => Buffer.byteLength(part),
      };
      for (const part of ["**字** ", '"\\"<>& ', "- 好\n", "👍"])
        acceptedId(await send(text(part.repeat(Math.min(Math.floor(maxLength / sizeOf[unit](part)), maxLines)))));
    },
  },
  {
    id: "outbound:lines",
    needs: ["line-limit"],
    behaviour:
      "A text of the declared maximum of lines is shown whole, as one message where messages have several lines; one line more is rejected for good, or shown too.",
    async prove({ send, channel, platform }) {
      const { maxLines = 1 } = channel.capabilities.text;
      const numbers = Array.from({ length: maxLines + 1 }, (_, index) => String(index + 1));
      const numbersOf = (shown: readonly ShownMessage[]): readonly string[] => shown.flatMap((message) => message.text.match(/\d+/g) ?? []);
      acceptedId(await send(text(numbers.slice(0, maxLines).join("\n"))));
      const known = platform.shown.length;
      if (platform.features.absent?.includes("line-breaks") !== true) assert.equal(known, 1);
      assert.deepEqual(numbersOf(platform.shown), numbers.slice(0, maxLines));
      const receipt = await send(text(numbers.join("\n")));
      const more = platform.shown.slice(known);
      if (receipt.type === "accepted") return assert.deepEqual(numbersOf(more), numbers);
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never", JSON.stringify(receipt));
      assert.deepEqual(more, []);
    },
  },
  {
    id: "outbound:too-long",
    needs: [],
    behaviour: "A text over the declared length is rejected as too-long for good, and nothing is shown.",
    async prove({ send, channel, platform }) {
      const receipt = await send(text("x".repeat(channel.capabilities.text.maxLength + 1)));
      assertRejected(receipt, "too-long");
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never");
      assert.equal(platform.shown.length, 0);
    },
  },
  {
    id: "outbound:empty",
    needs: [],
    behaviour: "A text of blank space alone is rejected for good.",
    async prove({ send, platform }) {
      const receipt = await send(text(" \n "));
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never", JSON.stringify(receipt));
      assert.equal(platform.shown.length, 0);
    },
  },
  {
    id: "outbound:undeclared",
    needs: [],
    behaviour: "What is not declared is answered with a rejection, not thrown, and no request is made.",
    async prove({ send, channel, platform, event }) {
      const declared = declaredNeeds(channel.capabilities);
      for (const outbound of Object.values(SAMPLES)) {
        const { need } = OUTBOUND_KINDS[outbound.type];
        if (need === undefined || declared.has(need)) continue;
        const receipt = await send(outbound);
        assert.ok(receipt.type === "rejected" && receipt.retry.type === "never", `${outbound.type}: ${JSON.stringify(receipt)}`);
      }
      if (channel.capabilities.ephemeral !== true && !(platform.features.absent ?? []).includes("groups")) {
        const receipt = await send({ type: "text", text: "psst", onlyFor: event().expected.senderId }, { to: "group" });
        assert.ok(receipt.type === "rejected" && receipt.retry.type === "never", `a text for one person: ${JSON.stringify(receipt)}`);
      }
      assert.equal(platform.sendRequests, 0);
    },
  },
];
