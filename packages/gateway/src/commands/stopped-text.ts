import type { Notices } from "../notices/notices.ts";
import type { StoppedWork } from "../sessions/work-stopper.ts";
import type { CommandTarget } from "./command-target.ts";

/** What a command stopped, as a text for its sender; `undefined` if nothing. */
export function stoppedText({ aborted, dropped }: StoppedWork): string | undefined {
  const messages = `${dropped} waiting ${dropped === 1 ? "message" : "messages"}`;
  if (dropped === 0) return aborted ? "Stopped what I was working on." : undefined;
  return aborted ? `Stopped what I was working on, and dropped ${messages}.` : `Dropped ${messages}.`;
}

/** Tells the sender of a reset what it stopped, before the new conversation is acknowledged; a no-op if nothing was stopped. */
export async function notifyStopped({ sessionKey, input }: CommandTarget, stopped: StoppedWork, notices: Notices): Promise<void> {
  const text = stoppedText(stopped);
  if (text !== undefined) await notices.replyTo(sessionKey, input, { about: "ended", text, isEntry: true, suppressed: false });
}
