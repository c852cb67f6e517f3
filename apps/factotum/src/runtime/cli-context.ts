import type { Environment, StatePaths } from "@factotum/config";
import type { KnownExtensions } from "./known-extension.ts";
import type { Prompts } from "./prompts.ts";

/** The process facilities of a command; tests replace them. */
export interface CliContext {
  readonly env: Environment;
  readonly paths: StatePaths;
  readonly version: string;
  /** How this command is started: Node with its flags, and the entry file. */
  readonly self: { readonly file: string; readonly args: readonly string[] };
  readonly platform: NodeJS.Platform;
  /** The extensions that can be installed by the id of their channel. */
  readonly knownExtensions: KnownExtensions;
  /** The root of the repository, if this command runs in its checkout: the channels of its folder can be installed, too. */
  readonly checkout?: string;
  /** The result, for a person or a program. */
  readonly print: (text: string) => void;
  /** Messages in addition to the result. */
  readonly note: (text: string) => void;
  /** Asks the person at the terminal; absent without one. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Asks questions beyond yes or no; absent without a terminal for input and output. */
  readonly prompts?: () => Promise<Prompts>;
  /** Reads all of standard input; for values that must not be on the command line. */
  readonly readInput?: () => Promise<string>;
  /** The result goes to a person's terminal rather than to a program. */
  readonly isTerminal?: boolean;
  /** True if the terminal shows colours. */
  readonly hasColour?: boolean;
  /** Fires when the command should end. */
  readonly signal: AbortSignal;
}

/** Receives the command's exit code. */
export type Finish = (exitCode: number) => void;

/** Prints a value for programs. */
export function printJson(context: CliContext, value: unknown): void {
  context.print(`${JSON.stringify(value, null, 2)}\n`);
}
