import type { AgentTool, AgentToolResult, ToolTraits } from "@factotum/agent-contract";
import { PLUGIN_LIMITS } from "@factotum/plugin";
import type { HostedPlugin } from "./hosted-plugin.ts";
import type { DeclaredTool } from "./installed-plugin.ts";
import { PluginError } from "./plugin-error.ts";

const MAX_SUMMARY_CHARS = 160;

/** Everything that it might do, whatever its manifest says: a change elsewhere, and text of others (R23). */
const UNTRUSTED: ToolTraits = { effect: "write", idempotent: false, output: "untrusted", network: true, parallel: false };

/** The name that models call: that of the plugin, then that of the tool. */
function toolName(pluginId: string, tool: string): string {
  return `${pluginId}_${tool}`;
}

/** Makes the tool that models get of one that a manifest declares. Nothing is started before its first call. */
export function createPluginTool(declared: DeclaredTool, hosted: HostedPlugin, hideSecrets: (text: string) => string): AgentTool {
  const { id, trusted } = hosted.plugin;
  const { name, description, parameters } = declared;
  return {
    name: toolName(id, name),
    summary: trusted ? (description.split(/\n|(?<=[.!?])\s/)[0] ?? "").slice(0, MAX_SUMMARY_CHARS).toWellFormed() : "",
    description,
    parameters,
    traits: trusted ? trustedTraits(declared) : UNTRUSTED,
    execute: async (call, { run, signal, tainted }) => {
      if (!run.owner)
        return failure("Tools of plugins act for the owner alone, and this message is not the owner's. Do without it, or ask the owner.");
      const facts = { callId: call.id, agentId: run.agentId, sessionKey: run.sessionKey, tainted };
      try {
        const request = { type: "tool", name, arguments: call.arguments, facts } as const;
        return resultOf(await hosted.call(request, { timeoutMs: PLUGIN_LIMITS.toolMs, signal, isOwnFailure: false }));
      } catch (error) {
        if (!PluginError.isInstance(error)) throw error;
        const advice = error.code === "failed" ? "" : " Do not try again now; tell the user.";
        return { ...failure(`The plugin ${id} did not do it: ${hideSecrets(error.message)}.${advice}`), untrusted: !trusted };
      }
    },
  };
}

function trustedTraits({ effect }: DeclaredTool): ToolTraits {
  return effect === "read"
    ? { effect, idempotent: true, output: "trusted", network: false, parallel: true }
    : { effect, idempotent: false, output: "trusted", network: true, parallel: false };
}

function resultOf(value: unknown): AgentToolResult {
  if (typeof value === "string") return { content: [{ type: "text", text: value }] };
  const isResult = typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";
  if (!isResult) throw new PluginError("failed", "it gave back no text");
  const { text } = value as { readonly text: string };
  return { content: [{ type: "text", text }], ...("isError" in value && value.isError === true ? { isError: true } : {}) };
}

function failure(text: string): AgentToolResult {
  return { content: [{ type: "text", text }], isError: true, untrusted: false };
}
