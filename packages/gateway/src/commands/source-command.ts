import type { SourceCommand } from "@factotum/agent-contract";
import type { ParsedCommand } from "./define-command.ts";
import { answeringCommand } from "./unknown-command.ts";

/** A command of a source, as it was typed. */
interface TypedSourceCommand {
  readonly command: SourceCommand;
  readonly words: string;
}

/** The command that has a source answer. One that the last process had already taken may have been done, so that it is not given to the source a second time. */
export function sourceCommand({ command, words }: TypedSourceCommand, { isRecovered }: { readonly isRecovered: boolean }): ParsedCommand {
  const name = `/${command.name}`;
  if (isRecovered)
    return answeringCommand(name, `The gateway was restarted before ${name} was answered. It may have been done; if not, send it again.`);
  return {
    type: "command",
    name,
    access: "owner",
    options: { words },
    changesConversation: false,
    isGivenOnce: true,
    isAnswerForeign: command.untrusted,
    run: async ({ session: { target }, signal }) => command.run(words, { agentId: target.agentId, sessionKey: target.sessionKey, signal }),
  };
}
