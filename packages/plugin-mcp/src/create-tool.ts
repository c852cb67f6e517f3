import type { AgentTool, AgentToolResult, ToolCall, ToolOptions, ToolTraits } from "@factotum/agent-contract";
import type { ListedTool } from "./parse-tools.ts";

const MAX_SUMMARY_CHARS = 160;

/** What a tool belongs to. */
export interface ToolOwner {
  /** Its key in the configuration. */
  readonly server: string;
  readonly trusted: boolean;
  readonly call: (tool: ListedTool, call: ToolCall, options: ToolOptions) => Promise<AgentToolResult>;
}

/** Makes the tool that models get. Names and schemas of an untrusted server are passed on, its description only with the schema, outside of the prompt. */
export function createMcpTool(tool: ListedTool, modelName: string, { server, trusted, call }: ToolOwner): AgentTool {
  return {
    name: modelName,
    summary: trusted ? summaryOf(tool) : "",
    description: tool.description || `Tool ${tool.name} of the MCP server ${server}.`,
    parameters: tool.inputSchema,
    traits: trusted ? trustedTraits(tool) : UNTRUSTED,
    execute: async (called, options) => {
      if (!options.run.owner) return forbidden();
      return call(tool, called, options);
    },
  };
}

/** Everything that it might do, whatever it says of itself: a change elsewhere, and text of others (R23). */
const UNTRUSTED: ToolTraits = { effect: "write", idempotent: false, output: "untrusted", network: true, parallel: false };

/** The owner trusts the server, so its hints count; without one, the tool changes things elsewhere. */
function trustedTraits({ hints: { readOnly, idempotent, openWorld } }: ListedTool): ToolTraits {
  if (readOnly) return { effect: "read", idempotent: true, output: "trusted", network: openWorld, parallel: true };
  return { effect: "write", idempotent, output: "trusted", network: true, parallel: false };
}

function summaryOf({ title, description }: ListedTool): string {
  const [first = ""] = description.split(/\n|(?<=[.!?])\s/);
  return (title ?? first).slice(0, MAX_SUMMARY_CHARS).toWellFormed();
}

/** The programs act with the rights of the gateway's user, and in the name of the owner. */
function forbidden(): AgentToolResult {
  return {
    content: [
      {
        type: "text",
        text: "Tools of MCP servers act for the owner alone, and this message is not the owner's. Do without it, or ask the owner.",
      },
    ],
    isError: true,
    untrusted: false,
  };
}
