import { changesNothing, defineCommand, parseNothing } from "./define-command.ts";
import type { Command } from "./define-command.ts";

/** `/skill` alone. With a name it is a message to the model: see `PromptCommands`. */
export const skillCommand: Command = defineCommand({
  name: "/skill",
  summary: "/skill <name> <request> does the request with that skill",
  hint: "NAME [WORDS]",
  access: "anyone",
  parse: parseNothing,
  changes: changesNothing,
  run: async () => "/skill takes the name of a skill, and words that say what to do with it.",
});
