import { messageId } from "@factotum/channel-contract";
import type { CallOptions, Origin, Outbound, Reconciliation } from "@factotum/channel-contract";
import type { FetchedMessage } from "../context/message-item.ts";
import type { MessageReads } from "../context/message-reads.ts";

/** Messages that are looked through. */
const LIMIT = 100;
const UNKNOWN: Reconciliation = { type: "unknown" };

/**
 * As `Channel.reconcile`. The platform does not return the `uuid` of a send, so texts are compared, without markup: it shows Markdown in another form. If the
 * bot wrote other messages since, a message without a text of its own (a card, a file) stays unknown. Compares times of the platform with the caller's, so it is
 * of use only where the clocks agree; it is asked after the hour of the `uuid`, in which a repeated send is safe.
 */
export async function reconcileSend(
  messages: MessageReads,
  target: Origin,
  outbound: Outbound,
  options: CallOptions & { readonly sentAtMs: number },
): Promise<Reconciliation> {
  const { id, threadId } = target.conversation;
  if (!id.startsWith("oc_")) return UNKNOWN;
  try {
    const found = await messages.history({ chatId: id, threadRootId: threadId }, { signal: options.signal, limit: LIMIT });
    const own = found.filter(({ isSelf, timestampMs }) => isSelf && timestampMs >= options.sentAtMs);
    const reachesBack = found.length < LIMIT || (found[0]?.timestampMs ?? 0) < options.sentAtMs;
    return compare(own, outbound, reachesBack);
  } catch {
    // The caller treats it as not known, like any other question without an answer.
    return UNKNOWN;
  }
}

function compare(own: readonly FetchedMessage[], outbound: Outbound, reachesBack: boolean): Reconciliation {
  const wanted = outbound.type === "text" ? lettersOf(outbound.text) : "";
  const shown = wanted === "" ? undefined : own.find(({ text }) => lettersOf(text) === wanted);
  if (shown !== undefined) return { type: "shown", messageIds: [messageId(shown.id)] };
  if (!reachesBack) return UNKNOWN;
  return own.length === 0 || wanted !== "" ? { type: "not-shown" } : UNKNOWN;
}

function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}
