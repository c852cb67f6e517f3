import assert from "node:assert/strict";
import { messageId } from "@factotum/channel-contract";
import type { Outbound } from "@factotum/channel-contract";
import type { ConformanceCase } from "../../case.ts";
import { acceptedId, assertRejected } from "./receipt.ts";
import { text } from "./text.ts";

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
      const { maxLength, unit } = channel.capabilities.text;
      const sizeOf = {
        utf16: (part: string) => part.length,
        "code-points": (part: string) => Array.from(part).length,
        bytes: (part: string) => Buffer.byteLength(part),
      };
      for (const part of ["**字** ", '"\\"<>& ', "- 好\n", "👍"])
        acceptedId(await send(text(part.repeat(Math.floor(maxLength / sizeOf[unit](part))))));
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
      const { edit, delete: remove, reactions, polls, typing, media, cards, cardEdits, limits, streaming } = channel.capabilities;
      const targetId = messageId("m1");
      const all: readonly (readonly [boolean, Outbound])[] = [
        [edit, { type: "edit", targetId, text: "x" }],
        [remove, { type: "delete", targetId }],
        [reactions, { type: "reaction", targetId, emoji: "👍", removed: false }],
        [polls, { type: "poll", poll: { question: "?", options: ["a", "b"], multiple: false } }],
        [typing, { type: "typing" }],
        [media.length > 0, { type: "media", media: { kind: "file", mimeType: "text/plain", bytes: new Uint8Array(1) } }],
        [cards, { type: "card", card: { body: "x" } }],
        [cardEdits === true, { type: "edit-card", targetId, card: { body: "x" } }],
        [(limits?.filesPerMessage ?? 1) > 1, { type: "album", media: [] }],
        [streaming === "native", { type: "stream", text: "x", added: "x", isLast: true }],
      ];
      for (const [, outbound] of all.filter(([declared]) => !declared)) {
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
