import { isDeepStrictEqual } from "node:util";
import type { Clock } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { JobRecord } from "@factotum/store";
import type { TurnQueue } from "../queue/turn-queue.ts";
import { heartbeatId, heartbeatJob } from "./heartbeat-job.ts";
import { heartbeatSkip } from "./heartbeat-gate.ts";
import type { JobBook } from "./job-book.ts";
import { ownerTarget } from "./owner-target.ts";
import type { OwnerTargetParts } from "./owner-target.ts";
import type { PreparedJob } from "./prepared-job.ts";

/** Dependencies of heartbeats. */
export interface HeartbeatsOptions extends OwnerTargetParts {
  readonly book: JobBook;
  readonly queue: TurnQueue;
  readonly clock: Clock;
  /** True if something waits to be shown to the next turn of a session. */
  readonly hasEvents: (sessionKey: string) => boolean;
}

/** The heartbeats of agents: system jobs, which follow the configuration. */
export class Heartbeats {
  readonly #options: HeartbeatsOptions;

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
  }

  /** Brings the jobs in line with the configuration. */
  async sync(): Promise<void> {
    const { book, running, clock } = this.#options;
    const configured = new Map(
      running.agents.list().flatMap(({ config }) => (config.heartbeat === "off" ? [] : [[config.id, config.heartbeat] as const])),
    );
    for (const { id, agentId, system } of book.list()) if (system === "heartbeat" && !configured.has(agentId)) await book.remove(id);
    const { mainKey } = running.config.session;
    for (const [agentId, config] of configured) {
      const before = book.get(heartbeatId(agentId));
      const job = heartbeatJob(agentId, config, { before, mainKey, nowMs: clock.now() });
      if (!isDeepStrictEqual(job, before)) await book.add(job);
    }
  }

  /** The heartbeat with the address of its answer, or why it is left out: nothing is asked of a model then. */
  async prepare(job: JobRecord, sessionKey: string): Promise<PreparedJob> {
    const { running, queue, clock, hasEvents } = this.#options;
    const agent = running.agents.get(job.agentId)?.config;
    if (agent === undefined || agent.heartbeat === "off") return { skip: "it is switched off" };
    const place = { workspace: agent.workspace, nowMs: clock.now(), timeZone: agent.userTimezone, hasEvents: hasEvents(sessionKey) };
    const skip = (await heartbeatSkip(agent.heartbeat, place)) ?? (queue.lanes.isBusy(sessionKey) ? "busy" : undefined);
    if (skip !== undefined) return { skip };
    const target = await this.#targetOf(job, agent.heartbeat.target);
    if (target === "none") return { job: { ...job, spec: { ...job.spec, delivery: { type: "none" } } } };
    return typeof target === "string" ? { skip: `no-route: ${target}` } : { job: { ...job, target } };
  }

  /** The address of the answer; a text says why there is none. */
  async #targetOf({ agentId, authority }: JobRecord, target: string): Promise<Origin | string> {
    return target === "none" ? "none" : ownerTarget({ agentId, target, fallback: authority.origin }, this.#options);
  }
}
