import type { SourceCommand } from "@factotum/agent-contract";
import { PLUGIN_LIMITS } from "@factotum/plugin";
import type { HostedPlugin } from "./hosted-plugin.ts";
import type { DeclaredCommand } from "./installed-plugin.ts";
import { PluginError } from "./plugin-error.ts";

/** Characters of an answer in a chat. */
const MAX_ANSWER_CHARS = 20_000;

/** Makes the slash command of one that a manifest declares. Nothing is started before it is typed. */
export function createPluginCommand(
  { name, description, argumentHint }: DeclaredCommand,
  hosted: HostedPlugin,
  hideSecrets: (text: string) => string,
): SourceCommand {
  return {
    name,
    summary: argumentHint === undefined ? description : `/${name} ${argumentHint}: ${description}`,
    untrusted: !hosted.plugin.trusted,
    run: async (words, { agentId, sessionKey, signal }) => {
      const request = { type: "command", name, words, facts: { agentId, sessionKey } } as const;
      try {
        const answer = await hosted.call(request, { timeoutMs: PLUGIN_LIMITS.commandMs, signal, isOwnFailure: true });
        if (typeof answer !== "string" || answer.trim() === "") throw new PluginError("failed", "it gave back no text");
        return hideSecrets(answer).slice(0, MAX_ANSWER_CHARS).toWellFormed();
      } catch (error) {
        signal.throwIfAborted();
        if (!PluginError.isInstance(error)) throw error;
        return `The plugin ${hosted.plugin.id} did not answer: ${hideSecrets(error.message)}.`;
      }
    },
  };
}
