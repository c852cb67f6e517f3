import { messageId } from "@factotum/channel-contract";
import type { OwnInput, SpawnRecord } from "@factotum/store";
import { quoteLines } from "../kernel/quote-lines.ts";

/** What is said to a sub-agent after its task: in its session, with what it is bound to. */
export function steeringInput(
  { report, child }: Pick<SpawnRecord, "report" | "child">,
  said: { readonly text: string; readonly tainted: boolean; readonly eventId: string; readonly nowMs: number },
): OwnInput {
  const { replyContext: _context, ...address } = report.message;
  const { text, tainted, eventId, nowMs } = said;
  return {
    message: {
      ...address,
      eventId,
      messageId: messageId(""),
      timestampMs: nowMs,
      text: ["The one who gave you the task adds:", quoteLines(text)].join("\n"),
    },
    admission: { ...child, ...(tainted ? { tainted: true } : {}) },
  };
}
