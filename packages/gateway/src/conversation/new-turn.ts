import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage } from "@factotum/agent-contract";
import type { InputRecord, NewTurn, TranscriptBody } from "@factotum/store";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { SessionFacts } from "./session-context.ts";
import { sessionName } from "./session-name.ts";
import { inputsOf, leadInput, messagesIn } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";

/** What a job's turn begins with. */
export interface TurnBeginning extends Pick<NewTurn, "id" | "prompt"> {
  readonly sessionKey: string;
  /** Older turns as they were rendered again for this one. */
  readonly replacement?: TranscriptBody | undefined;
  /** The newest of them are the job's. */
  readonly messages: readonly AgentMessage[];
  readonly nowMs: number;
}

/** The first commit of a job's turn. Pure. */
export function createNewTurn(job: InputJob, beginning: TurnBeginning, context: SessionFacts): NewTurn {
  const lead = leadInput(job);
  const { message, admission } = lead;
  const { sessionKey, replacement, messages, nowMs, ...named } = beginning;
  return {
    ...named,
    session: {
      key: sessionKey,
      sessionId: context.sessionId,
      agentId: job.agentId,
      isPrivate: admission.owner && !context.isGroup,
      displayName: sessionName(message, context.channel?.capabilities.addressing === "platform"),
      ...withoutUndefined({ expiresAtMs: admission.expiresAtMs }),
    },
    touch: touchOf(lead, nowMs),
    kind: admission.kind,
    origin: message.origin,
    owner: admission.owner,
    inputIds: inputsOf(job).map(({ id }) => id),
    replyTo: (messagesIn(job).at(-1)?.input.message ?? message).messageId,
    entries: [
      ...(replacement === undefined ? [] : [replacement]),
      ...messages.map((entry) => ({ type: "message" as const, message: entry })),
    ],
    startedAtMs: nowMs,
  };
}

/** What nobody said keeps no session fresh, and is no way to anybody. */
function touchOf({ message, admission }: InputRecord, nowMs: number): NewTurn["touch"] {
  return {
    ...(RUN_POLICY[admission.kind].isFromPerson ? { interactedAtMs: nowMs } : {}),
    ...(RUN_POLICY[admission.kind].isAttended ? { lastOrigin: message.origin } : {}),
    ...(admission.owner ? {} : { endsPrivacy: true }),
  };
}
