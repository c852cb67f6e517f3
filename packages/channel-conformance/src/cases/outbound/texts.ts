import assert from "node:assert/strict";
import type { ConformanceCase, World } from "../../case.ts";
import { acceptedId } from "./receipt.ts";
import { text } from "./text.ts";

const words = (shown: string): string[] => shown.match(/\p{L}+/gu) ?? [];

function hasIds({ platform }: World): boolean {
  return platform.features.absent?.includes("sent-ids") !== true;
}

/** The visible text of a send, which can be several messages. */
async function shownOf(world: World, source: string): Promise<string> {
  const { platform } = world;
  const before = platform.shown.length;
  const receipt = await world.send(text(source));
  acceptedId(receipt);
  const ids: readonly string[] = receipt.type === "accepted" ? receipt.messageIds : [];
  const shown = hasIds(world) ? ids.map((id) => platform.shown.find(({ messageId }) => messageId === id)) : platform.shown.slice(before);
  return shown.map((message) => message?.text ?? "").join("\n");
}

/** Sending texts, and where they are shown. */
export const TEXT_CASES: readonly ConformanceCase[] = [
  {
    id: "outbound:text",
    needs: [],
    behaviour: "A text is shown once, word for word, in the conversation that it is sent to; the receipt names the message.",
    async prove(world) {
      const id = acceptedId(await world.send(text("Hello there, 你好 שלום 👍")));
      const [shown, ...more] = world.platform.shown;
      assert.equal(more.length, 0);
      if (hasIds(world)) assert.equal(shown?.messageId, id);
      assert.equal(shown?.text, "Hello there, 你好 שלום 👍");
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
];
