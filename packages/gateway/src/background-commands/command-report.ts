import { plural } from "@factotum/agent-contract";
import type { CommandResult } from "@factotum/agent-contract";
import { quoteLines } from "../kernel/quote-lines.ts";

/** Bytes of the output in a report; `process` reads the rest. */
const MAX_OUTPUT_BYTES = 4_000;
const MAX_COMMAND_CHARS = 1_000;

/** A command as its report names it. */
export interface ReportedCommand {
  readonly id: string;
  /** The shell line. */
  readonly text: string;
}

/** The text that tells a session how a command has ended. */
export function describeEnd(
  { id, text }: ReportedCommand,
  { end, outputBytes, durationMs, refusedRequests = [] }: Pick<CommandResult, "end" | "outputBytes" | "durationMs" | "refusedRequests">,
  output: { readonly length: number; read(offset: number, maxBytes: number): { readonly text: string } },
): string {
  const { text: tail } = output.read(Math.max(0, output.length - MAX_OUTPUT_BYTES), MAX_OUTPUT_BYTES);
  const isWhole = outputBytes <= MAX_OUTPUT_BYTES;
  return [
    `The background command ${id} has ended after ${seconds(durationMs)}: ${ending(end)}.`,
    ...commandLines(text),
    ...(tail.trim() === ""
      ? ["It had no output."]
      : [isWhole ? "Its output:" : `The end of its ${plural(outputBytes, "byte")} of output:`, quoteLines(tail)]),
    ...(refusedRequests.length === 0 ? [] : ["Its network was refused:", quoteLines(refusedRequests.join("\n"))]),
    GUIDANCE,
  ].join("\n");
}

/** The same for a command that ended with an earlier gateway, and its output with it. */
export function describeLost({ id, text }: ReportedCommand): string {
  return [
    `The background command ${id} was ended by a restart of the gateway. Its output is lost, except for what you have read.`,
    ...commandLines(text),
    GUIDANCE,
  ].join("\n");
}

const GUIDANCE = "Go on with what it was for. If no one needs to know, answer only NO_REPLY.";

function commandLines(text: string): readonly string[] {
  return ["The command:", quoteLines(text.length > MAX_COMMAND_CHARS ? `${text.slice(0, MAX_COMMAND_CHARS).toWellFormed()}…` : text)];
}

function ending(end: CommandResult["end"]): string {
  switch (end.type) {
    case "exited":
      return `exit code ${end.exitCode}`;
    case "signalled":
      return `killed by ${end.signal}`;
    case "timed-out":
      return "stopped at its time limit";
    case "aborted":
      return "stopped";
    case "over-limit":
      return `stopped, because all running commands together used too ${end.limit === "processes" ? "many processes" : "much memory"}`;
    case "not-started":
      return `not started. ${end.message}`;
  }
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1_000)} s`;
}
