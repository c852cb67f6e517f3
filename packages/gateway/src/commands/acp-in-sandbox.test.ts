import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, type TestGateway } from "../../test/gateway-harness.ts";
import { NO_EXTERNAL_AGENTS } from "../agents/external-agent.ts";

let platform: TestPlatform;
let running: TestGateway;

beforeEach(async () => {
  platform = new TestPlatform();
  running = await startTestGateway({
    platform,
    externalAgents: { ...NO_EXTERNAL_AGENTS, problemOf: () => undefined },
    accountConfig: { allowFrom: ["owner-1"] },
    patch: (config) => ({
      ...config,
      acp: { enabled: true, agents: { coder: { command: "coder", args: [], env: {}, mcpServers: [] } } },
      agents: config.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, mode: "all" } })),
      tools: { ...config.tools, elevated: { ...config.tools.elevated, enabled: true } },
    }),
  });
});
afterEach(() => running[Symbol.asyncDispose]());

async function say(text: string): Promise<string> {
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  return JSON.stringify(platform.sent.at(-1)?.outbound);
}

test("a sandboxed conversation gets no external agent, an elevated one does", async () => {
  expect(await say("/acp spawn coder")).toMatch(/coder cannot be started: Rule acp: .* in the sandbox/);
  await say("/elevated on");
  expect(await say("/acp spawn coder")).toContain("coder answers here");
});
