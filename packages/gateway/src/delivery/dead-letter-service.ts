import type { DeadLetter, RpcMethods } from "@factotum/protocol";
import type { DeadLetter as StoredLetter, InboxStore, InputRecord, OutboxRecord, OutboxStore } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import { RpcError } from "../kernel/rpc-error.ts";
import { OUTBOX_TTL_MS } from "./retry-policy.ts";

/** Characters of text shown in a list. */
const PREVIEW_CHARS = 200;

/** Dependencies of the dead-letter service. */
export interface DeadLetterOptions {
  readonly store: InboxStore & OutboxStore;
  readonly clock: Clock;
  /** Queues a revived input. */
  readonly requeue: (input: InputRecord) => Promise<void>;
  /** Dispatches a revived row. */
  readonly dispatch: (row: OutboxRecord) => void;
  /** The session that an unclaimed input is routed to. */
  readonly sessionKeyOf: (input: InputRecord) => string;
}

/** Lists, replays and purges what failed permanently (R29). */
export class DeadLetterService {
  readonly #options: DeadLetterOptions;

  constructor(options: DeadLetterOptions) {
    this.#options = options;
  }

  async list({ limit = 50, ...filter }: RpcMethods["deadletters.list"]["params"]): Promise<RpcMethods["deadletters.list"]["result"]> {
    const page = await this.#options.store.listDeadLetters({ ...filter, limit });
    return { letters: page.items.map((letter) => this.#summary(letter)), ...withoutUndefined({ cursor: page.cursor }) };
  }

  async show(id: string): Promise<RpcMethods["deadletters.show"]["result"]> {
    const letter = await this.#require(id);
    const { record } = letter;
    return { letter: this.#summary(letter), ...withoutUndefined({ payload: record }) };
  }

  /**
   * Revives a dead letter on disk and queues it. An input is authorized and routed as if it had just arrived; a row keeps its idempotency key, so a platform
   * that still knows the key does not show it twice.
   */
  async replay(id: string, options: { readonly risk: boolean }): Promise<RpcMethods["deadletters.replay"]["result"]> {
    const { store, clock, requeue, dispatch } = this.#options;
    const { type, replay, sessionKey = "", reason } = this.#summary(await this.#require(id));
    if (replay === "impossible")
      throw new RpcError("conflict", `${id} cannot be replayed (${reason}): what was stored of it is damaged. Purge it.`);
    if (replay === "risky" && !options.risk)
      throw new RpcError(
        "conflict",
        `${id} may have been shown already (${reason}). Look there first. To send it all the same, say so: --yes, or risk in the request.`,
      );
    if (type === "input") await requeue(await store.reviveInput(id));
    else {
      const nowMs = clock.now();
      dispatch(await store.reviveOutbound(id, { nowMs, expiresAtMs: nowMs + OUTBOX_TTL_MS }));
    }
    return { replayed: true, sessionKey };
  }

  async purge({ ids, failedBeforeMs }: RpcMethods["deadletters.purge"]["params"]): Promise<RpcMethods["deadletters.purge"]["result"]> {
    const { store, clock } = this.#options;
    if ((ids === undefined) === (failedBeforeMs === undefined))
      throw new RpcError("invalid-request", "Give ids, or failedBeforeMs; not both.");
    const at = { nowMs: clock.now() };
    if (ids !== undefined) return { purged: await store.purgeDeadLetters({ ids }, at) };
    let purged = 0;
    for (let count = -1; count !== 0; purged += count) count = await store.purgeDeadLetters({ failedBeforeMs: failedBeforeMs ?? 0 }, at);
    return { purged };
  }

  async #require(id: string): Promise<StoredLetter> {
    const letter = await this.#options.store.readDeadLetter(id);
    if (letter === undefined)
      throw new RpcError("not-found", `There is no dead letter "${id}". \`factotum deadletters list\` shows those that there are.`);
    return letter;
  }

  #summary(letter: StoredLetter): DeadLetter {
    const { id, type, reason, failedAtMs } = letter;
    const common = { id, type, reason, failedAtMs, state: letter.type === "input" ? ("dead" as const) : letter.state };
    if (letter.record === undefined) {
      return { ...common, replay: "impossible", ...withoutUndefined({ sessionKey: letter.sessionKey }) };
    }
    const isInput = letter.type === "input";
    const origin = isInput ? letter.record.message.origin : letter.record.target;
    const text = isInput ? letter.record.message.text : letter.record.outbound.text;
    return {
      ...common,
      sessionKey: letter.sessionKey ?? (isInput ? this.#options.sessionKeyOf(letter.record) : ""),
      ...withoutUndefined({ turnId: letter.record.turnId }),
      channel: origin.channel,
      accountId: origin.accountId,
      conversation: origin.conversation.id,
      text: cutText(text, PREVIEW_CHARS, "…"),
      replay: !isInput && letter.record.possiblyDelivered ? "risky" : "safe",
    };
  }
}
