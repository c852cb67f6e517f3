import type { AgentMessage, RunKind, ThinkingLevel, ToolSchema } from "@factotum/agent-contract";
import type { MessageId, MsgContext, Origin, Sender } from "@factotum/channel-contract";

/** An accepted input: one message of a person or one event of a platform. Kept until its terminal state is old enough to be pruned. */
export interface InputRecord {
  readonly id: string;
  readonly message: MsgContext;
  /** Facts that the gateway knew when it accepted the input and that the platform did not send. */
  readonly admission: InputAdmission;
  readonly receivedAtMs: number;
  readonly state: InputState;
  /** The turn that has claimed it. */
  readonly turnId?: string;
  /** It is waiting because its dead letter was replayed. */
  readonly isReplayed?: true;
  /** Attempts to begin its turn, if there was more than one. */
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
  /** The sender waits for an answer to this input alone: it is never merged with other messages or steered into a running turn. */
  readonly ownTurn?: true;
  /** It is another version of an earlier message: its turn begins a branch of the transcript from before that one. */
  readonly branch?: BranchFacts;
  /** The sender gets the model's thoughts in addition to the answer, regardless of the session's setting. */
  readonly showThoughts?: true;
  /** `system` messages of an HTTP request: the Extra section of its prompt. */
  readonly extra?: string;
  /** A system event: it begins no turn, and the next one of its session shows it. */
  readonly isEvent?: true;
  /**
   * Earlier messages, with which the transcript of a new session starts: those of a request without a session, or of a conversation that was forked. Those of a
   * fork are removed with the start of its turn, which stores them there.
   */
  readonly history?: readonly AgentMessage[];
  /** Tools of the client that waits for the answer: offered to the model in addition, and called by the client. */
  readonly clientTools?: readonly ToolSchema[];
  /** Results of the client's calls that the conversation waits for. */
  readonly clientResults?: readonly ClientResult[];
  /** The report of a background command whose turn had been given text of others than the owner (R23). */
  readonly tainted?: true;
  /** The owner's authority comes from the owner list although the input names its session: it ends when the list no longer names the sender. */
  readonly isListedOwner?: true;
  /** The platform's message that the answer replies to, if it is not the input itself. */
  readonly replyTo?: MessageId;
  /** The scheduled job, the webhook or the sub-agent that caused it, with what its run is bound to. */
  readonly job?: TaskBounds;
  /** The sub-agent whose session it belongs to. */
  readonly spawn?: SpawnFacts;
  /** A person's message to a sub-agent that is still open: its bounds apply, and the answer goes to the person. */
  readonly subagent?: SpawnFacts;
  /** A message of a conversation that is focused on another session, which `sessionKey` names. */
  readonly focus?: FocusFacts;
  /** The prompt with which a new session starts, instead of one of its own: that of the conversation whose messages are its `history`. */
  readonly fork?: ForkedPrompt;
  /** It reports the end of a sub-agent of its session. */
  readonly completion?: CompletionFacts;
  /**
   * The kind of the run that originally started it, if it is not its own: its model calls are charged to that, and if no one can be asked in that run, no one is
   * asked in its own.
   */
  readonly cause?: RunKind;
  /** The tree of sub-agents that it belongs to, with what all of them may use together. */
  readonly tree?: TreeBudget;
  /** Of a webhook: the digest of its body, which the repetition of a delivery has, too. Its event id is unique whatever its origin is. */
  readonly bodyDigest?: string;
  /** When the session created for this input expires. */
  readonly expiresAtMs?: number;
  /** What asked for it: it is forgotten together with that. */
  readonly madeBy?: InputSource;
  /** Whose authority it has, if its own address and sender are not those of the message that originally started it. */
  readonly author?: InputAuthor;
  /** A step of an exchange between two sessions, or the end of a command of one. */
  readonly agentToAgent?: AgentToAgentStep;
  /** A sandboxed run has caused it. */
  readonly confinement?: RunConfinement;
  /** Several agents answer its conversation; each has an input of its own. */
  readonly broadcast?: BroadcastPart;
}

/** Where a branch of a transcript begins. */
interface BranchFacts {
  /** The conversation that the message was sent in: in another one it is an ordinary message. */
  readonly sessionId: string;
  /** The entry before which the branch begins. */
  readonly before: string;
}

/** The part of one agent in a message that several agents answer. */
export interface BroadcastPart {
  readonly agentId: string;
  /** The input of the first agent, which has the ids of the platform. Absent: it is the first agent's. */
  readonly first?: string;
  /** The input of the agent before, which is answered first. Absent: it waits for no other agent. */
  readonly after?: string;
}

