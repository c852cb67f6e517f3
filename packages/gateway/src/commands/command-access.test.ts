import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const REFUSED = "Only my owner can do that here, because this conversation is shared.";
/** Every form of the commands that change a conversation. */
const CHANGES = [
  "/new",
  "/reset",
  "/new anthropic/claude-opus-5-5",
  "start over",
  "/stop",
  "/compact",
  "/compact keep the names",
  "/model anthropic/claude-opus-5-5",
  "/model default",
  "/think high",
  "/reasoning on",
  "/verbose full",
  "/tts always",
  "/queue collect",
  "/activation always",
] as const;
/** Commands that only show something. */
const SHOWS = [
  "/model",
  "/model list",
  "/think",
  "/reasoning",
  "/verbose",
  "/tts",
  "/queue",
  "/status",
  "/usage",
  "/whoami",
  "/context",
  "/help",
];

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (session: Partial<FactotumConfig["session"]> = {}): Promise<TestGateway> =>
  startTestGateway({
    platform,
    accountConfig: { allowFrom: ["guest-1", "owner-2"], groups: { "group-1": { requireMention: true } } },
    patch: (config) => ({
      ...withModel(server.baseUrl)(config),
      session: { ...config.session, resetTriggers: ["/new", "/reset", "start over"], ...session },
    }),
  });

const from = (id: string, place: "direct" | "group") => ({
  sender: { id, isBot: false },
  mentionsBot: true,
  origin: {
    channel: "test",
    accountId: "default",
    conversation: place === "group" ? { kind: "group" as const, id: "group-1" } : { kind: "direct" as const, id: `dm-${id}` },
  },
});

async function say(running: TestGateway, text: string, extra: ReturnType<typeof from>): Promise<readonly string[]> {
  const before = platform.sent.length;
  await platform.say(platform.message(text, extra));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
}

/** Sends a message first, so that there is a conversation to change, and returns the state after a command. */
async function tries(running: TestGateway, command: string, extra: ReturnType<typeof from>) {
  await say(running, "hello", extra);
  const sessions = async () =>
    (await running.store.listSessions({ limit: 5 })).items.map(({ key, sessionId, overrides }) => ({ key, sessionId, overrides }));
  const before = await sessions();
  const answers = await say(running, command, extra);
  return { answers, before, after: await sessions() };
}

test.each(CHANGES)("%s of a guest in a group changes nothing and is answered with one sentence", async (command) => {
  await using running = await start();
  const { answers, before, after } = await tries(running, command, from("guest-1", "group"));
  expect(answers).toEqual([REFUSED]);
  expect(after).toEqual(before);
  expect(server.requests).toHaveLength(1);
});

test.each(CHANGES)("%s of the owner in a group is executed", async (command) => {
  await using running = await start();
  expect((await tries(running, command, from("owner-1", "group"))).answers).not.toContain(REFUSED);
});

test.each(CHANGES)("%s of a guest in the guest's own conversation is executed", async (command) => {
  await using running = await start();
  const { answers, before } = await tries(running, command, from("guest-1", "direct"));
  expect(answers).not.toContain(REFUSED);
  expect(before.map(({ key }) => key)).toEqual(["agent:main:test:direct:guest-1"]);
});

test.each([
  ["the shared main session", { sharedMain: true }, "guest-1"],
  ["the shared session of the global scope", { scope: "global", sharedMain: true }, "guest-1"],
  [
    "the owner's session, by an id that is linked with the owner's",
    { identityLinks: { olga: ["test:owner-1", "test:owner-2"] } },
    "owner-2",
  ],
  [
    "the owner's session under per-peer, by a linked id",
    { dmScope: "per-peer", identityLinks: { olga: ["test:owner-1", "test:owner-2"] } },
    "owner-2",
  ],
] as const)("a guest changes nothing in %s, and the owner does", async (_place, session, guest) => {
  await using running = await start(session);
  await say(running, "hello", from("owner-1", "direct"));
  for (const command of CHANGES) {
    const { answers, before, after } = await tries(running, command, from(guest, "direct"));
    expect([command, ...answers]).toEqual([command, REFUSED]);
    expect(after).toEqual(before);
    expect(after).toHaveLength(1);
  }
  expect(await say(running, "/think high", from("owner-1", "direct"))).not.toContain(REFUSED);
});

test("commands that only show something are answered to guests in a group too, and an inline directive applies to its message alone", async () => {
  await using running = await start();
  for (const command of SHOWS) expect(await say(running, command, from("guest-1", "group"))).not.toContain(REFUSED);
  expect(await say(running, "/think high what is up?", from("guest-1", "group"))).toEqual(["Yes."]);
  const { items } = await running.store.listSessions({ limit: 5 });
  expect(items.map(({ overrides }) => overrides)).toEqual([{}]);
});

test("/stop of a guest in a group ends no run, not even the guest's own; the owner's does", async () => {
  const began = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  server.respond(async () => {
    began.resolve();
    await answer.promise;
    return textReply("Done.");
  });
  await using running = await start();
  await platform.say(platform.message("a long task", from("guest-1", "group")));
  await began.promise;
  await platform.say(platform.message("/stop", from("guest-1", "group")));
  await platform.waitForSends(1);
  answer.resolve();
  await running.gateway.engine.idle();
  expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))).toEqual([REFUSED, "Done."]);
});
