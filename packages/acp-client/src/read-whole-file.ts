import type { ReadTextFileRequest } from "@agentclientprotocol/sdk";
import { withoutUndefined } from "@factotum/agent-contract";
import type { CallTool } from "./call-tool.ts";
import { objectOf } from "./parse-update.ts";

const MAX_CHARS = 4_000_000;

/** The text of a file, or of some of its lines, by as many `read` calls as it takes: each returns a part, with a closing line if more is left. */
export async function readWholeFile(
  { path, line, limit }: Pick<ReadTextFileRequest, "path" | "line" | "limit">,
  call: CallTool,
): Promise<string> {
  const first = Math.max(1, line ?? 1);
  const last = limit === null || limit === undefined ? Number.POSITIVE_INFINITY : first + limit - 1;
  let [text, next] = ["", first];
  while (next <= last) {
    const wanted = Number.isFinite(last) ? last - next + 1 : undefined;
    const { content, details } = await call("read", {
      path,
      ...(next === 1 ? {} : { offset: next }),
      ...withoutUndefined({ limit: wanted }),
    });
    const { sizeBytes, lastLine, leftBytes } = objectOf(details);
    const part = content[0];
    if (part?.type !== "text" || sizeBytes === 0) return text;
    if (typeof lastLine !== "number" || typeof leftBytes !== "number") throw new Error(`${path} is not text.`);
    if (leftBytes === 0) return text + part.text;
    text += withoutNote(part.text);
    if (lastLine < next) throw new Error(`${path} has a line that is too long.`);
    if (text.length > MAX_CHARS) throw new Error(`${path} has more than ${MAX_CHARS} characters: read a part of it.`);
    next = lastLine + 1;
  }
  return text;
}

/** Without the closing line, which says what is left. */
function withoutNote(text: string): string {
  return text.slice(0, text.lastIndexOf("\n[") + 1);
}
