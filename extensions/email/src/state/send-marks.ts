import type { ChannelHost } from "@factotum/channel-contract";

/** Which mails were begun to be sent: what has no mark never left. */
export interface SendMarks {
  /** Resolves once the mark is on disk. */
  set(messageId: string): Promise<void>;
  has(messageId: string): Promise<boolean>;
}

/** Longer than the gateway asks about a send. */
const KEPT_MS = 14 * 24 * 60 * 60 * 1000;

/** Marks of one account, in its state. A mark stays when the mail was accepted: the process may end before the gateway has recorded that. */
export function createSendMarks({ clock, state }: Pick<ChannelHost, "clock" | "state">): SendMarks {
  const keyOf = (messageId: string): string => `sending/${messageId}`;
  return {
    set: (messageId) => state.set(keyOf(messageId), { type: "json", json: true }, { expiresAtMs: clock.now() + KEPT_MS }),
    has: async (messageId) => (await state.get(keyOf(messageId))) !== undefined,
  };
}
