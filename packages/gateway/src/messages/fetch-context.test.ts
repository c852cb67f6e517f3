import { messageId } from "@factotum/channel-contract";
import type { MessageContext, MsgContext } from "@factotum/channel-contract";
import type { AnthropicServer } from "@factotum/testing-providers";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const CONTEXT: MessageContext = {
  senderName: "Nina",
  group: { subject: "Garden" },
  replyTo: { messageId: messageId("earlier"), sender: { id: "guest", name: "Gus" }, body: "Water the roses.", isQuote: false },
  thread: {
    starter: { sender: "Gus", body: "The pump is broken." },
    history: [{ sender: "Ina", timestampMs: 1_767_225_600_000, body: "Since when?" }],
  },
  forwarded: { body: "The shop closes at noon." },
};
/** Timers of this delay fire at once; the others are real. */
const TIMEOUT_MS = 3_000;
let model: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;

beforeEach(async () => {
  model = await startAnthropicServer();
  model.respond(() => textReply("Fine."));
  platform = new TestPlatform("platform", { fetchesContext: true });
  platform.context = async () => CONTEXT;
  running = await startTestGateway({
    platform,
    patch: withModel(model.baseUrl),
    accountConfig: { groupPolicy: "open" },
    clock: {
      ...realClock,
      schedule: (delayMs, callback) => realClock.schedule(delayMs === TIMEOUT_MS ? 10 : delayMs, callback),
    },
  });
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await model.close();
});

const inGroup = (text: string, extra: Partial<MsgContext> = {}): MsgContext =>
  platform.message(text, {
    origin: { channel: "test", accountId: "default", conversation: { kind: "group", id: "g-1" } },
    sender: { id: "guest-1", isBot: false },
    mentionsBot: true,
    replyTo: { messageId: messageId("earlier"), body: "", isQuote: false },
    ...extra,
  });

async function ask(message: MsgContext): Promise<string> {
  const sends = platform.sent.length;
  expect(await platform.say(message)).toBe("accepted");
  await platform.waitForSends(sends + 1);
  return JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
}

test("shows the thread that a channel fetches", async () => {
  const history = [{ sender: "Gus", timestampMs: 1, body: "Twice a day." }];
  platform.context = async () => ({ thread: { starter: { sender: "Nina", body: "Who waters the roses?" }, history } });
  const prompt = await ask(inGroup("When?"));
  for (const shown of ["Who waters the roses?", "Twice a day."]) expect(prompt).toContain(shown);
});

test("shows names, subject and quote, even of unaddressed messages, and keeps ids and body", async () => {
  platform.context = async (message) => (message.text === "Before" ? { senderName: "Bob" } : { ...CONTEXT, text: "replaced" });
  await platform.say(inGroup("Before", { mentionsBot: false }));
  const prompt = await ask(inGroup("Now"));
  for (const shown of ["Nina", "Garden", "Gus", "Water the roses.", "Bob", "Now"]) expect(prompt).toContain(shown);
  expect(prompt).not.toContain("replaced");
  const { items } = await running.store.listSessions({ limit: 10 });
  expect(items.map(({ displayName }) => displayName)).toEqual(["test: Garden"]);
});

test("shows the thread and forwarded messages", async () => {
  const prompt = await ask(inGroup("Now"));
  for (const shown of ["The pump is broken.", "Ina", "Since when?", "The shop closes at noon."]) expect(prompt).toContain(shown);
});

test("commits a message before anything is fetched, and answers without what hangs", async () => {
  const { promise: asked, resolve } = Promise.withResolvers<readonly string[]>();
  platform.context = async () => {
    const { items } = await running.store.listInputs({ state: "waiting", limit: 10 });
    resolve(items.map(({ message }) => message.text));
    return new Promise<never>(() => undefined);
  };
  const prompt = await ask(inGroup("Now"));
  expect(prompt).toContain("Now");
  expect(prompt).not.toContain("Nina");
  expect(await asked).toEqual(["Now"]);
});

test("answers without what a channel throws", async () => {
  platform.context = async () => {
    throw new Error("broken");
  };
  expect(await ask(inGroup("Now"))).not.toContain("Nina");
});
