import type { ModelClient } from "@factotum/agent-contract";
import { unwrapDeferredCalls } from "@factotum/agent-core";
import { isCarrier } from "../agents/deferred/carriers.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";

/** The client of a turn: what its model calls through `tool_call` are calls of the real tools, also of those that the request holds. */
export function deferredClient(client: ModelClient, { tools, deferred }: PreparedTurn["request"]): ModelClient {
  if (deferred.length === 0) return client;
  const names = new Set([...tools, ...deferred].map(({ name }) => name).filter((name) => !isCarrier(name)));
  return unwrapDeferredCalls(client, (name) => names.has(name));
}
