import type { ModelClient, ModelInfo } from "./model.ts";
import type { RunFacts } from "./run.ts";

/** The provider in references of external agents: `acp/<id>`. */
export const EXTERNAL_PROVIDER = "acp";

/** The conversation that an external agent is given, and what is known of it from before. */
export interface ExternalConversation {
  /** A run of the conversation; the agent works in its folder. */
  readonly run: RunFacts;
  /** The agent's own id of the conversation, as `remember` got it; absent: it was never prompted here. */
  readonly known?: string;
  /** The run began in a process that is gone, so that its prompt may have reached the agent. */
  readonly isResumed: boolean;
  /** Stores the agent's own id. Awaited before the first prompt. */
  readonly remember: (id: string) => Promise<void>;
}

/** An external agent that runs. */
export interface ExternalAgentView {
  readonly agent: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly state: "starting" | "working" | "idle";
  /** It can continue the conversation after a restart. */
  readonly canLoad: boolean;
}

/** Agents of others, each process with one conversation. Implemented by `acp-client`, used by the gateway. */
export interface ExternalAgents {
  /** Ids of the configured agents. */
  ids(): readonly string[];
  /** Why an agent cannot be started, such as a program that is missing; `undefined`: no problem is known. Looks at the disk. */
  problemOf(id: string): string | undefined;
  /**
   * The agent as the model of one conversation: what is new in a request since its last answer is the prompt. The agent's own requests for files, commands and
   * decisions are tool calls of its answers (`read`, `write`, `exec`, `process`, and `EXTERNAL_PERMISSION`), whose results it gets as answers. What it does with
   * its own tools, and its plans, are calls that are `external`: `EXTERNAL_CALL` and `update_plan`.
   */
  client(id: string, conversation: ExternalConversation): ModelClient;
  /** The agents that run, the one that was used last at the end. */
  list(): readonly ExternalAgentView[];
  /** Ends the agents of a session. Resolves when nothing of them runs; no-op without one. */
  close(sessionKey: string): Promise<void>;
}

/** The tool by which an external agent asks for a decision about something that it does itself. Its arguments: `agent`, `title` and `action`. */
export const EXTERNAL_PERMISSION = "agent_permission";

/**
 * The name of what an external agent does with a tool of its own. Its arguments: `title`, `agent`, and what the agent says of `kind`, `locations`
 * (`[{path, line}]`) and `edits` (`[{path, oldText, newText}]`).
 */
export const EXTERNAL_CALL = "agent_call";

/** An external agent as a model. It compacts its conversation itself, so its window is nominal; its tokens are those that it reports. */
export function externalModelInfo(id: string): ModelInfo {
  return {
    provider: EXTERNAL_PROVIDER,
    id,
    // It has no wire format of a model.
    api: "demo",
    contextWindow: 1_000_000,
    maxOutput: 100_000,
    input: ["text", "image"],
    tools: "native",
    reasoning: true,
    known: true,
  };
}
