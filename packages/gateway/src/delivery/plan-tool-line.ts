import type { ToolCall, ToolResultMessage } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import type { NewOutbound, TurnRecord } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { planChatMessage } from "./plan-message.ts";

/** Characters shown of a call's arguments. */
const MAX_ARGUMENT_CHARS = 120;

/** Characters shown of a result. */
const MAX_RESULT_CHARS = 1_000;

/** What a chat is shown of a tool call: its start or its result. */
export type ToolLine =
  | { readonly type: "start"; readonly call: ToolCall }
  | { readonly type: "end"; readonly call: ToolCall; readonly result: ToolResultMessage };

/**
 * Plans one line for the start or the result of a tool call, as a message apart from the reply. None for the gateway's own clients, which show tools from the
 * transcript. The same call gives the same message after a restart, so it is shown once.
 */
export function planToolLine(
  turn: TurnRecord,
  line: ToolLine,
  options: { readonly nowMs: number; readonly suppressed: boolean },
  { channels, hideSecrets }: { readonly channels: ChannelRegistry; readonly hideSecrets: (text: string) => string },
): readonly NewOutbound[] {
  return planChatMessage(
    {
      sessionKey: turn.sessionKey,
      target: turn.origin,
      // Hide secrets before truncating: a partial secret would not be recognised.
      text: line.type === "start" ? startText(line.call, hideSecrets) : endText(line, hideSecrets),
      purpose: "notice",
      identity: ["turn", turn.id, "tool", line.call.id, line.type],
      nowMs: options.nowMs,
      suppressed: options.suppressed,
    },
    channels,
  );
}

function startText({ name, arguments: given }: ToolCall, hideSecrets: (text: string) => string): string {
  return toolStartLine({ name, argumentsText: JSON.stringify(given) }, hideSecrets);
}

/** Text for the start of a tool call with its arguments, in one line. */
export function toolStartLine(
  { name, argumentsText }: { readonly name: string; readonly argumentsText: string },
  hideSecrets: (text: string) => string,
): string {
  const shown = hideSecrets(argumentsText);
  return shown === "{}" ? code(name) : `${code(name)} ${code(cutText(shown, MAX_ARGUMENT_CHARS, "…"))}`;
}

/** Text for a failed tool call, with the beginning of its error. */
export function toolFailureLine(
  { name, text }: { readonly name: string; readonly text: string },
  hideSecrets: (text: string) => string,
): string {
  const shown = hideSecrets(text).trim();
  return shown === "" ? `${code(name)} failed.` : `${code(name)} failed: ${code(cutText(shown, MAX_ARGUMENT_CHARS, "…"))}`;
}

function endText({ call, result }: Extract<ToolLine, { type: "end" }>, hideSecrets: (text: string) => string): string {
  const words = result.content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
  const text = cutText(hideSecrets(words).trim(), MAX_RESULT_CHARS, "…");
  const title = `${code(call.name)} ${result.isError ? "failed" : "is done"}`;
  if (text === "") return `${title}.`;
  const fence = ticks(text, 3);
  return `${title}:\n${fence}\n${text}\n${fence}`;
}

function code(text: string): string {
  const mark = ticks(text, 1);
  const edge = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${mark}${edge}${text.replaceAll(/\s+/g, " ")}${edge}${mark}`;
}

/** A run of backticks longer than any in the text. */
function ticks(text: string, least: number): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  return "`".repeat(Math.max(least, longest + 1));
}
