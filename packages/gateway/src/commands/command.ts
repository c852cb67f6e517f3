import { isQueueWish } from "./choose-queue.ts";

/** A command that a person typed, parsed. */
export type Command =
  /** End the run and drop what waits. */
  | { readonly type: "stop" }
  /** Begin the conversation anew, with another model if one is named. */
  | { readonly type: "reset"; readonly model?: string }
  | { readonly type: "status" }
  /** What the model was given last: sizes and costs, with `detail` the largest sections too. */
  | { readonly type: "context"; readonly detail: boolean }
  /** Summarise the older part of the conversation now. */
  | { readonly type: "compact"; readonly instructions?: string }
  /** Show or choose the model of the conversation. */
  | { readonly type: "model"; readonly wish?: string }
  /** Show or choose how much the model thinks. */
  | { readonly type: "think"; readonly wish?: string }
  /** Show or choose whether the model's thoughts are seen. */
  | { readonly type: "reasoning"; readonly wish?: string }
  /** Show or choose what happens to messages that come while the assistant works. */
  | { readonly type: "queue"; readonly words: readonly string[] }
  /** Show or choose whether the chat is told of tools. */
  | { readonly type: "verbose"; readonly wish?: string }
  /** Show or choose whether replies are sent here. */
  | { readonly type: "send"; readonly wish?: string }
  /** Show or choose which messages of a group are answered. */
  | { readonly type: "activation"; readonly wish?: string }
  /** Trust what others wrote in the conversation so far, until its reset, or no more. */
  | { readonly type: "trust"; readonly wish?: string }
  /** `/skill` without a name: how it is used. */
  | { readonly type: "skill" }
  /** What the conversation has used. */
  | { readonly type: "usage" }
  /** Ids and standing of the sender. */
  | { readonly type: "whoami" }
  | { readonly type: "help" };

/** A command that is the owner's alone. */
export type OwnerCommand = Extract<Command, { readonly type: "send" | "trust" }>;

/** One line of the list of commands. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Nobody else gets an answer to it, or is told of it. */
  readonly ownerOnly?: true;
}

/** The commands of this build, for `/help` and native menus. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: "/new", summary: "start a new conversation; /new <model> starts it with that model, /new default with the configured one" },
  { name: "/reset", summary: "the same as /new" },
  { name: "/stop", summary: "stop what I am doing and forget what waits" },
  { name: "/compact", summary: "summarise older messages now; words behind it say what matters" },
  {
    name: "/model",
    summary: "show the model; /model list names those that are configured, /model <name> chooses one, /model default undoes that",
  },
  { name: "/think", summary: "show how much the model thinks; /think <level> chooses, /think default undoes that" },
  { name: "/reasoning", summary: "on shows the model's thoughts before a reply, stream each at once, off hides them" },
  {
    name: "/queue",
    summary:
      "show what happens to messages that come while I work; /queue steer, followup, collect or interrupt chooses, /queue default undoes that",
  },
  { name: "/verbose", summary: "on tells of each tool as it begins, full of its result too, off of none" },
  { name: "/activation", summary: "in a group: mention answers who mentions me, always answers everything, default undoes that" },
  {
    name: "/send",
    summary: "off keeps my replies in this conversation back, on sends them, inherit does as it is configured",
    ownerOnly: true,
  },
  {
    name: "/trust",
    summary:
      "after you have checked it: treat what others wrote here so far as yours; /trust session does so until the next reset, /trust off ends that",
    ownerOnly: true,
  },
  { name: "/skill", summary: "/skill <name> <words> does it with that skill" },
  { name: "/status", summary: "show model, credential, thinking and context, and what is kept back" },
  { name: "/usage", summary: "show what this conversation has used" },
  { name: "/whoami", summary: "show your ids and what you are here" },
  { name: "/context", summary: "show what the model was given last; /context detail names its largest sections" },
  { name: "/help", summary: "show this list" },
];

/**
 * Reads a message as a command; `undefined` when it is a message like any other. A command is the whole message; only `/compact` takes several
 * words, and `/queue` several options. Behind a trigger of a reset stands a model or nothing, and nothing behind one that is no word with a slash.
 */
export function parseCommand(text: string, resetTriggers: readonly string[]): Command | undefined {
  const word = text.trim().toLowerCase();
  const reset = parseReset(text.trim(), resetTriggers);
  if (reset !== undefined) return reset;
  const compact = /^\/compact(?:\s+(.*))?$/is.exec(text.trim());
  if (compact !== null) return { type: "compact", ...(compact[1] === undefined ? {} : { instructions: compact[1] }) };
  const choice = /^\/(model|think|reasoning|verbose|send|activation|trust)(?:[ \t]+(\S+))?$/i.exec(text.trim());
  if (choice !== null) {
    const type = choice[1]?.toLowerCase() as "model" | "think" | "reasoning" | "verbose" | "send" | "activation" | "trust";
    return { type, ...(choice[2] === undefined ? {} : { wish: choice[2] }) };
  }
  const queue = /^\/queue(?:[ \t]+(\S.*))?$/i.exec(text.trim());
  const words = (queue?.[1] ?? "").split(/[ \t]+/).filter((one) => one !== "");
  if (queue !== null && isQueueWish(words)) return { type: "queue", words };
  switch (word) {
    case "/stop":
      return { type: "stop" };
    case "/status":
      return { type: "status" };
    case "/context":
    case "/context list":
      return { type: "context", detail: false };
    case "/context detail":
      return { type: "context", detail: true };
    case "/skill":
      return { type: "skill" };
    case "/usage":
    case "/whoami":
    case "/help":
      return { type: SIMPLE[word] };
    default:
      return undefined;
  }
}

const SIMPLE = { "/usage": "usage", "/whoami": "whoami", "/help": "help" } as const;

/** True for a command that is the owner's alone. */
export function isOwnerOnly(command: Command): command is OwnerCommand {
  return COMMANDS.some(({ name, ownerOnly }) => ownerOnly === true && name === `/${command.type}`);
}

/** What `/skill NAME words` says to the model; any other message as it is. `/skill` alone is a command that does not know what is meant. */
export function expandSkill(text: string): string {
  const [, name = "", words = ""] = /^\/skill[ \t]+(\S+)(?:\s+(.*))?$/is.exec(text.trim()) ?? [];
  if (name === "") return text;
  const task = words.trim();
  return `Do this with the skill "${name}": read its SKILL.md before anything else. If you have no such skill, say so and name those that come close.${task === "" ? "" : `\n\n${task}`}`;
}

function parseReset(text: string, triggers: readonly string[]): Command | undefined {
  const isTrigger = (said: string): boolean => triggers.some((trigger) => trigger.toLowerCase() === said.toLowerCase());
  if (isTrigger(text)) return { type: "reset" };
  const [, trigger = "", model = ""] = /^(\/\S+)[ \t]+(\S+)$/.exec(text) ?? [];
  return isTrigger(trigger) ? { type: "reset", model } : undefined;
}
