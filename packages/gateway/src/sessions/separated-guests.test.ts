import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const MAIN = "agent:main:main";
const SHARED = { sharedMain: true };
const NOTICE = expect.stringContaining("From now on this conversation is yours alone.");

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (session: Partial<FactotumConfig["session"]>, home?: string): Promise<TestGateway> =>
  startTestGateway({
    platform,
    accountConfig: { allowFrom: ["anna", "bert"], groups: { "group-1": { requireMention: true } } },
    patch: (config) => ({ ...withModel(server.baseUrl)(config), session: { ...config.session, ...session } }),
    ...withoutUndefined({ home }),
  });

const groupOrigin = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };

/** Sends a message in a chat of its own and returns what was sent to that chat since. */
async function say(running: TestGateway, id: string, text = "hello", origin?: typeof groupOrigin): Promise<readonly string[]> {
  const before = platform.sent.length;
  const chat = { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: `dm-${id}` } };
  const isGroup = origin !== undefined;
  await platform.say(platform.message(text, { origin: origin ?? chat, sender: { id, isBot: false }, mentionsBot: isGroup }));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
}

async function records(running: TestGateway): Promise<readonly string[]> {
  const { entries } = await running.gateway.engine.sessions.history(MAIN, { limit: 100 });
  return entries.flatMap((entry) => (entry.type === "notice" && entry.text.includes("a session of their own") ? [entry.text] : []));
}

test("notifies each former sender in the owner's session once, across resets and restarts, and nobody else", async () => {
  const old = await start(SHARED);
  for (const id of ["owner-1", "anna"]) await say(old, id);
  await say(old, "owner-1", "/new");
  await old.stop();
  const first = await start({}, old.home);
  expect(await say(first, "anna")).toEqual([NOTICE, "Yes."]);
  expect(await say(first, "anna")).toEqual(["Yes."]);
  for (const id of ["bert", "owner-1"]) expect(await say(first, id)).toEqual(["Yes."]);
  expect(await say(first, "anna", "hello", groupOrigin)).toEqual(["Yes."]);
  expect(await records(first)).toEqual([expect.stringContaining("agent:main:test:direct:anna")]);
  await first.stop();
  await using second = await start({}, old.home);
  for (const id of ["anna", "bert"]) expect(await say(second, id)).toEqual(["Yes."]);
  expect(await records(second)).toHaveLength(1);
});

test("a command is answered without the notice, and the first message after it brings the notice", async () => {
  const old = await start(SHARED);
  await say(old, "anna");
  await old.stop();
  await using running = await start({}, old.home);
  expect(await say(running, "anna", "/think high")).not.toContainEqual(NOTICE);
  expect(await say(running, "anna")).toEqual([NOTICE, "Yes."]);
});

test("senders who always had a session of their own are not notified", async () => {
  const old = await start({ dmScope: "per-peer" });
  await say(old, "anna");
  await old.stop();
  await using running = await start({}, old.home);
  expect(await say(running, "anna")).toEqual(["Yes."]);
  expect(await records(running)).toEqual([]);
});
