import { randomBytes, randomUUID } from "node:crypto";
import type { Clock, ModelClient, ModelEvent, ModelInfo, ModelRequest, Random } from "@factotum/agent-contract";
import { createModelClient, httpFetch, type ModelClientOptions } from "../src/index.ts";
import { realClock } from "./fake-clock.ts";
import type { Wire } from "./wires/wire.ts";

export const random: Random = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  uuid: () => randomUUID(),
  float: () => Math.random(),
};

/** Deterministic randomness: a counter. */
export function countingRandom(): Random {
  let next = 0;
  return { ...random, bytes: (count) => new Uint8Array(count).fill((next += 1)) };
}

export function infoOf(wire: Wire, overrides: Partial<ModelInfo> = {}): ModelInfo {
  return {
    api: wire.api,
    contextWindow: 200_000,
    maxOutput: 8_192,
    input: ["text"],
    tools: "native",
    reasoning: false,
    known: true,
    ...wire.info,
    ...overrides,
  };
}

export function clientFor(
  wire: Wire,
  baseUrl: string,
  options: Partial<Omit<ModelClientOptions, "info">> & { readonly info?: Partial<ModelInfo>; readonly clock?: Clock } = {},
): ModelClient {
  return createModelClient({
    apiKey: "sk-test-key",
    fetch: httpFetch,
    clock: realClock,
    random,
    ...options,
    baseUrl,
    info: infoOf(wire, options.info),
  });
}

export const LS_TOOL = {
  name: "ls",
  description: "Lists a folder.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export function requestOf(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: { stable: "You are Factotum.", session: "Runtime: test" },
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }], timestamp: 1 }],
    tools: [LS_TOOL],
    ...overrides,
  };
}

/** Runs one call to its end. */
export async function collect(client: ModelClient, request: ModelRequest = requestOf(), signal?: AbortSignal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of client.stream(request, { signal: signal ?? new AbortController().signal })) events.push(event);
  return events;
}

/** The last event, which must be a message. */
export function messageOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: "message-end" }>["message"] {
  const last = events.at(-1);
  if (last?.type !== "message-end")
    throw new Error(`no message: ${JSON.stringify(last?.type === "message-failed" ? last.error.message : last)}`);
  return last.message;
}

/** The last event, which must be a failure. */
export function failureOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: "message-failed" }> {
  const last = events.at(-1);
  if (last?.type !== "message-failed") throw new Error(`no failure but ${JSON.stringify(last)}`);
  return last;
}

/** Passes the body on one byte at a time. */
export const byteByByte: typeof fetch = async (input, init) => {
  const response = await httpFetch(input, init);
  if (response.body === null) return response;
  const split = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const byte of chunk) controller.enqueue(Uint8Array.of(byte));
    },
  });
  return new Response(response.body.pipeThrough(split), { status: response.status, headers: response.headers });
};
