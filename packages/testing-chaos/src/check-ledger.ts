import type { Ledger, LedgerInput, LedgerReport, LedgerVerdict, ObservedSend } from "./ledger.ts";

/**
 * Joins every input with every send that the platform saw. An acknowledged input must have been answered once, in its own conversation; an unacknowledged one
 * at most once. Only sends that were on the wire when the gateway died are ambiguous, on a channel that does not deduplicate sends, and there only one message
 * for each such request. Pure; the order of neither side matters.
 */
export function checkLedger(ledger: Ledger): LedgerReport {
  const known = new Map(ledger.inputs.map((input) => [input.id, input]));
  if (known.size !== ledger.inputs.length) throw new Error("Two inputs of a ledger have one id: answers could not be told apart.");
  const answers = new Map<string, ObservedSend[]>();
  const verdicts: LedgerVerdict[] = [];
  for (const send of ledger.sends) {
    const input = send.answers === undefined ? undefined : known.get(send.answers);
    if (input === undefined) {
      if (send.shown) verdicts.push({ type: "unasked", conversation: send.conversation, send: send.id });
    } else if (input.conversation === send.conversation) {
      answers.set(input.id, [...(answers.get(input.id) ?? []), send]);
    } else if (send.shown) {
      const { id, conversation } = input;
      verdicts.push({ type: "wrong-chat", input: id, conversation, shownIn: send.conversation, send: send.id });
    }
  }
  let answered = 0;
  for (const input of ledger.inputs) {
    const sends = answers.get(input.id) ?? [];
    const found = judge(input, sends, ledger.idempotentSends);
    if (found.length === 0 && sends.some(({ shown }) => shown)) answered += 1;
    verdicts.push(...found);
  }
  const counts = { lost: 0, doubled: 0, "wrong-chat": 0, unasked: 0, ambiguous: 0 };
  for (const { type } of verdicts) counts[type] += 1;
  return { verdicts, counts, answered, isClean: verdicts.length === counts.ambiguous };
}

function judge({ id, conversation, acknowledged }: LedgerInput, sends: readonly ObservedSend[], idempotentSends: boolean): LedgerVerdict[] {
  // A reply with a visible later message must have all messages before it. Without any, there must be a first one.
  const last = sends.length === 0 ? (acknowledged ? 0 : -1) : Math.max(...sends.map(({ part }) => part));
  return Array.from({ length: last + 1 }, (_, part) => part).flatMap((part): LedgerVerdict[] => {
    const tries = sends.filter((send) => send.part === part);
    const shown = tries.filter((send) => send.shown);
    if (shown.length === 1) return [];
    const cut = idempotentSends ? [] : tries.filter((send) => send.onWireAtKill);
    const base = { input: id, conversation, part };
    if (shown.length === 0) {
      if (!acknowledged) return [];
      return [cut.length > 0 ? { ...base, type: "ambiguous", sends: cut.map((send) => send.id) } : { ...base, type: "lost" }];
    }
    const isExplained = cut.filter((send) => send.shown).length >= shown.length - 1;
    return [{ ...base, type: isExplained ? "ambiguous" : "doubled", sends: shown.map((send) => send.id) }];
  });
}
