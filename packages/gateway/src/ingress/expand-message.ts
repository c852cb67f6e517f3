import type { Logger } from "@factotum/agent-contract";
import type { InputRecord } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { commandText } from "../commands/command-text.ts";
import { parseCommand } from "../commands/parse-command.ts";
import type { PromptCommandMessage, PromptCommands } from "../commands/prompt-commands.ts";
import type { InputPolicy } from "../conversation/input-policy.ts";
import { groupOf } from "../conversation/session-context.ts";
import { mayElevate } from "../conversation/elevation.ts";
import { parseInlineDirectives } from "../queue/inline-directives.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** How long skills and commands are looked up before a message is taken as it is. */
const EXPANSION_MS = 5000;

/** The dependencies of expanding messages. */
interface ExpandMessageOptions {
  readonly promptCommands: PromptCommands;
  readonly policy: InputPolicy;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly logger: Logger;
}

/**
 * What a person's message says to the model if it is a skill's command, a prompt's, or one of the user's own, or how it is answered if it is a command of a source
 * or cannot be used so; `undefined` for any other. The instructions are read here, before the message is committed, because its admission is synchronous. Never
 * rejects.
 */
export async function expandMessage(
  said: Pick<InputRecord, "message" | "admission">,
  { promptCommands, policy, running, channels, logger }: ExpandMessageOptions,
): Promise<PromptCommandMessage | undefined> {
  const { message, admission } = said;
  if (message.event.type !== "message" || message.sender.isBot || !RUN_POLICY[admission.kind].isFromPerson) return undefined;
  const written = commandText(message).trim();
  if (!written.startsWith("/")) return undefined;
  const { text } = parseInlineDirectives(written, { mayElevate: mayElevate([said], running.config) });
  if (parseCommand(text, running.config.session.resetTriggers) !== undefined) return undefined;
  try {
    const expanded = await promptCommands.expand(text, {
      agent: running.agent(policy.routeOf(said).agentId),
      group: groupOf(message.origin, channels),
      owner: admission.owner,
      isShared: message.origin.conversation.kind !== "direct",
      signal: AbortSignal.timeout(EXPANSION_MS),
    });
    // In a group it may be meant for another bot.
    const isAddressed = message.origin.conversation.kind === "direct" || message.mentionsBot || message.command !== undefined;
    return (expanded?.type === "answer" || expanded?.type === "command") && !isAddressed ? undefined : expanded;
  } catch (error) {
    // The message is taken nevertheless, as it was written.
    logger.warn("A slash command could not be looked up among the skills and commands", { error });
    return undefined;
  }
}
