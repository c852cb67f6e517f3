import { withoutUndefined } from "@factotum/agent-contract";
import type { Command } from "commander";
import { baseHash } from "./options.ts";
import type { WriteOptions } from "../commands/write-text.ts";

/** The options of a command that writes a text. */
export interface WriteFlags {
  readonly base?: string;
}

/** Adds what commands that write a text take alike. */
export function addWrite(command: Command): Command {
  return command
    .argument("[source]", "a file of this machine with the new text; standard input if omitted")
    .option("--base <hash>", "refuse if the text is no longer the one of this hash, which show --json prints", baseHash);
}

/** What they are given by it. */
export function writeOptions(source: string | undefined, { base }: WriteFlags): WriteOptions {
  return withoutUndefined({ source, baseHash: base });
}
