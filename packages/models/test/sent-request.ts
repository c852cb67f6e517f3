import type { AgentMessage, ModelInfo, ModelRequest } from "@factotum/agent-contract";
import { createModelClient } from "../src/index.ts";
import { collect, infoOf, random } from "./client.ts";
import { realClock } from "./fake-clock.ts";
import { assistant, conversationRequest, text, user } from "./history.ts";
import type { Wire } from "./wires/wire.ts";

/** A request as it was sent. */
export interface Sent {
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly headers: Headers;
}

/** What a request looks like on the wire. */
export async function send(
  wire: Wire,
  request: ModelRequest,
  info: Partial<ModelInfo> = {},
  credential: { readonly apiKey?: string } = { apiKey: "sk-test-key" },
): Promise<Sent> {
  let sent: Sent | undefined;
  const capture: typeof fetch = (_input, init) => {
    const body = typeof init?.body === "string" ? init.body : "";
    sent = { body: JSON.parse(body) as Record<string, unknown>, text: body, headers: new Headers(init?.headers) };
    return Promise.resolve(new Response("{}", { status: 400 }));
  };
  const client = createModelClient({
    info: infoOf(wire, info),
    baseUrl: "http://127.0.0.1:9",
    fetch: capture,
    clock: realClock,
    random,
    ...credential,
  });
  await collect(client, request);
  if (sent === undefined) throw new Error("nothing was sent");
  return sent;
}

/** The same for a conversation. */
export function sendMessages(wire: Wire, messages: readonly AgentMessage[], info: Partial<ModelInfo> = {}): Promise<Sent> {
  return send(wire, conversationRequest(messages), info);
}

/** A conversation whose last call has no result yet. */
export const CALLED: readonly [AgentMessage, AgentMessage] = [
  user(text("look")),
  assistant([{ type: "toolCall", id: "call_1", name: "ls", arguments: { path: "." } }]),
];
