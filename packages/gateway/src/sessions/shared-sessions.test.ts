import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const SESSION = "agent:main:main";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

function start(session: Partial<FactotumConfig["session"]> = {}, home?: string): Promise<TestGateway> {
  return startTestGateway({
    platform,
    accountConfig: { allowFrom: ["anna", "bert"], groups: { "group-1": { requireMention: true } } },
    patch: (config) => ({ ...withModel(server.baseUrl)(config), session: { ...config.session, sharedMain: true, ...session } }),
    ...withoutUndefined({ home }),
  });
}

async function say(running: TestGateway, id: string): Promise<void> {
  const origin = { channel: "test", accountId: "default", conversation: { kind: "direct" as const, id: `dm-${id}` } };
  await platform.say(platform.message(`I am ${id}`, { origin, sender: { id, isBot: false } }));
  await running.gateway.engine.idle();
}

async function warnings(running: TestGateway): Promise<readonly string[]> {
  using client = await TestClient.connect(running.gateway.url, running.token);
  const { warnings: found } = await client.call("warnings.list", {});
  return found.map(({ id }) => id);
}

async function notices(running: TestGateway): Promise<readonly string[]> {
  const { entries } = await running.gateway.engine.sessions.history(SESSION, { limit: 50 });
  return entries.flatMap((entry) => (entry.type === "notice" ? [entry.text] : []));
}

const logged = (running: TestGateway): number => running.logger.lines.filter((line) => line.includes("more than one person")).length;

test("warns once of a second person's direct message in a shared main session, also after a restart, until sessions are separated", async () => {
  const first = await start();
  await say(first, "anna");
  await say(first, "anna");
  expect([await warnings(first), await notices(first), logged(first)]).toEqual([[], [], 0]);
  await say(first, "bert");
  await say(first, "anna");
  expect(await warnings(first)).toEqual([`sharing:${SESSION}`]);
  expect(await notices(first)).toEqual([expect.stringContaining("session.sharedMain")]);
  expect(logged(first)).toBe(1);
  expect(platform.sent).toHaveLength(4);
  await first.stop();
  const second = await start({}, first.home);
  await say(second, "bert");
  await say(second, "anna");
  expect(await warnings(second)).toEqual([`sharing:${SESSION}`]);
  expect(await notices(second)).toHaveLength(1);
  expect(logged(second)).toBe(0);
  await second.stop();
  await using third = await start({ sharedMain: false }, first.home);
  expect(await warnings(third)).toEqual([]);
});

test("a second person is detected by another process too", async () => {
  const first = await start();
  await say(first, "owner-1");
  await first.stop();
  await using second = await start({}, first.home);
  await say(second, "anna");
  expect(await warnings(second)).toEqual([`sharing:${SESSION}`]);
  expect(await notices(second)).toHaveLength(1);
});

test("one person with several ids counts as one, the owner included, and separated sessions count for nobody", async () => {
  const linked = await start({ identityLinks: { anna: ["test:anna", "test:bert"] } });
  await say(linked, "anna");
  await say(linked, "bert");
  expect([await warnings(linked), await notices(linked), logged(linked)]).toEqual([[], [], 0]);
  await linked.stop();
  const own = await start({ identityLinks: { olga: ["test:owner-1", "test:anna"] } });
  await say(own, "owner-1");
  await say(own, "anna");
  expect([await warnings(own), await notices(own), logged(own)]).toEqual([[], [], 0]);
  await own.stop();
  for (const session of [{ dmScope: "per-channel-peer" }, { sharedMain: false }] as const) {
    await using apart = await start(session);
    for (const id of ["owner-1", "anna", "bert"]) await say(apart, id);
    expect([await warnings(apart), logged(apart)]).toEqual([[], 0]);
  }
});

test("warns of the single session of the global scope too, where a group counts as another person", async () => {
  await using running = await start({ scope: "global" });
  await say(running, "owner-1");
  expect(await warnings(running)).toEqual([]);
  const origin = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };
  await platform.say(platform.message("hello", { origin, mentionsBot: true, sender: { id: "anna", isBot: false } }));
  await running.gateway.engine.idle();
  expect(await warnings(running)).toEqual(["sharing:global"]);
  expect(logged(running)).toBe(1);
});
