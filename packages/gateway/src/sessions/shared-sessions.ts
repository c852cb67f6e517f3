import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import type { InputRecord, SessionRecord } from "@factotum/store";
import { conversationKey } from "../kernel/conversation-key.ts";
import { isOwnersPerson } from "../access/owner.ts";
import { agentSessionKey, GLOBAL_SESSION_KEY } from "../routing/session-key.ts";
import { isSharingAnnounced, notifyShared } from "../notices/session-notices.ts";
import type { SessionNoticesOptions } from "../notices/session-notices.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { personId } from "../kernel/person-id.ts";

/** Everybody in the owner list, and every holder of the gateway's token. */
const OWNER = "owner";

/** Dependencies of the shared-session detection. */
export interface SharedSessionsOptions extends SessionNoticesOptions {
  readonly running: RunningConfig;
}

/**
 * Detects owner's sessions that receive messages from more than one person, as `session.sharedMain` allows: each of them can learn from the assistant what the
 * others wrote. Stores one name per agent.
 */
export class SharedSessions {
  readonly #options: SharedSessionsOptions;
  /** The first person seen in each session. */
  readonly #first = new Map<string, string>();
  /** Shared sessions, with whether a notice was stored in their transcript. */
  readonly #shared = new Map<string, boolean>();

  constructor(options: SharedSessionsOptions) {
    this.#options = options;
  }

  /** Loads what earlier processes have detected. */
  async recall(): Promise<void> {
    for (const key of this.#ownersKeys()) if (await isSharingAnnounced(this.#options, key)) this.#shared.set(key, true);
  }

  /** Keys of sessions that are shared under the running configuration. */
  get keys(): readonly string[] {
    const { session, bindings } = this.#options.running.config;
    const isMerged =
      session.scope === "global" || session.dmScope === "main" || bindings.some((binding) => binding.session.dmScope === "main");
    return session.sharedMain && isMerged ? this.#ownersKeys().filter((key) => this.#shared.has(key)) : [];
  }

  /** Observes a message before it enters a session, whose current record is `record`. Resolves after any notification was sent. */
  async observe(
    sessionKey: string,
    { message, admission }: Pick<InputRecord, "message" | "admission">,
    record?: SessionRecord,
  ): Promise<void> {
    const { running, logger } = this.#options;
    const { config } = running;
    if (!RUN_POLICY[admission.kind].isFromPerson || !this.#ownersKeys().includes(sessionKey) || this.#shared.get(sessionKey) === true)
      return;
    if (!this.#shared.has(sessionKey)) {
      const person = admission.owner ? OWNER : personOf(message, config);
      const first = this.#first.get(sessionKey) ?? (isOwnersAlone(record, message) ? OWNER : person);
      this.#first.set(sessionKey, first);
      if (first === person) return;
      logger.warn("Messages of more than one person come into one session; without session.sharedMain they are kept apart", { sessionKey });
    }
    // A conversation without entries is notified with its next message.
    this.#shared.set(sessionKey, this.#shared.get(sessionKey) ?? false);
    if (await notifyShared(this.#options, sessionKey)) this.#shared.set(sessionKey, true);
  }

  #ownersKeys(): readonly string[] {
    const { agents, config } = this.#options.running;
    if (config.session.scope === "global") return [GLOBAL_SESSION_KEY];
    return agents.list().map((agent) => agentSessionKey(agent.config.id, config.session.mainKey));
  }
}

/** True if only the owner has written in the session so far, and not from this message's conversation. */
function isOwnersAlone(record: SessionRecord | undefined, message: MsgContext): boolean {
  if (record?.lastOrigin === undefined || !record.isPrivate) return false;
  return conversationKey(record.lastOrigin) !== conversationKey(message.origin);
}

/** One identity for all ids of a person that `session.identityLinks` names. */
function personOf(message: MsgContext, config: Pick<FactotumConfig, "session" | "commands">): string {
  const id = personId(message.origin, message.sender.id);
  if (isOwnersPerson(id, config)) return OWNER;
  return Object.values(config.session.identityLinks).find((linked) => linked.includes(id))?.[0] ?? id;
}
