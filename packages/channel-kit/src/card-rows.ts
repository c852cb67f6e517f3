import { CardSchema } from "@factotum/channel-contract";
import type { Card, CardButton, ChannelHost } from "@factotum/channel-contract";
import { PlatformFailure } from "./platform-failure.ts";

/** How long a button works. */
const KEPT_MS = 365 * 24 * 60 * 60_000;

/** A button as it was sent, with its card, of which the body is not kept. */
export interface StoredButton {
  readonly card: Card;
  readonly button: CardButton;
}

/** What the buttons of cards say, in the account's state: platforms allow few bytes for it. */
export interface CardRows {
  /**
   * Resolves once the card is on disk, with the id of each button, of at most 20 characters.
   * @throws {PlatformFailure} `local` if it cannot be kept: the card must not be shown then.
   */
  keep(card: Pick<Card, "title" | "buttons" | "inputs">): Promise<readonly string[]>;
  /** The button with an id; `undefined` if it is not known any more, or was sent by another program. */
  find(id: string): Promise<StoredButton | undefined>;
}

/** Creates the access to an account's cards. */
export function createCardRows({ state, clock, random }: Pick<ChannelHost, "state" | "clock" | "random">): CardRows {
  return {
    async keep({ title, buttons = [], inputs = [] }) {
      if (buttons.length === 0) return [];
      const id = Buffer.from(random.bytes(12)).toString("base64url");
      const json = { ...(title !== undefined && { title }), body: "", buttons, inputs };
      await state.set(`card/${id}`, { type: "json", json }, { expiresAtMs: clock.now() + KEPT_MS }).catch((cause: unknown) => {
        throw new PlatformFailure({ type: "local" }, "the buttons of the card could not be kept", { cause });
      });
      return buttons.map((_, index) => `${id}:${index}`);
    },
    async find(buttonId) {
      const [, id, index] = /^([\w-]{16}):(\d{1,3})$/.exec(buttonId) ?? [];
      const row = id === undefined ? undefined : await state.get(`card/${id}`);
      const card = row?.type === "json" ? CardSchema.safeParse(row.json).data : undefined;
      const button = card?.buttons?.[Number(index)];
      return card === undefined || button === undefined ? undefined : { card, button };
    },
  };
}
