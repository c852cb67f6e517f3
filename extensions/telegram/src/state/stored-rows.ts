import { ConversationSchema } from "@factotum/channel-contract";
import type { CardButton, ChannelHost, Conversation } from "@factotum/channel-contract";
import * as z from "zod";

/** How long a button works and votes are understood. */
const KEPT_MS = 365 * 24 * 60 * 60_000;

/** A button as it was sent. */
export interface StoredButton {
  readonly actionId: string;
  readonly label: string;
  readonly value?: string | undefined;
}

/** A poll as it was sent. */
export interface StoredPoll {
  readonly conversation: Conversation;
  readonly messageId: string;
  readonly options: readonly string[];
}

/** What the platform does not keep for the bot, in the account's state: values of buttons, over its 64 bytes, and the options of polls, whose votes name numbers. */
export interface StoredRows {
  /** Resolves once the buttons of a card are on disk, with what a press of each says. */
  keepButtons(buttons: readonly CardButton[]): Promise<readonly string[]>;
  /** The button of a press; `undefined` if it is not known any more. */
  button(data: string): Promise<StoredButton | undefined>;
  keepPoll(pollId: string, poll: StoredPoll): Promise<void>;
  poll(pollId: string): Promise<StoredPoll | undefined>;
}

const ButtonsSchema = z.array(z.looseObject({ actionId: z.string(), label: z.string(), value: z.string().optional() }));
const PollSchema = z.looseObject({ conversation: ConversationSchema, messageId: z.string(), options: z.array(z.string()) });

/** Creates the access to an account's rows. */
export function createStoredRows({ state, clock, random }: Pick<ChannelHost, "state" | "clock" | "random">): StoredRows {
  const keep = async (key: string, json: unknown): Promise<void> =>
    state.set(key, { type: "json", json }, { expiresAtMs: clock.now() + KEPT_MS });
  const read = async <T>(key: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    const row = await state.get(key);
    return row?.type === "json" ? schema.safeParse(row.json).data : undefined;
  };
  return {
    async keepButtons(buttons) {
      if (buttons.length === 0) return [];
      const card = Buffer.from(random.bytes(12)).toString("base64url");
      await keep(
        `card/${card}`,
        buttons.map(({ actionId, label, value }) => ({ actionId, label, ...(value !== undefined && { value }) })),
      );
      return buttons.map((_, index) => `${card}:${index}`);
    },
    async button(data) {
      const [, card, index] = /^([\w-]{16}):(\d{1,3})$/.exec(data) ?? [];
      return card === undefined ? undefined : (await read(`card/${card}`, ButtonsSchema))?.[Number(index)];
    },
    keepPoll: async (pollId, poll) => keep(`poll/${pollId}`, poll),
    poll: async (pollId) => read(`poll/${pollId}`, PollSchema),
  };
}
