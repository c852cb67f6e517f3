import type { RunFailureCode } from "@factotum/agent-contract";

/** The failure of an agent's newest run. */
export interface FailedAgentRun {
  readonly agentId: string;
  /** For the owner, without secrets. */
  readonly text: string;
  readonly atMs: number;
  /** False for what passes by itself. */
  readonly needsOwner: boolean;
}

/** Failures that say something of the agent's model or of this installation, and whether the owner has to act; others concern one conversation. */
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

/** Agents whose newest run has failed for a reason that is not the conversation's, until one of their runs is done again. */
export class FailedRuns {
  readonly #byAgent = new Map<string, FailedAgentRun>();

  /** Records how a run of the agent failed. */
  record(run: Pick<FailedAgentRun, "agentId" | "text" | "atMs"> & { readonly code: RunFailureCode }): void {
    const needsOwner = NEEDS_OWNER[run.code];
    if (needsOwner === undefined) return;
    const { agentId, text, atMs } = run;
    this.#byAgent.set(agentId, { agentId, text, atMs, needsOwner });
  }

  /** A run of the agent is done. */
  clear(agentId: string): void {
    this.#byAgent.delete(agentId);
  }

  of(agentId: string): FailedAgentRun | undefined {
    return this.#byAgent.get(agentId);
  }

  list(): readonly FailedAgentRun[] {
    return [...this.#byAgent.values()];
  }
}
