import assert from "node:assert/strict";
import { messageId } from "@factotum/channel-contract";
import type { ChannelErrorCode, MessageId, Outbound, SendReceipt } from "@factotum/channel-contract";
import type { ConformanceCase, World } from "../case.ts";

/** The id of a send that was accepted. */
export function acceptedId(receipt: SendReceipt): MessageId {
  assert.equal(receipt.type, "accepted", JSON.stringify(receipt));
  const [id] = receipt.type === "accepted" ? receipt.messageIds : [];
  assert.ok(id, "an accepted send names its message");
  return id;
}

function assertRejected(receipt: SendReceipt, ...codes: readonly ChannelErrorCode[]): void {
  assert.equal(receipt.type, "rejected", JSON.stringify(receipt));
  assert.ok(receipt.type === "rejected" && codes.includes(receipt.code), `${JSON.stringify(receipt)} is none of ${codes.join(", ")}`);
}

const text = (words: string, more: { replyTo?: MessageId } = {}): Outbound => ({ type: "text", text: words, ...more });
const words = (shown: string): string[] => shown.match(/\p{L}+/gu) ?? [];

/** What is shown of a text that was sent. */
async function shownOf(world: World, source: string): Promise<string> {
  const id = acceptedId(await world.send(text(source)));
  return world.platform.shown.find((message) => message.messageId === id)?.text ?? "";
}