/** What an unattended input comes from. */
export interface InputSource {
  /** The session in which its job was made, or that its answer is recorded in. */
  readonly sessionKey: string;
  /** When its job was made, milliseconds since the epoch. */
  readonly atMs?: number;
}

/** The person whose message originally started it, and where that message came from. */
export interface InputAuthor {
  readonly origin: Origin;
  readonly sender: Sender;
}

/** What a run may do at most that a sandboxed run has caused: its commands stay in a sandbox. */
export interface RunConfinement {
  /** The only hosts that its commands may reach, as entries of `sandbox.network.allow`. */
  readonly hosts: readonly string[];
}

/** One step of an exchange between two sessions. */
export interface AgentToAgentStep {
  readonly exchangeId: string;
  /** `message`: its answer is the reply, which is sent to no chat. `announce`: its answer goes to the chat of the target. */
  readonly step: "message" | "announce";
  readonly requesterSession: string;
  readonly requesterChannel?: string;
  readonly targetSession: string;
  /** From 1 to `maxTurns`. */
  readonly turn: number;
  readonly maxTurns: number;
  /** The sessions that its words came through, oldest first; the last one has sent it. */
  readonly path: readonly string[];
  /** Only of an input that an older version has stored: as `cause` of its admission. */
  readonly cause?: RunKind;
}

/** What the runs of a sub-agent know of it. */
export interface SpawnFacts {
  readonly id: string;
  /** The session that asked for it. */
  readonly parentKey: string;
  /** The session that started the whole tree: its mode applies to all of it. */
  readonly rootKey: string;
  readonly depth: number;
  readonly maxDepth: number;
  /** The input is the task itself; the others are results of its own sub-agents, and words of its parent. */
  readonly isTask?: true;
  /** The task of a sub-agent that starts with the conversation of its parent. */
  readonly isFork?: true;
  /** It stays open after its task. */
  readonly isPersistent?: true;
}

/** Where a message of a focused conversation would go by itself. */
interface FocusFacts {
  readonly sessionKey: string;
  readonly agentId: string;
}

/** A stored prompt, as `readPrompt` finds it. */
export interface ForkedPrompt {
  readonly sessionId: string;
  readonly hash: string;
  readonly notAfterMs: number;
}

/** What the sub-agents of a tree may use together: fixed when its first one is started. Absent: no limit. */
export interface TreeBudget {
  /** The turn that has started the first of them. */
  readonly id: string;
  readonly tokens?: number;
  readonly usd?: number;
}

/** The end of a sub-agent, as its parent's input has it. */
export interface CompletionFacts {
  readonly id: string;
  readonly sessionKey: string;
  readonly state: string;
}

/** What the run of a scheduled job, of a webhook or of a sub-agent is bound to. */
export interface TaskBounds {
  readonly id: string;
  readonly name: string;
  /** Instead of the session's. */
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  /** Of a new session: the folder in which the owner's runs work instead of the agent's workspace. */
  readonly workspace?: string;
  /** The only tools that it may call. */
  readonly tools?: readonly string[];
  /** Tools that it may not call, as entries of a tool list. */
  readonly withoutTools?: readonly string[];
  /** Maximum duration, if shorter than the agent's own limit. */
  readonly timeoutMs?: number;
  /** No bootstrap files in its prompt. */
  readonly lightContext?: boolean;
  /** The session of the conversation that its answer is sent to. */
  readonly announceIn?: string;
}

/** The result of one call of a client's tool. */
export interface ClientResult {
  readonly callId: string;
  readonly text: string;
}

/**
 * - `waiting`: committed, not claimed by a turn. - `claimed`: part of a turn that has not ended.
 * - `answered`: a reply was committed. - `silent`: the assistant chose to say nothing. - `suppressed`: the send policy held the reply back.
 * - `ignored`: dropped by policy (access, mention gate), or unattended work that was dropped; the sender is not notified. - `command`: handled without a turn.
 * - `shown`: an event that was shown to the model with a turn of its session.
 * - `interrupted`: its turn was stopped before it had answered: by a person, or by a newer message.
 * - `told`: it failed and the user was notified, by a row or an entry of the same commit. - `dead`: it failed and the user could not be notified, it was tried
 *   too often, or it came too late.
 */
export type InputState =
  | { readonly type: "waiting" | "claimed" | "answered" | "silent" | "suppressed" | "command" | "shown" }
  | { readonly type: "ignored" | "interrupted" | "told" | "dead"; readonly reason: string };

/** States that an input leaves only by an explicit replay. */
export type TerminalInputState = Exclude<InputState, { readonly type: "waiting" | "claimed" }>;
