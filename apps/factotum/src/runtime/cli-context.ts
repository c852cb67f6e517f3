import type { Environment, StatePaths } from "@factotum/config";

/** What a command may use of its process; a test puts its own in place. */
export interface CliContext {
  readonly env: Environment;
  readonly paths: StatePaths;
  readonly version: string;
  /** How this very command is started: Node with its flags, and the entry file. */
  readonly self: { readonly file: string; readonly args: readonly string[] };
  readonly platform: NodeJS.Platform;
  /** The result: what a person asked for, or what a program reads. */
  readonly print: (text: string) => void;
  /** What is said beside the result. */
  readonly note: (text: string) => void;
  /** Asks the person at the terminal; absent when there is none. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Fires when the command should end. */
  readonly signal: AbortSignal;
}

/** Told the exit code of the command that ran. */
export type Finish = (exitCode: number) => void;

/** Prints a value for programs. */
export function printJson(context: CliContext, value: unknown): void {
  context.print(`${JSON.stringify(value, null, 2)}\n`);
}