/** What becomes of texts, and where they are shown. */
export const OUTBOUND_CASES: readonly ConformanceCase[] = [
  {
    id: "outbound:text",
    needs: [],
    behaviour: "A text is shown once, word for word, in the conversation that it is sent to; the receipt names the message.",
    async prove(world) {
      const id = acceptedId(await world.send(text("Hello there, 你好 שלום 👍")));
      const [shown, ...more] = world.platform.shown;
      assert.equal(more.length, 0);
      assert.equal(shown?.messageId, id);
      assert.equal(shown.text, "Hello there, 你好 שלום 👍");
      assert.equal(shown.conversationId, world.platform.target("direct").id);
    },
  },
  {
    id: "outbound:group",
    needs: ["groups"],
    behaviour: "A text for a group is shown in that group, outside any thread.",
    async prove({ send, platform }) {
      acceptedId(await send(text("all"), { to: "group" }));
      assert.equal(platform.shown[0]?.conversationId, platform.target("group").id);
      assert.equal(platform.shown[0]?.inThread, false);
    },
  },
  {
    id: "outbound:thread",
    needs: ["threads"],
    behaviour: "A text for a thread is shown in that thread.",
    async prove({ send, platform }) {
      acceptedId(await send(text("here"), { to: "thread" }));
      assert.equal(platform.shown[0]?.inThread, true);
    },
  },
  {
    id: "outbound:reply",
    needs: ["replies"],
    behaviour: "A reply is shown as an answer to the message that it names.",
    async prove({ channel, host, platform, event, send }) {
      await platform.deliver(channel, event());
      const replyTo = host.received[0]?.messageId;
      assert.ok(replyTo);
      acceptedId(await send(text("yes", { replyTo })));
      assert.equal(platform.shown[0]?.replyTo, replyTo);
    },
  },
  {
    id: "outbound:markdown",
    needs: ["markdown"],
    behaviour: "Headings, lists, emphasis, links, tables and quotes keep every word in its order.",
    async prove(world) {
      const source =
        "# Title\n\nSome **bold** and *soft* and ~~gone~~ words, [a link](https://example.com/x).\n\n- one\n- two\n\n> quoted\n\n| head | row |\n|---|---|\n| cell | last |";
      const expected = [
        "Title",
        "Some",
        "bold",
        "and",
        "soft",
        "and",
        "gone",
        "words",
        "a",
        "link",
        "one",
        "two",
        "quoted",
        "head",
        "row",
        "cell",
        "last",
      ];
      const seen = words(await shownOf(world, source));
      let at = 0;
      for (const word of expected) {
        at = seen.indexOf(word, at) + 1;
        assert.notEqual(at, 0, `"${word}" is missing or out of order in ${JSON.stringify(seen)}`);
      }
    },
  },
  {
    id: "outbound:code",
    needs: ["markdown"],
    behaviour: "A code block is shown character for character.",
    async prove(world) {
      const code = 'for i in range(3):\n    print("<b> & *not bold* _x_ \\\\n", i)\n\n\treturn';
      assert.ok((await shownOf(world, `Run:\n\n\`\`\`python\n${code}\n\`\`\``)).includes(code));
    },
  },
  {
    id: "outbound:mass-mention",
    needs: ["mass-mention"],
    behaviour: "No text can ring with everybody in the room, plain, in code or escaped.",
    async prove({ send, platform }) {
      const ring = platform.features.massMention;
      for (const source of [ring, `**look** ${ring}`, `\`${ring}\``, `\`\`\`\n${ring}\n\`\`\``, `\\${ring}`, `# ${ring}`]) {
        acceptedId(await send(text(source), { to: "group" }));
      }
      assert.deepEqual(
        platform.shown.filter(({ notifiedAll }) => notifiedAll),
        [],
      );
    },
  },
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
    async prove({ send, channel, platform }) {
      const { edit, delete: remove, reactions, polls, typing, media, cards } = channel.capabilities;
      const targetId = messageId("m1");
      const all: readonly (readonly [boolean, Outbound])[] = [
        [edit, { type: "edit", targetId, text: "x" }],
        [remove, { type: "delete", targetId }],
        [reactions, { type: "reaction", targetId, emoji: "👍", removed: false }],
        [polls, { type: "poll", poll: { question: "?", options: ["a", "b"], multiple: false } }],
        [typing, { type: "typing" }],
        [media.length > 0, { type: "media", media: { kind: "file", mimeType: "text/plain", bytes: new Uint8Array(1) } }],
        [cards, { type: "card", card: { body: "x" } }],
      ];
      for (const [, outbound] of all.filter(([declared]) => !declared)) {
        const receipt = await send(outbound);
        assert.ok(receipt.type === "rejected" && receipt.retry.type === "never", `${outbound.type}: ${JSON.stringify(receipt)}`);
      }
      assert.equal(platform.sendRequests, 0);
    },
  },
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
    behaviour: "A reaction is put on the message that it names, and can be taken away, also twice.",
    async prove({ send, platform }) {
      const targetId = acceptedId(await send(text("nice")));
      acceptedId(await send({ type: "reaction", targetId, emoji: "👍", removed: false }));
      assert.equal(platform.shown[0]?.reactions.length, 1);
      acceptedId(await send({ type: "reaction", targetId, emoji: "👍", removed: true }));
      acceptedId(await send({ type: "reaction", targetId, emoji: "👍", removed: true }));
      assert.deepEqual(platform.shown[0]?.reactions, []);
    },
  },
  {
    id: "outbound:rate-limited",
    needs: [],
    behaviour: "The platform's own delay is in the receipt, in milliseconds.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "rate-limited", delayMs: 7_000 });
      const receipt = await send();
      assertRejected(receipt, "rate-limited");
      assert.deepEqual(receipt.type === "rejected" && receipt.retry, { type: "after", delayMs: 7_000 });
    },
  },
  {
    id: "outbound:server-error",
    needs: [],
    behaviour: "A failure of the platform is ambiguous, or rejected with another try later; never accepted, never for good.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "server-error" });
      const receipt = await send();
      assert.ok(receipt.type === "ambiguous" || (receipt.type === "rejected" && receipt.retry.type !== "never"), JSON.stringify(receipt));
    },
  },
  {
    id: "outbound:answer-lost",
    needs: ["wire"],
    behaviour: "A request that left and was not answered is ambiguous, and is not repeated by the adapter.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "answer-lost" });
      const receipt = await send();
      assert.equal(receipt.type, "ambiguous", JSON.stringify(receipt));
      assert.equal(platform.sendRequests, 1);
    },
  },
  {
    id: "outbound:unreachable",
    needs: [],
    behaviour: "A platform that cannot be reached is a rejection as unreachable, with another try later.",
    async prove({ send, platform }) {
      await platform.shutDown();
      const receipt = await send();
      assertRejected(receipt, "unreachable");
      assert.ok(receipt.type === "rejected" && receipt.retry.type !== "never");
    },
  },
  {
    id: "outbound:forbidden",
    needs: [],
    behaviour: "A missing right is a rejection as forbidden, for good.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "forbidden" });
      const receipt = await send();
      assertRejected(receipt, "forbidden");
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never");
    },
  },
  {
    id: "outbound:unknown-target",
    needs: [],
    behaviour: "A conversation that does not exist is a rejection, for good, and nothing is shown anywhere.",
    async prove({ send, platform }) {
      const receipt = await send(text("lost"), { to: "unknown" });
      assertRejected(receipt, "forbidden", "not-found");
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never");
      assert.equal(platform.shown.length, 0);
    },
  },
  {
    id: "outbound:after-failure",
    needs: [],
    behaviour: "A failed send holds up no later one.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "forbidden" });
      const [, second] = await Promise.all([send(text("one")), send(text("two"))]);
      acceptedId(second ?? { type: "ambiguous", cause: "missing" });
      assert.deepEqual(
        platform.shown.map((message) => message.text),
        ["two"],
      );
    },
  },
  {
    id: "outbound:token-renewed",
    needs: ["renewable-token"],
    behaviour: "A token that the platform has revoked is renewed, and the send goes through.",
    async prove({ send, platform }) {
      acceptedId(await send(text("one")));
      platform.revokeTokens();
      acceptedId(await send(text("two")));
    },
  },
  {
    id: "outbound:credential-wrong",
    needs: ["credential"],
    behaviour: "A credential that the platform refuses is a rejection as unauthorized, for good.",
    async prove({ another, address }) {
      const outbound: Outbound = { type: "text", text: "x" };
      const options = { signal: AbortSignal.timeout(60_000), idempotencyKey: "k" };
      const receipt = await another({ credential: "wrong" }).send(address("direct"), outbound, options);
      assertRejected(receipt, "unauthorized");
      assert.ok(receipt.type === "rejected" && receipt.retry.type === "never");
    },
  },
  {
    id: "outbound:aborted",
    needs: [],
    behaviour: "A send whose signal has fired makes no request and is not accepted.",
    async prove({ send, platform }) {
      const receipt = await send(undefined, { signal: AbortSignal.abort() });
      assert.equal(receipt.type, "rejected", JSON.stringify(receipt));
      assert.equal(platform.sendRequests, 0);
    },
  },
  {
    id: "outbound:aborted-on-the-wire",
    needs: [],
    behaviour: "A send whose signal fires while it waits for the answer ends as ambiguous at once.",
    async prove({ send, platform }) {
      platform.failNextSend({ type: "held" });
      const abort = new AbortController();
      const receipt = send(undefined, { signal: abort.signal });
      await platform.sendRequested(1);
      abort.abort();
      assert.equal((await receipt).type, "ambiguous");
    },
  },
];
