import { ConversationSchema } from "@factotum/channel-contract";
import type { ChannelHost, Conversation } from "@factotum/channel-contract";
import { createCardRows } from "@factotum/channel-kit";
import type { CardRows } from "@factotum/channel-kit";
import * as z from "zod";

/** How long votes are understood. */
const KEPT_MS = 365 * 24 * 60 * 60_000;

/** A poll as it was sent. */
export interface StoredPoll {
  readonly conversation: Conversation;
  readonly messageId: string;
  readonly options: readonly string[];
}

/** What the platform does not keep for the bot, in the account's state: values of buttons, over its 64 bytes, and the options of polls, whose votes name numbers. */
export interface StoredRows {
  readonly cards: CardRows;
  keepPoll(pollId: string, poll: StoredPoll): Promise<void>;
  poll(pollId: string): Promise<StoredPoll | undefined>;
}

const PollSchema = z.looseObject({ conversation: ConversationSchema, messageId: z.string(), options: z.array(z.string()) });

/** Creates the access to an account's rows. */
export function createStoredRows(host: Pick<ChannelHost, "state" | "clock" | "random">): StoredRows {
  const { state, clock } = host;
  const keep = async (key: string, json: unknown): Promise<void> =>
    state.set(key, { type: "json", json }, { expiresAtMs: clock.now() + KEPT_MS });
  const read = async <T>(key: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    const row = await state.get(key);
    return row?.type === "json" ? schema.safeParse(row.json).data : undefined;
  };
  return {
    cards: createCardRows(host),
    keepPoll: async (pollId, poll) => keep(`poll/${pollId}`, poll),
    poll: async (pollId) => read(`poll/${pollId}`, PollSchema),
  };
}
