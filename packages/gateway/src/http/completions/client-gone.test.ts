import type { SkillIndex } from "@factotum/agent-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, withMethods, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";
import { handleCompletion } from "./handle-completion.ts";

let server: AnthropicServer;
let running: TestGateway;
beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Too late."));
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Asks, until the client leaves. */
async function ask(gone: AbortController, stream: boolean): Promise<void> {
  const body = { model: "factotum", stream, messages: [{ role: "user", content: "hello" }] };
  const response = await handleCompletion({ session: undefined, showsReasoning: false, signal: gone.signal }, body, running.gateway.engine);
  await response.text();
  await running.gateway.engine.idle();
}

async function expectNothingAsked(): Promise<void> {
  expect(server.requests).toHaveLength(0);
  const { items } = await running.store.listInputs({ state: "interrupted", limit: 2 });
  expect(items).toMatchObject([{ message: { text: "hello" }, state: { reason: "the client closed the connection" } }]);
}

test.each([true, false])("a turn ends while it is prepared when its client leaves (stream: %s)", async (stream) => {
  const gone = new AbortController();
  const skills: SkillIndex = {
    list: async () => {
      gone.abort();
      return [];
    },
  };
  running = await startTestGateway({ patch: withModel(server.baseUrl), skills });
  await ask(gone, stream);
  await expectNothingAsked();
});

test.each([true, false])("a client that has left before its message was committed gets no turn (stream: %s)", async (stream) => {
  const gone = new AbortController();
  const around = withMethods((store) => ({
    acceptInputOptimistic: async (...parameters) => {
      gone.abort();
      return store.acceptInputOptimistic(...parameters);
    },
  }));
  running = await startTestGateway({ patch: withModel(server.baseUrl), around });
  await ask(gone, stream);
  await expectNothingAsked();
});
