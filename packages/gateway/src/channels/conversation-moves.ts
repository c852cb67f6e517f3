import { withoutUndefined } from "@factotum/agent-contract";
import type { Conversation, Origin } from "@factotum/channel-contract";
import type { ConversationMove } from "@factotum/store";

/** Where messages to an address are sent. */
export interface CurrentAddress {
  readonly target: Origin;
  /** When the conversation moved for the last time, milliseconds since the epoch; absent if it has not. Ids of earlier messages are not valid there. */
  readonly movedAtMs?: number;
}

/** The earlier addresses of a conversation, and of the conversation that its thread belongs to; newest first. */
export interface EarlierAddresses {
  readonly conversations: readonly Conversation[];
  readonly parentIds: readonly string[];
}

/**
 * Conversations whose platform has given them another id, such as a group that was converted. The store has each move since the commit of its event; this is
 * the copy that is asked for every message.
 *
 * A session stays under the key of its first address, so that its history, settings, threads, bindings and freshness stay as they are; messages go to the
 * newest one. Access rules that name an earlier id apply to the conversation as well: the platform says that it is the same group, and nobody who is not
 * allowed there could have moved it. A rule for the current id precedes them.
 */
export class ConversationMoves {
  /** By the old address. */
  readonly #next = new Map<string, ConversationMove>();
  /** By the new address, in the order of the moves. */
  readonly #previous = new Map<string, readonly ConversationMove[]>();

  /** Adds a move that is on disk. Ignores one from an address that has moved before, and one that would lead back to it. */
  add(move: ConversationMove): void {
    const from = addressKey(move, move.from.id);
    const to = addressKey(move, move.to.id);
    if (this.#next.has(from) || this.#chainOf(move, move.to.id).some(({ to: { id } }) => id === move.from.id) || from === to) return;
    this.#next.set(from, move);
    this.#previous.set(to, [...(this.#previous.get(to) ?? []), move]);
  }

  /** The newest address of a conversation. A thread keeps its id. */
  current(target: Origin): CurrentAddress {
    const { conversation } = target;
    const last = this.#chainOf(target, conversation.id).at(-1);
    if (last !== undefined) {
      const moved = { ...last.to, ...withoutUndefined({ threadId: conversation.threadId }) };
      return { target: { ...target, conversation: moved }, movedAtMs: last.movedAtMs };
    }
    const parentId = conversation.parentId === undefined ? undefined : this.#chainOf(target, conversation.parentId).at(-1)?.to.id;
    return { target: parentId === undefined ? target : { ...target, conversation: { ...conversation, parentId } } };
  }

  /** The address that a conversation's session has its key of: the oldest one that it continues. */
  original(origin: Origin): Origin {
    const oldest = this.#continuedBy(origin).at(-1);
    return oldest === undefined ? origin : atAddress(origin, oldest);
  }

  /** The addresses of a session's conversation, oldest first, its own last. */
  addressesOf(origin: Origin): readonly Origin[] {
    return [
      ...this.#continuedBy(origin)
        .map((from) => atAddress(origin, from))
        .toReversed(),
      origin,
    ];
  }

  /** Every earlier address that leads to a conversation, whether or not its session continues there. */
  earlierOf(origin: Origin): EarlierAddresses {
    const { id, parentId } = origin.conversation;
    const parents = parentId === undefined ? [] : this.#before(origin, parentId);
    return { conversations: this.#before(origin, id), parentIds: parents.map((parent) => parent.id) };
  }

  /** The ids by which access rules may name a conversation or the one that its thread belongs to, in the order of their precedence. */
  idsOf(origin: Origin): readonly string[] {
    const { id, parentId } = origin.conversation;
    const { conversations, parentIds } = this.earlierOf(origin);
    return [id, ...conversations.map((earlier) => earlier.id), ...(parentId === undefined ? [] : [parentId]), ...parentIds];
  }

  /** The moves that follow each other from an address on. */
  #chainOf(account: Pick<Origin, "channel" | "accountId">, id: string): readonly ConversationMove[] {
    const chain: ConversationMove[] = [];
    let move = this.#next.get(addressKey(account, id));
    for (; move !== undefined; move = this.#next.get(addressKey(account, move.to.id))) chain.push(move);
    return chain;
  }

  /** Newest first. */
  #continuedBy(origin: Origin): readonly Conversation[] {
    const earlier: Conversation[] = [];
    const previous = (id: string): Conversation | undefined =>
      this.#previous.get(addressKey(origin, id))?.find(({ isContinued }) => isContinued)?.from;
    for (let from = previous(origin.conversation.id); from !== undefined; from = previous(from.id)) earlier.push(from);
    return earlier;
  }

  /** Newest first. */
  #before(account: Pick<Origin, "channel" | "accountId">, id: string): readonly Conversation[] {
    const direct = this.#previous.get(addressKey(account, id)) ?? [];
    return direct.toReversed().flatMap(({ from }) => [from, ...this.#before(account, from.id)]);
  }
}

function atAddress(origin: Origin, from: Conversation): Origin {
  return { ...origin, conversation: { ...from, ...withoutUndefined({ threadId: origin.conversation.threadId }) } };
}

function addressKey({ channel, accountId }: Pick<Origin, "channel" | "accountId">, id: string): string {
  return JSON.stringify([channel, accountId, id]);
}
