import { setTimeout as delay } from "node:timers/promises";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicReply, AnthropicServer } from "@factotum/testing-providers";
import { ANSWER, TOOL_FILE } from "../sides/wire.ts";

/** Calls that a busy sub-agent makes before it answers. */
const WORK_CALLS = 20;

/** The message that hands tasks out. */
export function handOut(count: number, kind: "busy" | "quick"): string {
  return `Hand out ${count} ${kind} tasks.`;
}

/** A provider whose conversations hand tasks out, and whose sub-agents work: a busy one calls a tool again and again, a quick one answers. */
export async function startBusyProvider({ answerMs }: { readonly answerMs: number }): Promise<AnthropicServer> {
  const server = await startAnthropicServer();
  server.respond(async ({ body }) => {
    await delay(answerMs);
    return answer(JSON.stringify(body?.["system"]), JSON.stringify(body?.["messages"]));
  });
  return server;
}

function answer(system: string, messages: string): AnthropicReply {
  const results = messages.split('"type":"tool_result"').length - 1;
  if (system.includes("### Subagent Context"))
    return messages.includes("busy-task") && results < WORK_CALLS
      ? // Another call each time: a repeated one would end the run.
        toolReply({ name: "read", input: { path: TOOL_FILE, limit: results + 1 } })
      : textReply("Done.");
  const newest = messages.slice(messages.lastIndexOf('{"role":"user"'));
  const [, count, kind = ""] = /Hand out (\d+) (\w+) tasks/.exec(newest) ?? [];
  if (count === undefined) return textReply(ANSWER);
  const tasks = Array.from({ length: Number(count) }, (_, index) => `${kind}-task ${index}`);
  return toolReply(...tasks.map((task) => ({ name: "sessions_spawn", input: { task, cleanup: "delete" } })));
}
