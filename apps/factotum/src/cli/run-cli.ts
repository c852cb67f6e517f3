import { CommanderError } from "commander";
import { withoutUndefined } from "@factotum/agent-contract";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { paint } from "../runtime/paint.ts";
import { helpArgs } from "./help-args.ts";
import { createProgram } from "./program.ts";

/** Runs one command line (without Node and the script) and resolves with the exit code. Never rejects. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(context, (code) => {
    exitCode = code;
  });
  try {
    // The capital letter was the short form in earlier versions.
    const given = args[0] === "-V" ? ["-v", ...args.slice(1)] : args;
    await program.parseAsync([...helpArgs(program, given)], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return report(error, context, args.includes("--json"));
  }
}

function report(error: unknown, context: CliContext, json: boolean): number {
  const known = error instanceof CliError ? error : unexpected(error);
  if (json) {
    const body = { code: known.code, message: known.message, ...withoutUndefined({ fix: known.fix }) };
    context.print(`${JSON.stringify({ error: body }, null, 2)}\n`);
  } else {
    context.note(`${paint(context, "error", "factotum:")} ${known.message}\n${known.fix === undefined ? "" : `${known.fix}\n`}`);
    if (context.env["FACTOTUM_DEBUG"] === "1") context.note(`${detail(known)}\n`);
  }
  return known.exitCode;
}

function unexpected(error: unknown): CliError {
  const message = error instanceof Error ? error.message : "the command failed";
  const fix = error instanceof Error ? fixFor(error) : WHERE;
  return new CliError("failure", message, { cause: error, ...withoutUndefined({ fix }) });
}

const WHERE = "Run it again with FACTOTUM_DEBUG=1 to see where.";
const SQLITE_FULL = 13;
const USABLE_HOME = "Let this user read and write there, or set FACTOTUM_HOME to a folder where that is so.";
const NOT_USABLE: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR", "EEXIST"]);

/** Advice for a failure that no command has handled. */
function fixFor(error: Error): string | undefined {
  const code = "code" in error ? error.code : undefined;
  if (NOT_USABLE.has(code)) return USABLE_HOME;
  if (code === "ENOSPC" || code === "EDQUOT" || ("errcode" in error && error.errcode === SQLITE_FULL))
    return "The disk is full: free some space.";
  // By name: the class would load the configuration's package for every command.
  if (error.name === "FolderError") return error.message.includes("disk is full") ? "Free some space." : USABLE_HOME;
  // A wrapping error has its own advice.
  return error.cause === undefined ? WHERE : undefined;
}

function detail(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${detail(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
