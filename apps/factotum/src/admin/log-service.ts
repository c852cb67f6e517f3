import type { LogService } from "@factotum/gateway";
import { passes, toLogEntry } from "../runtime/log-entry.ts";
import { readLastLines, readLinesAfter } from "../runtime/read-log.ts";

const DEFAULT_LIMIT = 200;

/** The log file for clients. `hide` also hides secrets that became known after a line was written. */
export function createLogService({ path, hide }: { readonly path: string; readonly hide: (text: string) => string }): LogService {
  return {
    tail: async ({ limit = DEFAULT_LIMIT, after, ...filter }) => {
      // Looked for in what the client gets, too: otherwise a search would tell what was hidden.
      const wanted = (line: string): boolean => passes(line, filter) && (filter.text === undefined || passes(hide(line), filter));
      const { lines, position, missed } =
        after === undefined
          ? { ...(await readLastLines(path, limit, wanted)), missed: false }
          : await readLinesAfter(path, parsePosition(after), wanted);
      return {
        lines: lines.slice(-limit).map((line) => toLogEntry(hide(line))),
        cursor: `${position.inode ?? 0}:${position.offset}`,
        ...(missed || (after !== undefined && lines.length > limit) ? { missed: true } : {}),
      };
    },
  };
}

function parsePosition(cursor: string): { readonly inode: number; readonly offset: number } {
  const [inode = 0, offset = 0] = cursor.split(":").map(Number);
  return { inode, offset };
}
