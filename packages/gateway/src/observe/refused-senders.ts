import type { Clock, Logger } from "@factotum/agent-contract";
import type { InputRecord } from "@factotum/store";

/** A refused party: a sender in a direct conversation or a group, or a group as a whole. Ids are the platform's. */
export interface RefusedParty {
  readonly channel: string;
  readonly accountId: string;
  readonly type: "sender" | "group";
  readonly id: string;
}

/** Refusals of a party since the start. */
export interface Refusal extends RefusedParty {
  readonly count: number;
  readonly lastAtMs: number;
}

/** Strangers are without number; of more than these the longest silent one is forgotten. */
const MAX_PARTIES = 200;

/** Counts messages of parties that are not admitted, since the start. */
export class RefusedSenders {
  readonly #parties = new Map<string, Refusal>();
  #total = 0;

  /** All refused messages, including those of evicted parties. */
  get total(): number {
    return this.#total;
  }

  /** Counts one message; true for the first of its party. */
  record(party: RefusedParty, atMs: number): boolean {
    const { channel, accountId, type, id } = party;
    const key = JSON.stringify([channel, accountId, type, id]);
    const known = this.#parties.get(key);
    this.#total += 1;
    this.#parties.delete(key);
    this.#parties.set(key, { channel, accountId, type, id, count: (known?.count ?? 0) + 1, lastAtMs: atMs });
    const oldest = this.#parties.keys().next().value;
    if (this.#parties.size > MAX_PARTIES && oldest !== undefined) this.#parties.delete(oldest);
    return known === undefined;
  }

  /** The newest first. */
  list(): readonly Refusal[] {
    return [...this.#parties.values()].toReversed();
  }
}

/** The shell command that admits a party; `undefined` for an id that is unsafe in a command, because ids are chosen by strangers. */
export function admittingCommand({ channel, accountId, type, id }: RefusedParty): string | undefined {
  if (!/^[\w.@:+=/-]{1,200}$/.test(id) || id.startsWith("-")) return undefined;
  return `factotum access allow ${channel}:${accountId} ${id}${type === "group" ? " --group" : ""}`;
}

/** Counts a refused message and logs its party, once, for the owner; the party itself gets no reply. */
export function reportRefusal(
  { message: { origin, sender } }: Pick<InputRecord, "message">,
  { type, reason }: { readonly type: RefusedParty["type"]; readonly reason: string },
  { refused, clock, logger }: { readonly refused: RefusedSenders; readonly clock: Pick<Clock, "now">; readonly logger: Logger },
): void {
  const { channel, accountId, conversation } = origin;
  const party: RefusedParty = { channel, accountId, type, id: type === "group" ? (conversation.parentId ?? conversation.id) : sender.id };
  if (!refused.record(party, clock.now())) return;
  const admit = admittingCommand(party);
  logger.info(`A message was refused, as ${reason}`, {
    channel,
    accountId,
    [type]: party.id,
    ...(admit === undefined ? {} : { admit, ...(type === "sender" ? { ifItIsYou: `${admit} --owner` } : {}) }),
  });
}
