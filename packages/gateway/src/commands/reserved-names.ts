import { COMMANDS } from "./command-table.ts";
import { RESETS } from "./reset.ts";

/** The names of the built-in slash commands, without the slash: a skill or a command of the user's own cannot have them. */
export const RESERVED_COMMANDS: readonly string[] = [...RESETS, ...COMMANDS].map(({ name }) => name.slice(1));
