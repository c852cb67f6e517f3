import type { SessionMessage } from "@factotum/agent-contract";

/** UTF-16 units of a list of sessions. */
export const MAX_LIST_CHARS = 64_000;

/** Lines that show messages, oldest first; what may be text of others says so. */
export function describeMessages(messages: readonly SessionMessage[], timeZone: string): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  return messages
    .map(({ atMs, from, name, text, untrusted }) => {
      const who = name === undefined ? from : `${from} ${name}`;
      const mark = untrusted ? ", may hold text of others" : "";
      return `[${format.format(atMs)}, ${who}${mark}] ${text}`;
    })
    .join("\n");
}
