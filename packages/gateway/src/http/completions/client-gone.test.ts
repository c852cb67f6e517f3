import type { Clock } from "@factotum/agent-contract";
import { createGate, startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, withMethods, withModel } from "../../../test/gateway-harness.ts";
import type { TestGateway } from "../../../test/gateway-harness.ts";
import { handleCompletion } from "./handle-completion.ts";
import { fakeSkills } from "../../../test/fake-skills.ts";

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

/** Sends a request until the client leaves. */
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

test.each([true, false])("a turn ends during its preparation if its client leaves (stream: %s)", async (stream) => {
  const gone = new AbortController();
  const skills = fakeSkills(() => {
    gone.abort();
    return [];
  });
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

test("a stream whose client has left sends no more keep-alives", async () => {
  const KEEP_ALIVE_MS = 15_000;
  const beats = new Set<() => void>();
  const clock: Clock = {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    schedule: (delayMs, callback) => {
      if (delayMs !== KEEP_ALIVE_MS) {
        const timer = setTimeout(callback, delayMs);
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      }
      beats.add(callback);
      return { [Symbol.dispose]: () => void beats.delete(callback) };
    },
  };
  const gate = createGate();
  server.respond(() => ({
    type: "message",
    content: [{ type: "text", text: "Too late." }],
    fault: { type: "stall", afterBytes: 1, until: gate },
  }));
  running = await startTestGateway({ patch: withModel(server.baseUrl), clock });
  const body = { model: "factotum", stream: true, messages: [{ role: "user", content: "hello" }] };
  const caller = { session: undefined, showsReasoning: false, signal: new AbortController().signal };
  const response = await handleCompletion(caller, body, running.gateway.engine);
  const reader = response.body?.getReader();
  await reader?.read();
  expect(beats.size).toBe(1);
  const cancelled = reader?.cancel();
  // The run has not ended yet.
  expect(() => {
    for (const beat of beats) beat();
  }).not.toThrow();
  expect(beats.size).toBe(0);
  gate.open();
  await cancelled;
  await running.gateway.engine.idle();
});
