import type { JobChange, JobView } from "@factotum/agent-contract";
import type { JobRecord } from "@factotum/store";
import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";
import { RpcError } from "../kernel/rpc-error.ts";

const DEFAULT_RUNS = 20;
const DEFAULT_INSTANTS = 10;

/** The methods of scheduled jobs. The caller has the token: the owner. */
export function cronHandlers({
  schedule,
  sessions,
  parts,
}: Pick<Engine, "schedule" | "sessions" | "parts">): RpcHandlersOf<Extract<RpcMethod, `cron.${string}`>> {
  const { jobs } = schedule;
  const find = (named: string): JobRecord => {
    const job = jobs.find(named);
    if (job === undefined)
      throw new RpcError("not-found", `There is no job ${JSON.stringify(named)}. "factotum cron list" shows the jobs with their ids.`);
    return job;
  };
  return {
    "cron.list": async ({ agentId }) => ({ jobs: await jobs.list(agentId === undefined ? {} : { agentId: sessions.agentId(agentId) }) }),
    "cron.get": async ({ job }) => ({ job: await jobs.view(find(job)), grants: await jobs.grants(find(job)) }),
    "cron.add": async ({ agentId: named, spec }) => {
      const agentId = sessions.agentId(named);
      const authority = await schedule.ownerAuthority(agentId, spec);
      if (typeof authority === "string") throw new RpcError("invalid-request", authority);
      return { job: done(await jobs.add(spec, { agentId, authority })) };
    },
    "cron.update": async ({ job, change, unset }) => ({
      job: done(
        await jobs.update(find(job), change, {
          owner: true,
          // Who enables a job again has been told why it was disabled.
          allowsPrograms: change.enabled === true,
          ...(unset === undefined ? {} : { unset }),
        }),
      ),
    }),
    "cron.remove": async ({ job }) => ({ job: done(await jobs.remove(find(job))) }),
    "cron.run": async ({ job }) => {
      const view = done(await jobs.run(find(job)));
      return { job: view, slotMs: view.last?.slotMs ?? parts.clock.now() };
    },
    "cron.runs": async ({ job, limit = DEFAULT_RUNS }) => {
      const found = find(job);
      return { job: await jobs.view(found), runs: await jobs.runs(found, limit) };
    },
    "cron.preview": async ({ agentId: named, schedule: written, count = DEFAULT_INSTANTS }) => {
      const agentId = sessions.agentId(named);
      const instants = jobs.preview({ schedule: written }, agentId, count);
      if ("refusal" in instants) throw new RpcError("invalid-request", instants.refusal);
      return { instantsMs: instants, timezone: written.timezone ?? parts.running.agent(agentId).config.userTimezone };
    },
  };
}

/** The methods of heartbeats. The caller has the token: the owner. */
export function heartbeatHandlers({
  schedule: { heartbeats },
  sessions,
}: Pick<Engine, "schedule" | "sessions">): RpcHandlersOf<Extract<RpcMethod, `heartbeat.${string}`>> {
  return {
    "heartbeat.list": async () => ({ heartbeats: await heartbeats.list() }),
    "heartbeat.runs": async ({ agentId: named, limit = DEFAULT_RUNS }) => {
      const agentId = sessions.agentId(named);
      return { agentId, runs: await heartbeats.runs(agentId, limit) };
    },
    "heartbeat.run": async ({ agentId: named }) => {
      const agentId = sessions.agentId(named);
      const refusal = await heartbeats.run(agentId);
      if (refusal !== undefined) throw new RpcError("conflict", refusal);
      return { agentId };
    },
  };
}

function done(change: JobChange): JobView {
  if (change.type === "refused") throw new RpcError("invalid-request", change.message);
  return change.job;
}
