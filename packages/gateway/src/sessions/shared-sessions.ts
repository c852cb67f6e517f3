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

/** Everybody whom the owner list names, and whoever holds the gateway's token. */
const OWNER = "owner";

/** What sharing is noticed and told with. */
export interface SharedSessionsOptions extends SessionNoticesOptions {
  readonly running: RunningConfig;
}

/**
 * Knows the owner's sessions into which messages of more than one person come, as `session.sharedMain` allows: each of these people can
 * learn from the assistant what the others have said. Holds one name for every agent.
 */
export class SharedSessions {
  readonly #options: SharedSessionsOptions;
  /** Who was first seen in a session. */
  readonly #first = new Map<string, string>();
  /** Those that are shared: whether their conversation was told. */
  readonly #shared = new Map<string, boolean>();

  constructor(options: SharedSessionsOptions) {
    this.#options = options;
  }

  /** Reads what earlier processes have found. */
  async recall(): Promise<void> {
    for (const key of this.#ownersKeys()) if (await isSharingAnnounced(this.#options, key)) this.#shared.set(key, true);
  }

  /** Those that are shared and stay so under the configuration of now. */
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
    // A conversation that has not begun yet is told with the next message.
    this.#shared.set(sessionKey, this.#shared.get(sessionKey) ?? false);
    if (await notifyShared(this.#options, sessionKey)) this.#shared.set(sessionKey, true);
  }

  #ownersKeys(): readonly string[] {
    const { agents, config } = this.#options.running;
    if (config.session.scope === "global") return [GLOBAL_SESSION_KEY];
    return agents.list().map((agent) => agentSessionKey(agent.config.id, config.session.mainKey));
  }
}

/** Only the owner has said something there, and elsewhere than the message comes from. */
function isOwnersAlone(record: SessionRecord | undefined, message: MsgContext): boolean {
  if (record?.lastOrigin === undefined || !record.isPrivate) return false;
  return conversationKey(record.lastOrigin) !== conversationKey(message.origin);
}

/** The same for all ids of one person, as far as `session.identityLinks` names them. */
function personOf(message: MsgContext, config: Pick<FactotumConfig, "session" | "commands">): string {
  const id = `${message.origin.channel}:${message.sender.id}`;
  if (isOwnersPerson(id, config)) return OWNER;
  return Object.values(config.session.identityLinks).find((linked) => linked.includes(id))?.[0] ?? id;
}
