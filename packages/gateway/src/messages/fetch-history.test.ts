import { messageId } from "@factotum/channel-contract";
import type { Channel, HistoryMessage, MessageContext, MsgContext } from "@factotum/channel-contract";
import type { AccountConfig } from "@factotum/config";
import type { AnthropicServer } from "@factotum/testing-providers";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

/** Timers of this delay fire at once; the others are real. */
const TIMEOUT_MS = 3_000;
let model: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let asked: Parameters<NonNullable<Channel["history"]>>[1][];
let found: readonly HistoryMessage[];

beforeEach(async () => {
  model = await startAnthropicServer();
  model.respond(() => textReply("Fine."));
  asked = [];
  found = [said("h1", "Bob", "The pump is broken."), said("h2", "Eve", "Again?")];
  platform = new TestPlatform("platform", { optional: ["history"], fetchesContext: true });
  platform.optional = {
    history: async (_target, options) => {
      asked.push(options);
      return found;
    },
  };
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await model.close();
});

function said(id: string, sender: string, body: string, more: Partial<HistoryMessage> = {}): HistoryMessage {
  return { messageId: messageId(id), sender, senderId: sender.toLowerCase(), timestampMs: 1_767_225_600_000, body, ...more };
}

async function start(accountConfig: Partial<AccountConfig> = {}, historyLimit = 50): Promise<void> {
  const patch = withModel(model.baseUrl);
  running = await startTestGateway({
    platform,
    patch: (config) => {
      const { messages, ...rest } = patch(config);
      return { ...rest, messages: { ...messages, groupChat: { ...messages.groupChat, historyLimit } } };
    },
    accountConfig: { groupPolicy: "open", ...accountConfig },
    clock: { ...realClock, schedule: (delayMs, callback) => realClock.schedule(delayMs === TIMEOUT_MS ? 10 : delayMs, callback) },
  });
}

const inGroup = (text: string, extra: Partial<MsgContext> = {}): MsgContext =>
  platform.message(text, {
    origin: { channel: "test", accountId: "default", conversation: { kind: "group", id: "g-1" } },
    mentionsBot: true,
    ...extra,
  });

/** Sends a message and waits for its answer; resolves with the newest message that the model got. */
async function ask(message: MsgContext): Promise<string> {
  const sends = platform.sent.length;
  expect(await platform.say(message)).toBe("accepted");
  await platform.waitForSends(sends + 1);
  await running.gateway.engine.idle();
  const messages = (model.requests.at(-1)?.body?.["messages"] ?? []) as unknown as readonly unknown[];
  return JSON.stringify(messages.at(-1));
}

const times = (text: string, part: string): number => text.split(part).length - 1;

test("the first mention gets what was written before, once, also across /new", async () => {
  await start();
  const first = inGroup("What happened?");
  const prompt = await ask(first);
  for (const shown of ["The pump is broken.", "Again?"]) expect(times(prompt, shown)).toBe(1);
  expect(prompt).toContain("Chat history since the last reply");
  expect(asked).toMatchObject([{ limit: 50, before: first.messageId }]);
  expect(await ask(inGroup("And now?"))).not.toContain("The pump");
  await ask(inGroup("/new"));
  expect(await ask(inGroup("And now?"))).not.toContain("The pump");
  expect(asked).toHaveLength(1);
});

test("it is shown as messages are that waited for a mention", async () => {
  await start();
  const block = (prompt: string): string | undefined =>
    /Chat history since the last reply.*?Again\?/su.exec(prompt)?.[0].replaceAll(/[0-9a-f]{12}/g, "");
  const fetched = await ask(inGroup("What?"));
  const other = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g-2" } } as const;
  for (const { sender, senderId = "", body, timestampMs } of found)
    await platform.say(
      inGroup(body, { origin: other, timestampMs, mentionsBot: false, sender: { id: senderId, name: sender, isBot: false } }),
    );
  const waited = await ask(inGroup("What?", { origin: other }));
  expect(block(fetched)).toContain("The pump is broken.");
  expect(block(fetched)).toBe(block(waited));
  // Nothing is fetched where messages waited.
  expect(asked).toHaveLength(1);
});

test("people whom the policy leaves out, bots and the assistant itself are not shown", async () => {
  found = [
    ...found,
    said("h3", "Robot", "Beep", { isBot: true }),
    said("h4", "Me", "My own", { isSelf: true }),
    { sender: "Nobody", timestampMs: 1, body: "Who?" },
  ];
  await start({ groups: { "*": { requireMention: true, allowFrom: ["bob", "owner-1"] } } });
  const prompt = await ask(inGroup("What happened?"));
  expect(prompt).toContain("The pump is broken.");
  for (const hidden of ["Again?", "Beep", "My own", "Who?"]) expect(prompt).not.toContain(hidden);
});

test("what the thread shows is not shown again", async () => {
  const [starter, reply] = found as [HistoryMessage, HistoryMessage];
  found = [...found, said("h3", "Ann", "Since when?")];
  const thread: MessageContext["thread"] = { starter: { messageId: messageId("h1"), body: starter.body }, history: [reply] };
  platform.context = async () => ({ thread });
  await start();
  const prompt = await ask(inGroup("What?"));
  for (const shown of ["The pump is broken.", "Again?", "Since when?"]) expect(times(prompt, shown)).toBe(1);
});

test("a thread without ids leaves nothing to add", async () => {
  platform.context = async () => ({ thread: { starter: { body: "The pump is broken." } } });
  await start();
  const prompt = await ask(inGroup("What?"));
  expect(times(prompt, "The pump is broken.")).toBe(1);
});

test("direct chats, and groups without a limit, fetch nothing", async () => {
  await start({ allowFrom: ["owner-1"] }, 0);
  await ask(inGroup("What?"));
  await ask(platform.message("Hello"));
  await running[Symbol.asyncDispose]();
  await start({ allowFrom: ["owner-1"] });
  await ask(platform.message("Hello"));
  expect(asked).toEqual([]);
});

test.each<[string, NonNullable<Channel["history"]>]>([
  ["hangs", async () => new Promise<never>(() => undefined)],
  ["fails", async () => Promise.reject(new Error("broken"))],
])("answers without a history that %s", async (_what, history) => {
  platform.optional = { history };
  await start();
  expect(await ask(inGroup("Now"))).toContain("Now");
});
