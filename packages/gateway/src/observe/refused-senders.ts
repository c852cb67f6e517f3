import type { Clock, Logger } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import type { InputRecord } from "@factotum/store";
import type { Missing } from "../access/admit-message.ts";

/** A refused party: a sender in a direct conversation or a group, or a group as a whole. Ids are the platform's. */
export interface RefusedParty {
  readonly channel: string;
  readonly accountId: string;
  readonly type: "sender" | "group";
  readonly id: string;
}

/** Refusals of a party since the start. */
interface Refusal extends RefusedParty {
  readonly count: number;
  readonly lastAtMs: number;
}

/** A refusal as it stands now. */
interface ListedRefusal extends Refusal {
  readonly missing: Missing;
}

/** A refusal with what the access decision reads of its newest message. */
interface RecordedRefusal extends Refusal {
  readonly message: MsgContext;
}

/** Strangers are without number; of more than these the longest silent one is forgotten. */
const MAX_PARTIES = 200;

/** Counts messages of parties that are not admitted, since the start. */
export class RefusedSenders {
  readonly #parties = new Map<string, RecordedRefusal>();
  #total = 0;

  /** Counts one message; true for the first of its party. */
  record(party: RefusedParty, { message, atMs }: { readonly message: MsgContext; readonly atMs: number }): boolean {
    const { channel, accountId, type, id } = party;
    const key = JSON.stringify([channel, accountId, type, id]);
    const known = this.#parties.get(key);
    this.#total += 1;
    this.#parties.delete(key);
    const count = (known?.count ?? 0) + 1;
    this.#parties.set(key, { channel, accountId, type, id, count, lastAtMs: atMs, message: withoutContent(message) });
    const oldest = this.#parties.keys().next().value;
    if (this.#parties.size > MAX_PARTIES && oldest !== undefined) this.#parties.delete(oldest);
    return known === undefined;
  }

  /** The parties for which `missingFor` says what is missing, the newest first, and all messages but those of parties admitted since. */
  list(missingFor: (message: MsgContext) => Missing | undefined): {
    readonly messages: number;
    readonly parties: readonly ListedRefusal[];
  } {
    let messages = this.#total;
    const parties: ListedRefusal[] = [];
    for (const { message, ...refusal } of this.#parties.values()) {
      const missing = missingFor(message);
      if (missing === undefined) messages -= refusal.count;
      else parties.unshift({ ...refusal, missing });
    }
    return { messages, parties };
  }
}

/** Strangers' texts are not kept. */
function withoutContent({ origin, eventId, messageId, timestampMs, event, sender, mentionsBot }: MsgContext): MsgContext {
  return { origin, eventId, messageId, timestampMs, event, sender, text: "", mentionsBot, attachments: [] };
}

/**
 * The shell command that admits a party; `undefined` for an id that is unsafe in a command, because ids are chosen by strangers, and where bots are not admitted at
 * all.
 */
export function admittingCommand({ channel, accountId, type, id }: RefusedParty, missing: Missing): string | undefined {
  if (missing === "bots") return undefined;
  const argument = shellArgument(id);
  return argument && `factotum access allow ${channel}:${accountId} ${argument}${type === "group" ? " --group" : ""}`;
}

/** An id as one inert argument. Single quotes need no escapes for these characters, among them the first one of an IRC channel's name. */
function shellArgument(id: string): string | undefined {
  if (id.length > 200) return undefined;
  if (/^(?:[\w.@:+=/][\w.@:+=/-]*|-\d+)$/.test(id)) return id;
  return /^[\p{L}\p{N}_.@:+=/#&!~%,^|[\]{}][\p{L}\p{N}_.@:+=/#&!~%,^|[\]{}-]*$/u.test(id) ? `'${id}'` : undefined;
}

/** Counts a refused message and logs its party, once, for the owner; the party itself gets no reply. */
export function reportRefusal(
  { message }: Pick<InputRecord, "message">,
  { missing, reason }: { readonly missing: Missing; readonly reason: string },
  { refused, clock, logger }: { readonly refused: RefusedSenders; readonly clock: Pick<Clock, "now">; readonly logger: Logger },
): void {
  const { channel, accountId, conversation } = message.origin;
  const type = missing === "group" ? "group" : "sender";
  const id = type === "group" ? (conversation.parentId ?? conversation.id) : message.sender.id;
  const party: RefusedParty = { channel, accountId, type, id };
  if (!refused.record(party, { message, atMs: clock.now() })) return;
  const admit = admittingCommand(party, missing);
  logger.info(`A message was refused, as ${reason}`, {
    channel,
    accountId,
    [type]: party.id,
    ...(admit === undefined ? {} : { admit, ...(type === "sender" && !message.sender.isBot ? { ifItIsYou: `${admit} --owner` } : {}) }),
  });
}
