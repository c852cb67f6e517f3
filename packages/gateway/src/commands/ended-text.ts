import type { Notices } from "../notices/notices.ts";
import type { EndedWork } from "../sessions/stop-work.ts";
import type { CommandTarget } from "./command-target.ts";

/** What a command has ended, as text for its sender; `undefined` for nothing. */
export function endedText({ aborted, dropped }: EndedWork): string | undefined {
  const messages = `${dropped} waiting ${dropped === 1 ? "message" : "messages"}`;
  if (dropped === 0) return aborted ? "Stopped what I was working on." : undefined;
  return aborted ? `Stopped what I was working on, and dropped ${messages}.` : `Dropped ${messages}.`;
}

/** Reports after a reset what it has ended, before the new conversation is acknowledged. Silent if it has ended nothing. */
export async function tellEnded({ sessionKey, input }: CommandTarget, ended: EndedWork, notices: Notices): Promise<void> {
  const text = endedText(ended);
  if (text !== undefined) await notices.replyTo(sessionKey, input, { about: "ended", text, isEntry: true, suppressed: false });
}
