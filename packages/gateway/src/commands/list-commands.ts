import { withoutUndefined } from "@factotum/agent-contract";
import type { CommandSummary } from "@factotum/protocol";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { COMMANDS } from "./command-table.ts";
import type { PromptCommands } from "./prompt-commands.ts";
import { RESET_WORDS, RESETS } from "./reset.ts";

/** How long skills and own commands are looked up. */
const LOOKUP_MS = 5000;

/** The dependencies of the list. */
export interface ListCommandsParts {
  readonly running: RunningConfig;
  readonly promptCommands: PromptCommands;
}

/** The slash commands of the owner in a direct chat with an agent: the built-in ones, then those of files, skills, plugins and servers. */
export async function listCommands(
  agent: AgentRuntime,
  { running, promptCommands }: ListCommandsParts,
): Promise<readonly CommandSummary[]> {
  const signal = AbortSignal.timeout(LOOKUP_MS);
  const own = await promptCommands.list({ agent, group: undefined, owner: true, isShared: false, signal });
  const builtIn = COMMANDS.map(({ name, summary, access, hint, words = [] }): CommandSummary => ({
    name: name.slice(1),
    aliases: [],
    type: "built-in",
    summary,
    access,
    words,
    ...withoutUndefined({ hint }),
  }));
  return [
    ...resetCommand(running.config.session.resetTriggers),
    ...builtIn,
    ...own.map((command): CommandSummary => ({ ...command, aliases: [], words: [] })),
  ];
}

/** The configured triggers with a slash are one command under several names. */
function resetCommand(triggers: readonly string[]): readonly CommandSummary[] {
  const [name, ...aliases] = triggers.filter((trigger) => trigger.startsWith("/")).map((trigger) => trigger.slice(1));
  if (name === undefined) return [];
  const { hint, words = [] } = RESET_WORDS;
  const summary = RESETS.find((reset) => reset.name === `/${name}`)?.summary ?? RESETS[0]?.summary ?? "";
  return [{ name, aliases, type: "built-in", summary, access: "anyone", words, ...withoutUndefined({ hint }) }];
}
