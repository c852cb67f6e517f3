import type { RunFacts } from "@factotum/agent-contract";
import { codeSpan } from "./approval-texts.ts";
import type { AskingRun } from "./waiting-calls.ts";

/** Longest name of a group or a person that a request shows. */
const MAX_NAME_CHARS = 60;

/** The sub-agent that asks in its task, for an owner who reads the request elsewhere; `undefined` for other runs. A model chooses its name. */
export function askedBy({ turn, said }: Pick<AskingRun, "turn" | "said">): string | undefined {
  const name = turn.kind === "subagent" ? said().at(-1)?.admission.job?.name : undefined;
  return name === undefined ? undefined : `Asked by the sub-agent ${nameOf(name)}.`;
}

/** Where a call was asked for, by whom, and the folder it is about, for an owner who reads the request elsewhere. People choose names, so they are marked off. */
export function askedIn({ turn, said }: Pick<AskingRun, "turn" | "said">, { workspace }: Pick<RunFacts, "workspace">): string {
  const { channel, conversation } = turn.origin;
  const newest = said().at(-1);
  const where =
    conversation.kind === "direct"
      ? "in a direct conversation"
      : `in the ${conversation.kind} ${nameOf(newest?.message.group?.subject ?? conversation.id)}`;
  const sender = newest?.message.sender;
  const who = newest?.admission.owner === true ? "you" : sender === undefined ? "somebody" : `${nameOf(sender.name ?? sender.id)}, not you`;
  return `Asked ${where} on ${channel} by ${who}; the folder is ${codeSpan(workspace)}.`;
}

function nameOf(name: string): string {
  const characters = Array.from(name.replaceAll(/\s+/gu, " ").replaceAll('"', "'"));
  const shown = characters.length > MAX_NAME_CHARS ? `${characters.slice(0, MAX_NAME_CHARS).join("")}…` : characters.join("");
  return codeSpan(`"${shown}"`);
}
