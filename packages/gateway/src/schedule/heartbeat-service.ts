import { withoutUndefined } from "@factotum/agent-contract";
import type { HeartbeatSummary, OccurrenceShape } from "@factotum/protocol";
import type { JobStore } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { sessionOfRun } from "./agent-turn.ts";
import { startOfSlot } from "./due-slots.ts";
import { heartbeatId } from "./heartbeat-job.ts";
import type { JobBook } from "./job-book.ts";
import { shownOccurrence } from "./job-service.ts";

/** Makes an agent's heartbeat due now: `busy` while one runs, `none` if there is no heartbeat. */
export type Beat = (agentId: string) => Promise<"started" | "busy" | "none">;

interface HeartbeatServiceOptions {
  readonly book: Pick<JobBook, "get">;
  readonly store: Pick<JobStore, "listOccurrences">;
  readonly running: RunningConfig;
  readonly beat: Beat;
}

/** The heartbeats of agents, for the owner. */
export class HeartbeatService {
  readonly #options: HeartbeatServiceOptions;

  constructor(options: HeartbeatServiceOptions) {
    this.#options = options;
  }

  /** One for each agent, in the order of the agents; those that are off have nothing but their agent. */
  async list(): Promise<readonly HeartbeatSummary[]> {
    const { book, running } = this.#options;
    return Promise.all(
      running.agents.list().map(async ({ config: { id: agentId, heartbeat } }): Promise<HeartbeatSummary> => {
        const job = book.get(heartbeatId(agentId));
        if (heartbeat === "off" || job === undefined || job.spec.payload.type !== "agentTurn") return { agentId };
        const [last] = await this.runs(agentId, 1);
        const { every, target, activeHours, model } = heartbeat;
        const nextAtMs = job.nextSlotMs === undefined ? undefined : startOfSlot(job, job.nextSlotMs);
        const sessionKey = sessionOfRun(job, { slotMs: 0 }, running.config.session.mainKey);
        const facts = { every, target, prompt: job.spec.payload.message, sessionKey, failures: job.failures };
        return { agentId, on: { ...facts, ...withoutUndefined({ activeHours, model, nextAtMs, last }) } };
      }),
    );
  }

  /** Newest first. */
  async runs(agentId: string, limit: number): Promise<readonly OccurrenceShape[]> {
    return (await this.#options.store.listOccurrences(heartbeatId(agentId), { limit })).map(shownOccurrence);
  }

  /** Runs one now. A text says why it does not run. */
  async run(agentId: string): Promise<string | undefined> {
    const begun = await this.#options.beat(agentId);
    if (begun === "none") return `The agent ${agentId} has no heartbeat. Switch it on first.`;
    return begun === "busy" ? "The heartbeat is running. Wait for its end." : undefined;
  }
}
