import { nearestName } from "@factotum/agent-contract";
import type { InputRecord } from "@factotum/store";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { COMMANDS } from "./command-table.ts";
import { commandText } from "./command-text.ts";
import type { ParsedCommand } from "./define-command.ts";
import { parseCommand } from "./parse-command.ts";
import { RESETS } from "./reset.ts";

/** A slash and one word at the beginning of a message. A second slash or a dot makes it a path. */
const NAME = /^\/([a-z][\w-]{0,31})(?!\S)/i;

/** Folders at the root of Linux and macOS: `/tmp` is a place, not a command. */
const ROOT_FOLDERS: ReadonlySet<string> = new Set(
  (
    "applications bin boot data dev etc home lib lib32 lib64 library media mnt nix opt private proc root run sbin snap srv sys system tmp users usr " +
    "var volumes"
  ).split(" "),
);

/**
 * Parses a person's message as a command that does not exist: it begins with a slash and one word that is not a command, a reset or a folder at the root of the
 * file system. The gateway answers it, so that a typing mistake costs nothing. In a group only a message that addresses the assistant matches: others may be
 * meant for another bot. A command's name followed by text that it does not accept is an ordinary message, and so are words that need not be a command. A native command has the platform's name and is
 * never taken for a folder; of a pressed button the value counts. Both address the assistant.
 */
export function parseUnknownCommand(
  { message, admission }: Pick<InputRecord, "message" | "admission">,
  resetTriggers: readonly string[],
): ParsedCommand | undefined {
  if (!RUN_POLICY[admission.kind].isFromPerson) return undefined;
  const isPressed = message.event.type === "action";
  if (!isPressed && message.command?.mayBeText === true) return undefined;
  const native = isPressed ? undefined : message.command?.name;
  const word = native ?? typedWord(commandText(message));
  if (word === undefined) return undefined;
  const isAddressed = message.mentionsBot || isPressed || native !== undefined;
  if (message.origin.conversation.kind !== "direct" && !isAddressed) return undefined;
  const name = `/${word}`;
  const known = [...resetTriggers, ...RESETS.map((reset) => reset.name), ...COMMANDS.map((command) => command.name)];
  if (known.some((other) => other.toLowerCase() === name.toLowerCase())) return undefined;
  const usable = COMMANDS.filter(({ access }) => access === "anyone" || admission.owner).map((command) => command.name);
  // Of two that are equally near, a reset is typed far more often.
  const nearest = nearestName(name, [...resetTriggers.filter((trigger) => trigger.startsWith("/")), ...usable]);
  return {
    type: "command",
    name,
    access: "anyone",
    options: {},
    changesConversation: false,
    isGivenOnce: true,
    run: async () => unknownText(name, nearest),
  };
}

/** The command that only answers: a skill or a prompt cannot be used as it was typed. */
export function answeringCommand(name: string, answer: string): ParsedCommand {
  return { type: "command", name, access: "anyone", options: {}, changesConversation: false, isGivenOnce: true, run: async () => answer };
}

/** True if a press of a button with this value runs a command, or is answered as one that does not exist. */
export function isButtonCommand(value: string, resetTriggers: readonly string[]): boolean {
  return parseCommand(value, resetTriggers) !== undefined || typedWord(value) !== undefined;
}

/** The word after the slash; `undefined` if the text is no command. */
function typedWord(text: string): string | undefined {
  const [, word] = NAME.exec(text.trim()) ?? [];
  return word === undefined || ROOT_FOLDERS.has(word.toLowerCase()) ? undefined : word;
}

function unknownText(name: string, nearest: string | undefined): string {
  const guess = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return `There is no command ${name}.${guess} /help lists them all. To send this as a message, write a word before it.`;
}
