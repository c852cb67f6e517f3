import { COMMANDS } from "./command-table.ts";
import type { ParsedCommand } from "./define-command.ts";
import { parseReset } from "../conversation/parse-reset.ts";
import type { ResetCommand } from "../conversation/parse-reset.ts";

/** A parsed command of a person. */
export type TypedCommand = ResetCommand | ParsedCommand;

/** Parses a message as a command; `undefined` for an ordinary message. A command is the whole message. */
export function parseCommand(text: string, resetTriggers: readonly string[]): TypedCommand | undefined {
  const said = text.trim();
  const reset = parseReset(said, resetTriggers);
  if (reset !== undefined) return reset;
  const [name = ""] = /^\/\S+/.exec(said) ?? [];
  return COMMANDS.find((command) => command.name === name.toLowerCase())?.read(said.slice(name.length));
}
