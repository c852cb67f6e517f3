import type { SessionService } from "../sessions/session-service.ts";
import type { TurnServices } from "../services/turn-services.ts";
import type { CommandTarget } from "./command-target.ts";

/** What a command runs with. */
interface CommandCall {
  readonly target: CommandTarget;
  readonly sessions: SessionService;
  readonly services: TurnServices;
  /** All commands of this build, in the order of `/help`. */
  readonly commands: readonly Command[];
}

/** Who may give a command. Nobody but the owner is answered, or told of, one that is the owner's. */
type CommandAccess = "anyone" | "owner";

/** A command as its file describes it. `Options` is what is read from the words behind its name. */
export interface CommandDefinition<Options> {
  /** With its slash, in lower case. */
  readonly name: string;
  /** One line for `/help` and native menus. */
  readonly summary: string;
  readonly access: CommandAccess;
  /** Reads what stands behind the name, white space included; `undefined`: the message is no command. */
  readonly parse: (words: string) => Options | undefined;
  /** True when it changes the conversation: in one that is shared, that is the owner's. Never by default. */
  readonly changes?: (options: Options) => boolean;
  /** Does what was asked for and resolves with the answer. */
  readonly run: (options: Options, call: CommandCall) => Promise<string>;
}

/** One command of the table. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly access: CommandAccess;
  readonly read: (words: string) => ParsedCommand | undefined;
}

/** A command that a person typed, with its options. */
export interface ParsedCommand {
  readonly type: "command";
  readonly name: string;
  readonly access: CommandAccess;
  readonly options: unknown;
  readonly changesConversation: boolean;
  readonly run: (call: CommandCall) => Promise<string>;
}

/** Makes a row of the table. */
export function defineCommand<Options>({ name, summary, access, parse, changes, run }: CommandDefinition<Options>): Command {
  const read = (words: string): ParsedCommand | undefined => {
    const options = parse(words);
    if (options === undefined) return undefined;
    return {
      type: "command",
      name,
      access,
      options,
      changesConversation: changes?.(options) ?? false,
      run: (call) => run(options, call),
    };
  };
  return { name, summary, access, read };
}

/** What a command shows or chooses; without a wish it shows. */
export interface Wish {
  readonly wish?: string;
}

/** Reads one word or none. */
export function parseWish(words: string): Wish | undefined {
  const found = /^(?:[ \t]+(\S+))?$/.exec(words);
  return found === null ? undefined : found[1] === undefined ? {} : { wish: found[1] };
}

/** True for a wish: without one nothing is changed. */
export function hasWish({ wish }: Wish): boolean {
  return wish !== undefined;
}

/** Reads nothing: the name is the whole message. */
export function parseNothing(words: string): Readonly<Record<string, never>> | undefined {
  return words === "" ? {} : undefined;
}
