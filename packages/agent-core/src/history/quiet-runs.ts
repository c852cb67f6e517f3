import type { AgentMessage, RunKind } from "@factotum/agent-contract";
import { RUN_TRAITS } from "../run-kinds/run-traits.ts";
import { beginsTurn } from "./begins-turn.ts";

/** The agent's answer to a heartbeat without anything to report. */
const OK_TOKEN = "HEARTBEAT_OK";
/** Characters besides the token that still count as an empty report, if the heartbeat's message has no limit of its own. */
const MAX_FURTHER_CHARS = 300;
const MARKUP = /^[\s*_`~]+|[\s*_`~.!]+$/g;

/**
 * True if a heartbeat's answer reports nothing: the token is at its beginning or end, with at most `maxFurtherChars` (300) further characters. Elsewhere in a
 * text it has no meaning. Pure.
 */
export function isHeartbeatOk(text: string, maxFurtherChars: number = MAX_FURTHER_CHARS): boolean {
  const bare = text.replaceAll(MARKUP, "");
  if (bare === OK_TOKEN) return true;
  const begins = bare.startsWith(OK_TOKEN) && !/^\w/.test(bare.slice(OK_TOKEN.length));
  const ends = bare.endsWith(OK_TOKEN) && !/\w$/.test(bare.slice(0, -OK_TOKEN.length));
  return (begins || ends) && bare.length - OK_TOKEN.length <= maxFurtherChars;
}

/**
 * A history without quiet runs: heartbeats whose answer is the token, or that got none, and memory flushes. The prompt is removed with its calls and its
 * answer; later messages stay. `isOpen`: the last run is still active, so it stays too. Each heartbeat is measured by the limit in its own message, whatever
 * is configured since.
 *
 * Kept messages are the same objects in the same order, so that the request after such a run begins with the one before it (R14); without quiet runs the same
 * array is returned. Pure.
 */
export function withoutQuietRuns(messages: readonly AgentMessage[], options: { readonly isOpen: boolean }): readonly AgentMessage[] {
  if (!messages.some(beginsQuietRun)) return messages;
  const kept: AgentMessage[] = [];
  let from = 0;
  for (let end = 1; end <= messages.length; end++) {
    if (end < messages.length && !beginsTurn(messages[end])) continue;
    const exchange = messages.slice(from, end);
    if ((options.isOpen && end === messages.length) || !isQuiet(exchange)) kept.push(...exchange);
    from = end;
  }
  return kept.length === messages.length ? messages : kept;
}

/** True for the first message of a quiet run: until the run ends, it does not count as a turn of the conversation. */
export function beginsQuietRun(message: AgentMessage): boolean {
  return RUN_TRAITS[runOf(message)].omitted !== "never";
}

function runOf(message: AgentMessage): RunKind {
  return message.role === "user" ? (message.parts?.run ?? "user") : "user";
}

function isQuiet(exchange: readonly AgentMessage[]): boolean {
  const [poll] = exchange;
  const { omitted } = RUN_TRAITS[poll === undefined ? "user" : runOf(poll)];
  if (omitted !== "without-report") return omitted === "always";
  if (!exchange.some(({ role }) => role === "assistant")) return true;
  const answer = exchange.at(-1);
  if (answer?.role !== "assistant" || answer.stopReason !== "stop" || answer.content.some(({ type }) => type === "toolCall")) return false;
  const text = answer.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  return isHeartbeatOk(text, poll?.role === "user" ? poll.parts?.ackMaxChars : undefined);
}
