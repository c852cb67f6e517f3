import type { CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { passes } from "../runtime/log-entry.ts";
import { parseLogLine, renderLogLine, visible, type LogLevel } from "../runtime/log-line.ts";
import { followLog, readLastLines } from "../runtime/read-log.ts";

/** Selects lines of the log. */
export interface LogsOptions {
  /** Number of lines, from the end. */
  readonly lines: number;
  /** Minimum level. */
  readonly level: LogLevel;
  /** What the lines are about, or the beginning of that. */
  readonly source?: string;
  /** Ignoring case. */
  readonly text?: string;
  /** Continue with new lines, until a signal. */
  readonly follow: boolean;
  readonly json: boolean;
}

/** Shows the gateway's log. It reads the file, so the gateway need not run. */
export async function logs(context: CliContext, { lines: count, follow, json, ...filter }: LogsOptions): Promise<number> {
  const { logFile } = context.paths;
  const isWanted = (line: string): boolean => passes(line, filter);
  const show = (line: string): void => context.print(`${json ? jsonLine(line) : personLine(line)}\n`);
  const { lines, position } = await readLastLines(logFile, count, isWanted);
  for (const line of lines) show(line);
  if (position.inode === undefined && lines.length === 0) context.note(`There is no log yet: ${logFile}\n`);
  if (follow) for await (const line of followLog(logFile, position, { signal: context.signal })) if (isWanted(line)) show(line);
  return EXIT.ok;
}

/** The parsed line, if the gateway wrote it. */
function jsonLine(line: string): string {
  return parseLogLine(line) === undefined ? JSON.stringify({ message: line }) : line;
}

function personLine(line: string): string {
  const fields = parseLogLine(line);
  return fields === undefined ? visible(line) : renderLogLine(fields, { withDate: true });
}
