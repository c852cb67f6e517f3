import type { RunFacts, ToolSource } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { defineTool } from "@factotum/tools";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { sessionOrigin } from "../routing/session-origin.ts";

const CODER = "agent:coder:main";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let seen: RunFacts[];
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  seen = [];
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Records the runs that call it. */
const source: ToolSource = {
  id: "mcp:probe",
  problem: undefined,
  prepare: async () => undefined,
  tools: [
    defineTool({
      name: "probe",
      summary: "",
      description: "Looks.",
      schema: z.strictObject({}),
      traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
      execute: async (_args, { run }) => {
        seen.push(run);
        return { content: [{ type: "text", text: "looked" }] };
      },
    }),
  ],
};

type Sandbox = FactotumConfig["agents"][number]["sandbox"];

/** Two agents with sandboxes of their own. The owner asks `main`, which asks the coder, and each looks where it works. */
async function start({
  main,
  coder,
  allowFrom = {},
}: {
  readonly main: Partial<Sandbox>;
  readonly coder: Partial<Sandbox>;
  readonly allowFrom?: Readonly<Record<string, readonly string[]>>;
}): Promise<void> {
  running = await startTestGateway({
    platform,
    sessionTools: true,
    toolSources: [source],
    accountConfig: { allowFrom: ["owner-1"] },
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      const sandboxed = (agent: FactotumConfig["agents"][number], own: Partial<Sandbox>): FactotumConfig["agents"][number] => ({
        ...agent,
        sandbox: { ...agent.sandbox, mode: "all", sessionToolsVisibility: "all", ...own },
      });
      return {
        ...base,
        agents: base.agents.flatMap((agent) => [
          sandboxed(agent, main),
          sandboxed({ ...agent, id: "coder", isDefault: false, systemPrompt: "You are the coder." }, coder),
        ]),
        tools: {
          ...base.tools,
          agentToAgent: { enabled: true, allow: [{ from: "*", to: "*" }] },
          elevated: { ...base.tools.elevated, enabled: true, allowFrom },
        },
        session: { ...base.session, agentToAgent: { maxPingPongTurns: 0 } },
      };
    },
  });
  server.respond(({ body }) => {
    const isCoder = JSON.stringify(body?.["system"]).includes("You are the coder.");
    const newest = JSON.stringify(((body?.["messages"] ?? []) as readonly unknown[]).at(-1));
    if (newest.includes("looked") && !isCoder) return toolReply({ name: "sessions_send", input: { sessionKey: CODER, message: "Look." } });
    if (newest.includes("tool_result") || newest.includes("Hello")) return textReply("Done.");
    return toolReply({ name: "probe", input: {} });
  });
  await submit("Hello", CODER);
}

async function submit(text: string, sessionKey: string): Promise<void> {
  const { engine } = running.gateway;
  await engine.submit(platform.message(text, { origin: sessionOrigin(sessionKey) }), { owner: true, kind: "user", sessionKey });
  await engine.idle();
}

/** Where the coder worked when it was asked. */
async function placeOfCoder(): Promise<RunFacts["sandbox"]> {
  await platform.say(platform.message("Ask the coder."));
  await running.gateway.engine.idle();
  await expect.poll(async () => running.store.listExchanges()).toEqual([]);
  return seen.find(({ agentId }) => agentId === "coder")?.sandbox;
}

test("a sandboxed turn has nothing run on the host by a session that runs its commands there", async () => {
  await start({ main: {}, coder: {} });
  await submit("/elevated on", CODER);
  expect(await placeOfCoder()).not.toHaveProperty("elevated");
  expect(seen.map(({ agentId }) => agentId)).toEqual(["main", "coder"]);
});

test("what it asks for reaches only the hosts that it may reach itself", async () => {
  const network = (...allow: readonly string[]): Partial<Sandbox> => ({ network: { allow } }) as Partial<Sandbox>;
  await start({ main: network("a.example", "b.example"), coder: network("b.example", "c.example") });
  expect(await placeOfCoder()).toMatchObject({ network: ["b.example"] });
});

test("who is asked for it on the host is the person who asked, by the address of that person", async () => {
  await start({ main: { mode: "off" }, coder: {}, allowFrom: { test: ["owner-1"] } });
  await running.gateway.engine.submit(platform.message("/elevated on"), { owner: true, kind: "user", sessionKey: CODER });
  await running.gateway.engine.idle();
  expect(await placeOfCoder()).toMatchObject({ elevated: true });
});
