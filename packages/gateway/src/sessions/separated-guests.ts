import type { InputRecord, TranscriptStore, TurnStore } from "@factotum/store";
import { LRUCache } from "lru-cache";
import type { Route } from "../routing/route.ts";
import type { Notices } from "../notices/notices.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** Maximum conversations remembered as checked. */
const MAX_CHECKED = 10_000;

const SEPARATED =
  "From now on this conversation is yours alone. What we talked about before stays in a conversation that others share, so I do not have it here. If you need something of it, please tell me again.";

/**
 * Notifies people whose direct messages went into the owner's session under an earlier version or configuration that they now have a conversation of their
 * own, once each. A notice in the owner's session, which maintenance keeps, records that.
 */
export class SeparatedGuests {
  readonly #store: TranscriptStore & TurnStore;
  readonly #notices: Notices;
  readonly #checked = new LRUCache<string, true>({ max: MAX_CHECKED });

  constructor({ store, notices }: { readonly store: TranscriptStore & TurnStore; readonly notices: Notices }) {
    this.#store = store;
    this.#notices = notices;
  }

  /** Observes a message before it enters a session. Resolves after any notification was sent. */
  async observe(
    { sessionKey, keptOutOf }: Route,
    { message: { origin }, admission }: Pick<InputRecord, "message" | "admission">,
  ): Promise<void> {
    if (keptOutOf === undefined || !RUN_POLICY[admission.kind].isFromPerson || origin.conversation.kind !== "direct") return;
    if (this.#checked.has(sessionKey)) return;
    this.#checked.set(sessionKey, true);
    const key = `separated:${sessionKey}`;
    if ((await this.#store.findNotice(key)) !== undefined || !(await this.#store.hasTurnFrom(keptOutOf, origin))) return;
    await this.#notices.sendToChat(sessionKey, origin, { text: SEPARATED, identity: [key] });
    const text = `Direct messages of one more person, which came into this conversation before, now have a session of their own: ${sessionKey}.`;
    await this.#notices.addEntry(keptOutOf, { level: "info", text, key });
  }
}
