import { changesNothing, defineCommand, parseNothing } from "./define-command.ts";
import type { Command } from "./define-command.ts";

/** `/skill` alone. With a name it is a message to the model: see `expandSkill`. */
export const skillCommand: Command = defineCommand({
  name: "/skill",
  summary: "/skill <name> <request> does the request with that skill",
  access: "anyone",
  parse: parseNothing,
  changes: changesNothing,
  run: async () => "/skill takes the name of a skill, and words that say what to do with it.",
});

/** The model's text for `/skill NAME words`; any other message unchanged. */
export function expandSkill(text: string): string {
  const [, name = "", words = ""] = /^\/skill[ \t]+(\S+)(?:\s+(.*))?$/is.exec(text.trim()) ?? [];
  if (name === "") return text;
  const task = words.trim();
  return `Do this with the skill "${name}": read its SKILL.md before anything else. If you have no such skill, say so and name those that come close.${task === "" ? "" : `\n\n${task}`}`;
}
