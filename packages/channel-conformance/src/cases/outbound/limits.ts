import assert from "node:assert/strict";
import { messageId } from "@factotum/channel-contract";
import type { Outbound } from "@factotum/channel-contract";
import { declaredNeeds } from "../../case.ts";
import type { ConformanceCase } from "../../case.ts";
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
