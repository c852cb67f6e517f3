import assert from "node:assert/strict";
import { messageId } from "@factotum/channel-contract";
import type { ConformanceCase } from "../../case.ts";
import { acceptedId, assertRejected } from "./receipt.ts";
import { text } from "./text.ts";

/** Changes of a message that is shown. */
export const CHANGE_CASES: readonly ConformanceCase[] = [
  {
    id: "outbound:edit",
    needs: ["edit"],
    behaviour: "An edit changes the message that it names, and adds none.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(text("before")));
      acceptedId(await send({ type: "edit", targetId, text: "after" }));
      assert.deepEqual(
        platform.shown.map((message) => message.text),
        ["after"],
      );
    },
  },
  {
    id: "outbound:edit-stream",
    needs: ["edit"],
    behaviour: "A message that is edited ten times at once shows the last of the texts, and is still one message.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(text("0")));
      const texts = Array.from({ length: 10 }, (_, index) => "word ".repeat(index + 1).trim());
      for (const receipt of await Promise.all(texts.map((words) => send({ type: "edit", targetId, text: words })))) acceptedId(receipt);
      assert.deepEqual(
        platform.shown.map((message) => message.text),
        texts.slice(-1),
      );
    },
  },
  {
    id: "outbound:edit-answer-lost",
    needs: ["edit", "wire"],
    behaviour: "An edit that left and was not answered is ambiguous, and is not repeated by the adapter.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(text("before")));
      const known = platform.sendRequests;
      platform.failNextSend({ type: "answer-lost" });
      const receipt = await send({ type: "edit", targetId, text: "after" });
      assert.equal(receipt.type, "ambiguous", JSON.stringify(receipt));
      assert.equal(platform.sendRequests, known + 1);
    },
  },
  {
    id: "outbound:edit-unreadable",
    needs: ["edit", "wire"],
    behaviour: "An edit whose answer cannot be read is ambiguous: the page of a proxy is not the platform's word.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(text("before")));
      platform.failNextSend({ type: "answer-unreadable" });
      const receipt = await send({ type: "edit", targetId, text: "after" });
      assert.equal(receipt.type, "ambiguous", JSON.stringify(receipt));
    },
  },
  {
    id: "outbound:edit-limit",
    needs: ["edit"],
    behaviour: "An edit to a text of exactly the declared length is accepted, and is still one message.",
    async prove({ send, channel, platform }) {
      const targetId = acceptedId(await send(text("before")));
      acceptedId(await send({ type: "edit", targetId, text: "x".repeat(channel.capabilities.text.maxLength) }));
      assert.equal(platform.shown.length, 1);
      assert.notEqual(platform.shown[0]?.text, "before");
    },
  },
  {
    id: "outbound:edit-too-long",
    needs: ["edit"],
    behaviour: "An edit over the declared length is rejected as too-long for good, and the message keeps its text whole.",
    async prove({ send, channel, platform }) {
      const targetId = acceptedId(await send(text("before")));
      const receipt = await send({ type: "edit", targetId, text: "x".repeat(channel.capabilities.text.maxLength + 1) });
      assertRejected(receipt, "too-long");
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never");
      assert.deepEqual(
        platform.shown.map((message) => message.text),
        ["before"],
      );
    },
  },
  {
    id: "outbound:edit-gone",
    needs: ["edit"],
    behaviour: "An edit of a message that is not there is a rejection for good, and nothing is shown.",
    async prove({ send, platform }) {
      const receipt = await send({ type: "edit", targetId: messageId("no-such-message"), text: "after" });
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never", JSON.stringify(receipt));
      assert.equal(platform.shown.length, 0);
    },
  },
  {
    id: "outbound:delete",
    needs: ["delete"],
    behaviour: "A deletion removes the message that it names.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(text("gone")));
      acceptedId(await send({ type: "delete", targetId }));
      assert.equal(platform.shown[0]?.deleted, true);
    },
  },
  {
    id: "outbound:reaction",
    needs: ["reactions"],
    behaviour: "A reaction puts its emoji on the message that it names, and can be taken away, also twice.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(text("nice")));
      for (const emoji of ["👍", "🎉"]) {
        acceptedId(await send({ type: "reaction", targetId, emoji, removed: false }));
        assert.deepEqual(platform.shown[0]?.reactions, [emoji]);
        acceptedId(await send({ type: "reaction", targetId, emoji, removed: true }));
        acceptedId(await send({ type: "reaction", targetId, emoji, removed: true }));
        assert.deepEqual(platform.shown[0]?.reactions, []);
      }
    },
  },
];
