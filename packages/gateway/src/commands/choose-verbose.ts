import type { TurnServices } from "../turn/turn-services.ts";
import { changeOverrides, readTarget } from "./command-target.ts";
import type { CommandTarget } from "./command-target.ts";
import { VERBOSE_CHOICES } from "../queue/inline-directives.ts";
import type { VerboseChoice } from "../queue/inline-directives.ts";

/** What `/verbose` answers, after it has done what it was asked for. */
export async function verboseCommand(target: CommandTarget, wish: string | undefined, services: TurnServices): Promise<string> {
  const choices = `${VERBOSE_CHOICES.join(", ")} or default`;
  const choice = VERBOSE_CHOICES.find((known) => known === wish?.toLowerCase());
  if (choice === undefined && wish !== undefined && wish.toLowerCase() !== "default")
    return `"${wish}" is not understood. /verbose takes ${choices}.`;
  if (wish !== undefined) await changeOverrides(target, { verbose: choice ?? null }, services);
  const { record, agent } = await readTarget(target, services);
  const line = TOLD[record?.overrides.verbose ?? agent.config.verbose];
  return wish === undefined ? `${line} /verbose takes ${choices}.` : `From the next message on: ${line}`;
}

const TOLD: Readonly<Record<VerboseChoice, string>> = {
  off: "nothing is told of tools.",
  on: "each tool is told of as it begins.",
  full: "each tool is told of as it begins, and what it brought.",
};
