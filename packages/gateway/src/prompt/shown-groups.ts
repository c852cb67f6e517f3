import { createHash } from "node:crypto";
import type { MsgContext } from "@factotum/channel-contract";
import { LRUCache } from "lru-cache";

/** Maximum conversations remembered; an evicted one is shown its group again. */
const MAX_CONVERSATIONS = 1000;

/** The last shown facts of each group in a conversation, so that names and topics are repeated only when they change. */
export class ShownGroups {
  readonly #shown = new LRUCache<string, string>({ max: MAX_CONVERSATIONS });

  /** True if the message's group must be shown in this conversation; it counts as shown from then on. */
  shows(sessionId: string, { group }: Pick<MsgContext, "group">): boolean {
    if (group === undefined) return false;
    const shown = createHash("sha256").update(JSON.stringify(group)).digest("base64");
    const changed = this.#shown.get(sessionId) !== shown;
    this.#shown.set(sessionId, shown);
    return changed;
  }
}
