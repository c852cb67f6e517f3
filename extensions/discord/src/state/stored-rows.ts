import type { AccountChange, ChannelHost } from "@factotum/channel-contract";
import { createCardRows } from "@factotum/channel-kit";
import type { CardRows } from "@factotum/channel-kit";
import * as z from "zod";

/** How long votes are understood. */
const KEPT_MS = 365 * 24 * 60 * 60_000;

/** What the platform does not keep for the bot, in the account's state: values of buttons, over its 100 characters; the inputs of forms; polls and the votes in them. */
export interface StoredRows {
  readonly cards: CardRows;
  keepPoll(messageId: string, options: readonly string[]): Promise<void>;
  /** The options of a poll of the bot. */
  poll(messageId: string): Promise<readonly string[] | undefined>;
  /** Numbers of the answers that a person has given so far, from 1. */
  votes(messageId: string, userId: string): Promise<readonly number[]>;
  /** What is committed with a vote. */
  voteChange(messageId: string, userId: string, answers: readonly number[]): AccountChange;
  /** The key of the send whose message took the place of an interaction's answer; `undefined` if none did. */
  answerOf(interactionId: string): Promise<string | undefined>;
  keepAnswer(interactionId: string, key: string, expiresAtMs: number): Promise<void>;
}

const OptionsSchema = z.array(z.string());
const VotesSchema = z.array(z.number().int());

/** Creates the access to an account's rows. */
export function createStoredRows(host: Pick<ChannelHost, "state" | "clock" | "random">): StoredRows {
  const { state, clock } = host;
  const keptUntil = (): number => clock.now() + KEPT_MS;
  const keep = async (key: string, json: unknown, expiresAtMs: number): Promise<void> =>
    state.set(key, { type: "json", json }, { expiresAtMs });
  const read = async <T>(key: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    const row = await state.get(key);
    return row?.type === "json" ? schema.safeParse(row.json).data : undefined;
  };
  const voteKey = (messageId: string, userId: string): string => `vote/${messageId}/${userId}`;
  return {
    cards: createCardRows(host),
    keepPoll: async (messageId, options) => keep(`poll/${messageId}`, options, keptUntil()),
    poll: async (messageId) => read(`poll/${messageId}`, OptionsSchema),
    votes: async (messageId, userId) => (await read(voteKey(messageId, userId), VotesSchema)) ?? [],
    voteChange: (messageId, userId, answers) => ({
      type: "set",
      key: voteKey(messageId, userId),
      value: { type: "json", json: answers },
      expiresAtMs: keptUntil(),
    }),
    answerOf: async (interactionId) => read(`answer/${interactionId}`, z.string()),
    keepAnswer: async (interactionId, key, expiresAtMs) => keep(`answer/${interactionId}`, key, expiresAtMs),
  };
}
