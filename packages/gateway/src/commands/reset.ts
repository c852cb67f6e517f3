import type { Command } from "./define-command.ts";

/** The lines of `/help` for resets. */
export const RESETS: readonly { readonly name: string; readonly summary: string }[] = [
  { name: "/new", summary: "start a new conversation; /new <model> starts it with that model, /new default with the configured one" },
  { name: "/reset", summary: "the same as /new" },
];

/** What may follow their names. */
export const RESET_WORDS: Pick<Command, "hint" | "words"> = { hint: "[MODEL | default]", words: ["default"] };
