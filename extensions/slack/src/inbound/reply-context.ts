import type { ReplyContext } from "@factotum/channel-contract";
import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";

/** Data of a message that sends caused by it need. */
export interface SlackReplyContext {
  /** Who caused it: a stream in a channel names its reader. */
  readonly user: string;
  readonly team: string;
  /** Where a command or an interaction is answered if the bot is not in the conversation. */
  readonly responseUrl?: string | undefined;
}

/** How long a response address is valid. */
const RESPONSE_URL_MS = 30 * 60_000;

const Schema: z.ZodType<SlackReplyContext> = z.strictObject({
  user: z.string(),
  team: z.string(),
  responseUrl: z.url().optional(),
});

/** Writes it for the gateway. */
export function replyContext({ user, team, responseUrl }: SlackReplyContext, nowMs: number): ReplyContext {
  const data = JSON.stringify({ user, team, ...(responseUrl !== undefined && { responseUrl }) });
  return { data, ...(responseUrl !== undefined && { expiresAtMs: nowMs + RESPONSE_URL_MS }) };
}

/** Reads what `replyContext` wrote; `undefined` for anything else. */
export function parseReplyContext(data: string | undefined): SlackReplyContext | undefined {
  return parseOwn(data, Schema);
}
