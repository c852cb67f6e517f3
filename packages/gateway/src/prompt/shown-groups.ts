import { createHash } from "node:crypto";
import type { MsgContext } from "@factotum/channel-contract";
import { LRUCache } from "lru-cache";

/** Conversations of which it is remembered; another one is told again. */
const MAX_CONVERSATIONS = 1000;

/** What was last shown of each group in a conversation, so that names and topics are repeated only when they change. */
export class ShownGroups {
  readonly #shown = new LRUCache<string, string>({ max: MAX_CONVERSATIONS });

  /** True when the message's group is to be shown in this conversation: from then on it counts as shown. */
  shows(sessionId: string, { group }: Pick<MsgContext, "group">): boolean {
    if (group === undefined) return false;
    const shown = createHash("sha256").update(JSON.stringify(group)).digest("base64");
    const changed = this.#shown.get(sessionId) !== shown;
    this.#shown.set(sessionId, shown);
    return changed;
  }
}
