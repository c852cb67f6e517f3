import type { ToolCall, ToolResultMessage } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import type { NewOutbound, TurnRecord } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { planChatMessage } from "./plan-message.ts";

/** Characters of a call's arguments that are shown. */
const MAX_ARGUMENT_CHARS = 120;

/** Characters of a result that are shown. */
const MAX_RESULT_CHARS = 1_000;

/** What a chat is told of a tool: that it begins, or what it brought. */
export type ToolLine =
  | { readonly type: "start"; readonly call: ToolCall }
  | { readonly type: "end"; readonly call: ToolCall; readonly result: ToolResultMessage };

/**
 * One line for a tool that begins, or its result, as a message of its own beside the reply. None for the gateway's own clients, which show tools from the
 * conversation. The same call gives the same message after a restart, so that it is shown once.
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
      // Secrets go before anything is cut: half of one would not be recognised.
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

/** That a tool begins, with what it was given, in one line. */
export function toolStartLine(
  { name, argumentsText }: { readonly name: string; readonly argumentsText: string },
  hideSecrets: (text: string) => string,
): string {
  const shown = hideSecrets(argumentsText);
  return shown === "{}" ? code(name) : `${code(name)} ${code(cutText(shown, MAX_ARGUMENT_CHARS, "…"))}`;
}

/** That a tool failed, and the beginning of what it said. */
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

/** More backticks than stand together in the text. */
function ticks(text: string, least: number): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  return "`".repeat(Math.max(least, longest + 1));
}
