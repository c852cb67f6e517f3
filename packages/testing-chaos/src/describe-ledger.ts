import type { Ledger, LedgerReport, LedgerVerdict } from "./ledger.ts";

/** The report for people: the counts, then each verdict with both sides of its input. No empty lines, one fact per line. */
export function describeLedger(ledger: Ledger, report: LedgerReport): string {
  const counts = Object.entries(report.counts).map(([type, count]) => `${count} ${type}`);
  const head = `${ledger.inputs.length} inputs, ${report.answered} answered once, ${counts.join(", ")}`;
  return [head, ...report.verdicts.flatMap((verdict) => [describeVerdict(verdict), ...describeSides(ledger, verdict)])].join("\n");
}

function describeVerdict(verdict: LedgerVerdict): string {
  switch (verdict.type) {
    case "unasked":
      return `unasked: ${verdict.send} in ${verdict.conversation}`;
    case "wrong-chat":
      return `wrong-chat: ${verdict.input} of ${verdict.conversation} was answered in ${verdict.shownIn}`;
    default:
      return `${verdict.type}: ${verdict.input} of ${verdict.conversation}, message ${verdict.part}`;
  }
}

function describeSides(ledger: Ledger, verdict: LedgerVerdict): string[] {
  if (verdict.type === "unasked") return [];
  const input = ledger.inputs.find(({ id }) => id === verdict.input);
  const said = `  said in ${input?.conversation ?? "?"}, ${input?.acknowledged === true ? "acknowledged" : "never acknowledged"}`;
  const sends = ledger.sends.filter(({ answers }) => answers === verdict.input);
  return [
    said,
    ...sends.map(
      ({ id, conversation, part, shown, onWireAtKill }) =>
        `  sent ${id} to ${conversation}, message ${part}, ${shown ? "shown" : "not shown"}${onWireAtKill ? ", on the wire at a kill" : ""}`,
    ),
  ];
}
