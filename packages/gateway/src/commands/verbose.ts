import type { TargetSession } from "./command-target.ts";
import { VERBOSE_CHOICES } from "../queue/inline-directives.ts";
import type { VerboseChoice } from "../queue/inline-directives.ts";
import { defineCommand, hasWish, parseWish } from "./define-command.ts";
import type { Command, Wish } from "./define-command.ts";

/** Shows or sets whether the chat gets reports of tools. */
export const verboseCommand: Command = defineCommand<Wish>({
  name: "/verbose",
  summary: "on shows each tool as it begins, full its result too, off neither",
  hint: "[on | full | off | default]",
  words: ["on", "full", "off", "default"],
  access: "anyone",
  parse: parseWish,
  changes: hasWish,
  run: ({ wish }, { session }) => chooseVerbose(session, wish),
});

/** The answer of `/verbose`, after it has applied the setting. */
async function chooseVerbose(session: TargetSession, wish: string | undefined): Promise<string> {
  const choices = `${VERBOSE_CHOICES.join(", ")} or default`;
  const choice = VERBOSE_CHOICES.find((known) => known === wish?.toLowerCase());
  if (choice === undefined && wish !== undefined && wish.toLowerCase() !== "default")
    return `"${wish}" is not understood. /verbose takes ${choices}.`;
  if (wish !== undefined) await session.choose({ verbose: choice ?? null });
  const { record, agent } = await session.read();
  const line = DISPLAYS[record?.overrides.verbose ?? agent.config.verbose];
  return wish === undefined ? `${line} /verbose takes ${choices}.` : `From the next message on: ${line}`;
}

const DISPLAYS: Readonly<Record<VerboseChoice, string>> = {
  off: "tool calls are not shown.",
  on: "each tool call is shown when it begins.",
  full: "each tool call is shown when it begins, and its result when it ends.",
};
