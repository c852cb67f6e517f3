import type { CardButton, ChannelHost } from "@factotum/channel-contract";
import * as z from "zod";

/** How long a button works. */
const KEPT_MS = 365 * 24 * 60 * 60_000;

/** What a press of a button says. */
export type ButtonMeaning = Pick<CardButton, "actionId" | "value">;

/** What the buttons of cards say, in the account's state: platforms allow few bytes for it, and adapters pass on what they are given. */
export interface ButtonRows {
  /** Resolves with the ids of the buttons once they are on disk. */
  keep(buttons: readonly CardButton[]): Promise<readonly string[]>;
  /** The meaning of a pressed button; `undefined` if it is not known any more, or was sent by another program. */
  find(id: string): Promise<ButtonMeaning | undefined>;
}

const ButtonsSchema = z.array(z.looseObject({ actionId: z.string(), value: z.string().optional() }));

/** Creates the access to an account's buttons. */
export function createButtonRows({ state, clock, random }: Pick<ChannelHost, "state" | "clock" | "random">): ButtonRows {
  return {
    async keep(buttons) {
      if (buttons.length === 0) return [];
      const card = Buffer.from(random.bytes(12)).toString("base64url");
      const json = buttons.map(({ actionId, value }) => ({ actionId, ...(value !== undefined && { value }) }));
      await state.set(`card/${card}`, { type: "json", json }, { expiresAtMs: clock.now() + KEPT_MS });
      return buttons.map((_, index) => `${card}:${index}`);
    },
    async find(id) {
      const [, card, index] = /^([\w-]{16}):(\d{1,3})$/.exec(id) ?? [];
      const row = card === undefined ? undefined : await state.get(`card/${card}`);
      const found = row?.type === "json" ? ButtonsSchema.safeParse(row.json).data?.[Number(index)] : undefined;
      return found === undefined ? undefined : { actionId: found.actionId, ...(found.value !== undefined && { value: found.value }) };
    },
  };
}
