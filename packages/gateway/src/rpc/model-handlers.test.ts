import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import type { SpendCharge } from "@factotum/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, withMethods, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";
import type { SetupControl } from "./setup-handlers.ts";

const MODEL = "anthropic/claude-sonnet-5-5";
const works: SetupControl["check"] = async () => ({ type: "works", message: "the list has it", models: [] });

let server: AnthropicServer;
let running: TestGateway;
let client: TestClient;
let charges: SpendCharge[];

async function start(setupControl: Partial<SetupControl>): Promise<void> {
  charges = [];
  const around = withMethods((store) => ({
    addSpend: async (charge, options) => {
      charges.push(charge);
      return store.addSpend(charge, options);
    },
  }));
  running = await startTestGateway({ patch: withModel(server.baseUrl), setupControl, around });
  client = await TestClient.connect(running.gateway.url, running.token);
}

beforeEach(async () => {
  server = await startAnthropicServer();
});
afterEach(async () => {
  client[Symbol.dispose]();
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

test("a model is asked once, charged, and leaves nothing in a conversation", async () => {
  await start({ check: works });
  server.script([textReply("Yes.")]);
  const result = await client.call("models.test", {});
  expect(result).toMatchObject({ model: MODEL, type: "works", message: `${MODEL} has answered.` });
  expect(result.durationMs).toBeGreaterThanOrEqual(result.firstTokenMs ?? Number.POSITIVE_INFINITY);
  expect(result.usage?.costUsd).toBeGreaterThan(0);
  expect(await client.call("sessions.list", {})).toEqual({ sessions: [] });
  expect(charges).toMatchObject([{ cause: "user", calls: 1, agentId: "main" }]);
});

test("what the free calls find ends the test before the model is asked", async () => {
  await start({ check: async () => ({ type: "unknown-model", message: "there is no such model", models: [] }) });
  expect(await client.call("models.test", { model: MODEL })).toEqual({
    model: MODEL,
    type: "unknown-model",
    message: "there is no such model",
  });
  expect(server.requests).toEqual([]);
});

test("the reason of a failed call is given in words, without the key", async () => {
  await start({ check: works });
  server.script([{ type: "error", errorType: "authentication_error", message: "sk-test-secret is wrong" }]);
  const refused = await client.call("models.test", {});
  expect(refused.type).toBe("refused-key");
  expect(refused.message).not.toContain("sk-test-secret");
  const missing = await client.call("models.test", { model: "openai/gpt-5.1" });
  expect(missing).toMatchObject({ type: "missing-key", message: expect.stringContaining("factotum auth set openai") as string });
  await expect(client.call("models.test", { model: "acp/coder" })).rejects.toThrow("invalid-request: An external agent");
});
