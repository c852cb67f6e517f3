import { EXTERNAL_PROVIDER, externalModelInfo, NO_USAGE } from "@factotum/agent-contract";
import type { ExternalAgents, ModelEvent } from "@factotum/agent-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { NO_EXTERNAL_AGENTS } from "../agents/external-agent.ts";

let platform: TestPlatform;
let running: TestGateway;
/** What the external agent was told, as it was written. */
let told: (string | undefined)[];

const agents: ExternalAgents = {
  ...NO_EXTERNAL_AGENTS,
  problemOf: () => undefined,
  client: (id) => ({
    info: externalModelInfo(id),
    async *stream({ messages }): AsyncGenerator<ModelEvent> {
      const last = messages.at(-1);
      told.push(last?.role === "user" ? last.parts?.body : undefined);
      const content = [{ type: "text" as const, text: `Done ${told.length}.` }];
      const model = { api: "acp", provider: EXTERNAL_PROVIDER, model: id, usage: NO_USAGE };
      yield { type: "message-start" };
      yield { type: "message-end", message: { role: "assistant", content, ...model, stopReason: "stop", timestamp: 0 } };
    },
  }),
};

beforeEach(async () => {
  platform = new TestPlatform();
  told = [];
  const acp = { enabled: true, agents: { coder: { command: "coder", args: [], env: {}, mcpServers: [] } } };
  running = await startTestGateway({
    platform,
    externalAgents: agents,
    accountConfig: { allowFrom: ["owner-1"] },
    patch: (config) => ({ ...config, acp }),
  });
});
afterEach(() => running[Symbol.asyncDispose]());

async function say(text: string): Promise<string[]> {
  const before = platform.sent.length;
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
}

test("/acp spawn with a task hands the conversation over and asks at once; without one it waits for the next message", async () => {
  expect(await say("/acp spawn Coder Fix the test.\nThen /acp close.")).toEqual(["Done 1."]);
  expect(told).toEqual(["Fix the test.\nThen /acp close."]);
  expect(await say("More.")).toEqual(["Done 2."]);
  await say("/acp close");
  expect(await say("/acp spawn coder")).toEqual([expect.stringContaining("coder answers here")]);
  expect(told).toHaveLength(2);
});

test("a task for an agent that cannot be started is answered with the reason, and nothing is asked", async () => {
  expect(await say("/acp spawn other Fix it.")).toEqual([expect.stringMatching(/^other cannot be started: .*acp\.agents has coder\./)]);
  expect(told).toEqual([]);
  expect((await running.store.readSession("agent:main:main"))?.overrides).toBeUndefined();
});
