import type { ReplyContext } from "@factotum/channel-contract";
import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";
import { snowflakeTimeMs } from "../snowflake.ts";

/** Data of a message that sends caused by it need. */
export interface DiscordReplyContext {
  /** Who caused it. */
  readonly user: string;
  /** Set for an interaction: how it is answered. */
  readonly interaction?: InteractionAnswer | undefined;
}

/** How an interaction is answered. */
export interface InteractionAnswer {
  readonly id: string;
  readonly application: string;
  readonly token: string;
  /** True if the platform shows that an answer is being written: the first answer takes its place. */
  readonly isDeferred: boolean;
}

/** The platform takes answers for 15 minutes; the last half minute is left for those that wait. */
const VALID_MS = 14.5 * 60_000;

const Schema: z.ZodType<DiscordReplyContext> = z.strictObject({
  user: z.string(),
  interaction: z.strictObject({ id: z.string(), application: z.string(), token: z.string(), isDeferred: z.boolean() }).optional(),
});

/** Writes it for the gateway. */
export function replyContext({ user, interaction }: DiscordReplyContext): ReplyContext {
  if (interaction === undefined) return { data: JSON.stringify({ user }) };
  return { data: JSON.stringify({ user, interaction }), expiresAtMs: snowflakeTimeMs(interaction.id) + VALID_MS };
}

/** Reads what `replyContext` wrote; `undefined` for anything else. */
export function parseReplyContext(data: string | undefined): DiscordReplyContext | undefined {
  return parseOwn(data, Schema);
}
