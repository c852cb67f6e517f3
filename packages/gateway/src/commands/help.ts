import { changesNothing, defineCommand, parseNothing } from "./define-command.ts";
import type { Command } from "./define-command.ts";
import { RESETS } from "./reset.ts";

/** Lists the commands that the sender may use. */
export const helpCommand: Command = defineCommand({
  name: "/help",
  summary: "show this list",
  access: "anyone",
  parse: parseNothing,
  changes: changesNothing,
  run: async (_, { session: { target }, commands }) => {
    const given = [...RESETS, ...commands.filter(({ access }) => access === "anyone" || target.input.admission.owner)];
    return [{ type: "rows", rows: given.map(({ name, summary }) => ({ name, text: summary })) }];
  },
});
