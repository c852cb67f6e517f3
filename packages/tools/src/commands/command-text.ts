import { plural } from "@factotum/agent-contract";
import type { AgentToolResult, CommandResult, RunSandbox } from "@factotum/agent-contract";
import { errorResult, textResult } from "../define-tool/tool-result.ts";

/** The result of a command for the model: its output, and how it ended unless that is exit code 0. */
export function commandResult(result: CommandResult, timeoutSeconds: number): AgentToolResult {
  const { end, outputBytes, durationMs } = result;
  const output = withRefusals(result.output, result);
  const exitCode = end.type === "exited" ? end.exitCode : null;
  const details = { exitCode, timedOut: end.type === "timed-out", durationMs, outputBytes };
  if (end.type === "not-started") return errorResult(end.message, { details });
  if (end.type === "exited" && end.exitCode === 0) return textResult(output === "" ? "(no output)" : output, { details });
  const text = withLine(output, `[${endText(end, timeoutSeconds)}]`);
  return end.type === "exited" ? textResult(text, { details }) : errorResult(text, { details });
}

/** How a command ended, in a few words. */
export function endText(end: CommandResult["end"], timeoutSeconds: number): string {
  switch (end.type) {
    case "exited":
      return `exit code ${end.exitCode}`;
    case "signalled":
      return `killed by ${end.signal}`;
    case "timed-out":
      return `stopped after ${plural(timeoutSeconds, "second")}: the time limit`;
    case "aborted":
      return "stopped: the run was aborted";
    case "over-limit":
      return overLimit(end);
    case "not-started":
      return end.message;
  }
}

/** A result with output of a command. Files of a shared sandbox may be those of other people, and a command with network may print what others wrote (R23). */
export function markedOutput(result: AgentToolResult, sandbox: RunSandbox | undefined): AgentToolResult {
  return sandbox?.shared === true || sandbox?.network !== undefined ? { ...result, untrusted: true } : result;
}

/** Output, and which requests of the command were refused. */
export function withRefusals(output: string, { refusedRequests = [] }: Pick<CommandResult, "refusedRequests">): string {
  return refusedRequests.length === 0 ? output : withLine(output, `[network: refused, because ${refusedRequests.join("; ")}]`);
}

/** Output with a closing line of its own. */
export function withLine(output: string, line: string): string {
  return `${output}${output === "" || output.endsWith("\n") ? "" : "\n"}${line}`;
}

/** Says of output before a closing line that its last line continues: the break between the two does not belong to it. */
export function endsMidLine(output: string): { readonly endsMidLine?: true } {
  return output === "" || output.endsWith("\n") ? {} : { endsMidLine: true };
}

function overLimit({ limit, used, allowed }: Extract<CommandResult["end"], { type: "over-limit" }>): string {
  const advice = "Do less at a time; your owner can raise the limit in the configuration.";
  if (limit === "processes")
    return `stopped: all running commands together had ${used} processes, and tools.exec.maxProcesses allows ${allowed}. ${advice}`;
  const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 ** 2);
  return `stopped: all running commands together used ${megabytes(used)} MB of memory, and tools.exec.maxMemoryMb allows ${megabytes(allowed)}. ${advice}`;
}
