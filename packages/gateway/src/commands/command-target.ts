import type { Clock } from "@factotum/agent-contract";
import type { InputRecord, SessionPatch, SessionRecord, SessionStore } from "@factotum/store";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { SessionEvents } from "../events/session-events.ts";

/** The message of a command, and its session. */
export interface CommandTarget {
  readonly sessionKey: string;
  /** The agent that the message was routed to. */
  readonly agentId: string;
  readonly input: InputRecord;
}

/** The session, if it exists, and its agent. */
export interface CommandSession {
  readonly record: SessionRecord | undefined;
  readonly agent: AgentRuntime;
  /** The external agent that a binding gives the chat of the command to, as a model. It answers unless a model was chosen. */
  readonly bound?: string | undefined;
}

/** The dependencies of a target session. */
export interface TargetSessionOptions {
  readonly store: SessionStore;
  readonly running: RunningConfig;
  readonly conversations: Conversations;
  readonly events: SessionEvents;
  readonly clock: Clock;
}

/** The session of a command. */
export class TargetSession {
  readonly target: CommandTarget;
  readonly #options: TargetSessionOptions;

  constructor(target: CommandTarget, options: TargetSessionOptions) {
    this.target = target;
    this.#options = options;
  }

  async read(): Promise<CommandSession> {
    const { store, running, conversations } = this.#options;
    const { sessionKey, agentId, input } = this.target;
    return { record: await store.readSession(sessionKey), agent: running.agent(agentId), bound: conversations.boundModel(input) };
  }

  /** Creates the session's conversation, unless it exists. */
  async ensure(): Promise<SessionRecord> {
    return this.#options.conversations.ensure(this.target);
  }

  /** Stores a setting of the conversation on its session. */
  async choose(overrides: NonNullable<SessionPatch["overrides"]>): Promise<void> {
    const { store, events, clock } = this.#options;
    await this.ensure();
    await store.patchSession(this.target.sessionKey, { overrides }, { nowMs: clock.now() });
    events.sessionChanged(this.target.sessionKey);
  }
}
