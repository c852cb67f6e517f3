import { messageId } from "@factotum/channel-contract";
import type { OwnInput, SpawnRecord } from "@factotum/store";
import { quoteLines } from "../kernel/quote-lines.ts";
import { renderSteering } from "../kernel/subagent-text.ts";

/** The event of the one input that has a sub-agent correct its result. */
export function correctionEvent({ id }: Pick<SpawnRecord, "id">): string {
  return `subagent-correct:${id}`;
}

/** Has a sub-agent write its result again, once. */
export function correctionInput(spawn: Pick<SpawnRecord, "id" | "report" | "child">, problem: string, nowMs: number): OwnInput {
  const said = steeringInput(spawn, { text: "", tainted: false, eventId: correctionEvent(spawn), nowMs });
  const text = [
    "Your result does not have the form that was asked for:",
    quoteLines(problem),
    "Write the whole result again, as one JSON value that fits the schema, and nothing else.",
  ].join("\n");
  return { ...said, message: { ...said.message, text } };
}

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
      text: renderSteering(text),
    },
    admission: { ...child, ...(tainted ? { tainted: true } : {}) },
  };
}
