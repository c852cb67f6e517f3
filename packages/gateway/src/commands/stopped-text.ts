import type { Notices } from "../notices/notices.ts";
import type { StoppedWork } from "../sessions/work-stopper.ts";
import type { CommandTarget } from "./command-target.ts";

/** What a command stopped, as a text for its sender; `undefined` if nothing. */
export function stoppedText({ aborted, dropped, commands, requests, subagents }: StoppedWork): string | undefined {
  const parts = [
    ...(aborted ? ["stopped what I was working on"] : []),
    ...(commands > 0 ? [`ended ${commands} background ${commands === 1 ? "command" : "commands"}`] : []),
    ...(subagents > 0 ? [`ended ${subagents} ${subagents === 1 ? "sub-agent" : "sub-agents"}`] : []),
    ...(requests > 0 ? [`withdrew ${requests} ${requests === 1 ? "request" : "requests"} for a decision`] : []),
    ...(dropped > 0 ? [`dropped ${dropped} waiting ${dropped === 1 ? "message" : "messages"}`] : []),
  ];
  const [last] = parts.splice(-1);
  if (last === undefined) return undefined;
  const text = parts.length === 0 ? last : `${parts.join(", ")}, and ${last}`;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** Tells the sender of a reset what it stopped, before the new conversation is acknowledged; a no-op if nothing was stopped. */
export async function notifyStopped({ sessionKey, input }: CommandTarget, stopped: StoppedWork, notices: Notices): Promise<void> {
  const text = stoppedText(stopped);
  if (text !== undefined) await notices.replyTo(sessionKey, input, { about: "ended", text, isEntry: true, suppressed: false });
}
