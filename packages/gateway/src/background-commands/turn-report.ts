import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, RunFacts } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import { readAskingTurn } from "../queue/asking-turn.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { CommandRecord, InboxStore, InputAdmission, TurnStore } from "@factotum/store";

/**
 * The restrictions and the origin that a report takes over from the turn. In the session of a sub-agent the answer goes to its parent, and the report stays with
 * its task; that of what a person has asked for there goes to the person, within the bounds of the sub-agent.
 */
function boundsOf({ kind, spawn, subagent, job, extra, tree, ...admission }: InputAdmission): Partial<InputAdmission> {
  // The end of an unattended run's command is unattended, too: its turn asks no one, makes no jobs and changes no memory.
  const cause = admission.cause ?? (RUN_POLICY[kind].mayAsk ? undefined : kind);
  if (spawn === undefined) return withoutUndefined({ job, cause, tree, ...(subagent === undefined ? {} : { subagent, extra }) });
  const { isTask: _first, ...place } = spawn;
  return { kind: "subagent", spawn: place, ...withoutUndefined({ job, extra, cause, tree }) };
}

/**
 * The input that will report the outcome of a call to the session of its turn, still without its text: under the authority and the taint of that turn, and
 * answered where that turn was answered. `eventId` makes it unique: the store accepts it once. Rejects if no message asked for the run.
 */
export async function turnReport(
  eventId: string,
  { run, tainted }: { readonly run: Pick<RunFacts, "runId" | "owner" | "sessionKey" | "agentId">; readonly tainted: boolean },
  { store, clock }: { readonly store: Pick<InboxStore, "readInput"> & Pick<TurnStore, "readTurn">; readonly clock: Clock },
): Promise<CommandRecord["report"]> {
  const asking = await readAskingTurn(run.runId, store);
  if (asking === undefined) throw new Error("no message asked for this run, so its end could not be reported");
  const { turn, lead } = asking;
  const { sender, replyContext } = lead.message;
  const { author, agentToAgent, confinement } = lead.admission;
  const isListed = lead.admission.sessionKey === undefined || lead.admission.isListedOwner === true;
  return {
    message: {
      origin: turn.origin,
      eventId,
      messageId: messageId(""),
      timestampMs: clock.now(),
      event: { type: "message" },
      sender,
      text: "",
      // Groups answer only what is addressed to the assistant.
      mentionsBot: true,
      attachments: [],
      ...withoutUndefined({ replyContext }),
    },
    admission: {
      owner: run.owner,
      kind: "command",
      sessionKey: run.sessionKey,
      agentId: run.agentId,
      ...(tainted || lead.admission.tainted === true ? { tainted: true } : {}),
      ...(isListed ? { isListedOwner: true } : {}),
      ...withoutUndefined({ replyTo: turn.replyTo, author, agentToAgent, confinement }),
      ...boundsOf(lead.admission),
    },
  };
}
