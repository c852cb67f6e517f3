import type { AgentMessage, RunKind } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";

/** An input that was accepted: one message of a person or one event of a platform. Kept until its terminal state is old enough to forget. */
export interface InputRecord {
  readonly id: string;
  readonly message: MsgContext;
  /** What the gateway knew when it took the input, and the platform did not say. */
  readonly admission: InputAdmission;
  readonly receivedAtMs: number;
  readonly state: InputState;
  /** The turn that has claimed it. */
  readonly turnId?: string;
  /** It waits because its dead letter was replayed. */
  readonly isReplayed?: true;
  /** Attempts to begin its turn, if more than one was counted. */
  readonly attempts?: number;
}

/** Facts of an input that come from the gateway's own authentication and routing, never from its text. */
export interface InputAdmission {
  /** The sender holds the gateway's token, or the owner list names `channel:id`. */
  readonly owner: boolean;
  /** The key of a request that named one; it wins over routing. */
  readonly sessionKey?: string;
  /** The agent of a request that named one. */
  readonly agentId?: string;
  readonly kind: RunKind;
  /** The sender waits for an answer to this alone: it is never gathered with other messages or said into a turn at work. */
  readonly ownTurn?: true;
  /** The sender reads the model's thoughts beside the answer, whatever is chosen for the session. */
  readonly showThoughts?: true;
  /** `system` messages of an HTTP request: the Extra section of its prompt. */
  readonly extra?: string;
  /** Earlier messages that a request without a session brought along; they begin its transcript. */
  readonly history?: readonly AgentMessage[];
  /** When the session that is made for this input goes away by itself. */
  readonly expiresAtMs?: number;
}

/**
 * - `waiting`: committed, nobody works on it. - `claimed`: part of a turn that has not ended.
 * - `answered`: a reply was committed. - `silent`: the assistant chose to say nothing. - `suppressed`: the send policy held the reply back.
 * - `ignored`: not for us by policy (access, mention gate), or unattended work that was dropped; nobody is told. - `command`: handled without a turn.
 * - `interrupted`: its turn was stopped before it had answered: by a person, or by a newer message.
 * - `told`: it failed and the user was told, by a row or an entry of the same commit. - `dead`: it failed and nobody could be told, it was tried too
 *   often, or it came too late.
 */
export type InputState =
  | { readonly type: "waiting" | "claimed" | "answered" | "silent" | "suppressed" | "command" }
  | { readonly type: "ignored" | "interrupted" | "told" | "dead"; readonly reason: string };

/** States from which an input never comes back by itself. */
export type TerminalInputState = Exclude<InputState, { readonly type: "waiting" | "claimed" }>;
