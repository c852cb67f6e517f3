import type { AgentEvent } from "@factotum/agent-contract";
import { describeError } from "./settle.ts";

/** Calls a hook of the host. An error becomes a `hook-error` event, and the run continues with `fallback`. */
export async function* guard<T>(hook: string, work: () => Promise<T>, fallback: T): AsyncGenerator<AgentEvent, T, undefined> {
  try {
    return await work();
  } catch (error) {
    yield { type: "hook-error", hook, message: describeError(error) };
    return fallback;
  }
}
