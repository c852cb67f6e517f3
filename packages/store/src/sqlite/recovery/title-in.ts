import type { TranscriptBody } from "../../port/transcript-records.ts";

const MAX_TITLE_CHARS = 60;

/**
 * The title of a session by its first message: the person, in a direct conversation on a platform, else the first words. The plain file does not contain the
 * name of a group.
 */
export function titleIn(body: TranscriptBody, key: string): string | undefined {
  if (body.type !== "message" || body.message.role !== "user") return undefined;
  const { parts } = body.message;
  if (parts === undefined || (parts.run ?? "user") !== "user") return undefined;
  const isGroup = /:(?:group|channel):/.test(key);
  if (!isGroup && parts.sender?.name !== undefined && parts.source !== undefined) return `${parts.source.channel}: ${parts.sender.name}`;
  const line = parts.body.trim().split("\n")[0] ?? "";
  if (line === "") return undefined;
  return line.length <= MAX_TITLE_CHARS
    ? line
    : `${line
        .slice(0, MAX_TITLE_CHARS)
        .toWellFormed()
        .replace(/\s+\S*$/u, "")}…`;
}
