import type { AccountConfig } from "@factotum/config";
import type { Conversation } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let platform: TestPlatform;
let running: TestGateway;
const CLOSED: Partial<AccountConfig> = { dmPolicy: "allowlist" };

beforeEach(async () => {
  platform = new TestPlatform();
  running = await startTestGateway({ platform, accountConfig: CLOSED });
});
afterEach(async () => running[Symbol.asyncDispose]());

async function say(person: string, conversation: Conversation = { kind: "direct", id: `dm-${person}` }, isBot = false): Promise<void> {
  const origin = { channel: "test", accountId: "default", conversation };
  await platform.say(platform.message("hello", { origin, sender: { id: person, isBot } }));
  await running.gateway.engine.idle();
}

async function change(config: Partial<AccountConfig>): Promise<void> {
  await running.gateway.engine.parts.channels.apply([platform.account({ ...CLOSED, ...config })]);
}

async function refused(): Promise<readonly [number, readonly string[]]> {
  const { messages, senders } = (await running.gateway.status()).refused;
  return [messages, senders.map(({ id }) => id)];
}

test("counts and lists only parties that the running configuration still refuses", async () => {
  await say("ann");
  await say("ann");
  await say("bob");
  await say("bob", { kind: "group", id: "g", parentId: "parent" });
  expect(await refused()).toEqual([4, ["parent", "bob", "ann"]]);
  await change({ allowFrom: ["ann"] });
  expect(await refused()).toEqual([2, ["parent", "bob"]]);
  await change({ allowFrom: ["ann"], groups: { parent: { requireMention: true } } });
  expect(await refused()).toEqual([1, ["bob"]]);
  await change({});
  expect(await refused()).toEqual([4, ["parent", "bob", "ann"]]);
});

test("does not list the owner, nor anyone while listing somebody would not admit them", async () => {
  await say("ann");
  await say("bob");
  const { config } = running.gateway.engine.parts.running;
  await running.gateway.reload(running.settings({ ...config, commands: { ...config.commands, ownerAllowFrom: ["test:ann"] } }));
  expect(await refused()).toEqual([1, ["bob"]]);
  await change({ dmPolicy: "disabled" });
  expect(await refused()).toEqual([0, []]);
});

test("names the command that admits a group whose id a shell would interpret", async () => {
  await say("ann", { kind: "channel", id: "#room" });
  const command = "factotum access allow test:default '#room' --group";
  expect((await running.gateway.status()).refused.senders).toMatchObject([{ type: "group", id: "#room", admit: command }]);
  expect(
    running.logger.lines.filter((line) => line.includes("A message was refused")).map((line) => JSON.parse(line) as unknown),
  ).toMatchObject([{ level: "info", group: "#room", admit: command }]);
});

test("counts bots that write to the assistant directly, and names the command that admits one where bots are admitted", async () => {
  const direct = { kind: "direct", id: "dm-bot" } as const;
  await say("bot", direct, true);
  await say("other", { kind: "group", id: "g" }, true);
  const [ignored] = (await running.gateway.status()).refused.senders;
  expect(ignored).toMatchObject({ id: "bot", count: 1 });
  expect(ignored?.admit).toBeUndefined();
  await change({ dmPolicy: "pairing", allowBots: true });
  await say("bot", direct, true);
  expect((await running.gateway.status()).refused).toMatchObject({
    messages: 2,
    senders: [{ id: "bot", count: 2, admit: "factotum access allow test:default bot" }],
  });
  await change({ dmPolicy: "pairing", allowBots: true, allowFrom: ["bot"] });
  expect(await refused()).toEqual([0, []]);
});
