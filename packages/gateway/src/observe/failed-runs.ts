import type { RunFailureCode } from "@factotum/agent-contract";

/** The failure of an agent's newest run. */
export interface FailedAgentRun {
  readonly agentId: string;
  /** The conversation of the run. */
  readonly sessionKey: string;
  /** For the owner, without secrets. */
  readonly text: string;
  readonly atMs: number;
  /** False for failures that end by themselves. */
  readonly needsOwner: boolean;
}

/** Failures that concern the agent's model or this installation, and whether the owner has to act; others concern one conversation. */
const NEEDS_OWNER: Readonly<Partial<Record<RunFailureCode, boolean>>> = {
  unauthorized: true,
  billing: true,
  "not-found": true,
  internal: true,
  unreachable: true,
  "rate-limited": false,
  overloaded: false,
  timeout: false,
  truncated: false,
  server: false,
};

/** The newest failure of each agent, until one of its runs succeeds. */
export class FailedRuns {
  readonly #byAgent = new Map<string, FailedAgentRun & { readonly concernsConversation: boolean }>();

  /** Records how a run of the agent failed. */
  record(run: Omit<FailedAgentRun, "needsOwner"> & { readonly code: RunFailureCode }): void {
    const { agentId, sessionKey, text, atMs } = run;
    const needsOwner = NEEDS_OWNER[run.code];
    const failed = { agentId, sessionKey, text, atMs };
    this.#byAgent.set(agentId, { ...failed, needsOwner: needsOwner ?? false, concernsConversation: needsOwner === undefined });
  }

  /** A run of the agent is done. */
  clear(agentId: string): void {
    this.#byAgent.delete(agentId);
  }

  of(agentId: string): FailedAgentRun | undefined {
    return this.#byAgent.get(agentId);
  }

  /** Failures that concern more than one conversation. */
  list(): readonly FailedAgentRun[] {
    return [...this.#byAgent.values()].filter(({ concernsConversation }) => !concernsConversation);
  }
}
