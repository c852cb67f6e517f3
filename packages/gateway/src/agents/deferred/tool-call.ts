import type { AgentTool, AgentToolResult, ToolCall } from "@factotum/agent-contract";
import { parseDeferredArguments, TOOL_CALL } from "@factotum/agent-core";
import { nearestName } from "@factotum/agent-contract";
import { isCarrier, TOOL_SEARCH } from "./carriers.ts";

/**
 * Creates `tool_call`. Valid calls never reach it: they become calls of the named tool when the model's answer ends (`unwrapDeferredCalls`). It answers the
 * others, with what to do.
 */
export function createToolCall(tools: { readonly offered: readonly AgentTool[]; readonly deferred: readonly AgentTool[] }): AgentTool {
  return {
    name: TOOL_CALL,
    summary: "Run a tool that tool_search found.",
    description: "Run a tool that tool_search found.",
    parameters: {
      type: "object",
      properties: { name: { type: "string" }, arguments: { type: "object" } },
      required: ["name", "arguments"],
    },
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true, holdsNoPlace: true },
    execute: async (call) => failure(describeFault(call, [...tools.offered, ...tools.deferred])),
  };
}

function describeFault({ arguments: given }: ToolCall, tools: readonly AgentTool[]): string {
  const { name, arguments: inner, ...others } = given;
  if (typeof name !== "string" || name === "")
    return `${TOOL_CALL} needs the name of a tool and its arguments. Find both with ${TOOL_SEARCH}.`;
  if (isCarrier(name)) return `${name} cannot be run through ${TOOL_CALL}: call it directly.`;
  if (!tools.some((tool) => tool.name === name)) {
    const known = tools.map((tool) => tool.name).filter((one) => !isCarrier(one));
    const nearest = nearestName(name, known);
    const guess = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
    return `There is no tool called ${JSON.stringify(name)}.${guess} Find tools and their parameters with ${TOOL_SEARCH}.`;
  }
  const stray = Object.keys(others);
  if (stray.length > 0) return `${TOOL_CALL} takes name and arguments alone: put ${stray.join(", ")} into arguments.`;
  if (parseDeferredArguments(inner) === undefined) return `arguments must be an object with the parameters of ${name}.`;
  return `${name} was not run. Call it again.`;
}

function failure(text: string): AgentToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
