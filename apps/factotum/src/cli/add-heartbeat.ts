import { Option, type Command } from "commander";
import { withoutUndefined } from "@factotum/agent-contract";
import type * as HeartbeatCommands from "../commands/heartbeat.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json, positive } from "./options.ts";

/** What wakes the assistant up: `factotum heartbeat`. */
export function addHeartbeat(program: Command, context: CliContext, finish: Finish): void {
  const heartbeat = program.command("heartbeat").description("what wakes the assistant up: list, runs, run");
  const load = async (): Promise<typeof HeartbeatCommands> => import("../commands/heartbeat.ts");
  heartbeat
    .command("list")
    .description("list the heartbeats of the agents, with their next and last run")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).heartbeatList(context, { json: options.json === true })));
  heartbeat
    .command("runs")
    .description("what became of each heartbeat, newest first")
    .option("--agent <id>", "the agent; the default agent if omitted")
    .addOption(new Option("--limit <number>", "how many, up to 200; 20 by default").argParser(positive))
    .addOption(json())
    .action(async ({ agent, limit, json: asJson }: { agent?: string; limit?: number; json?: boolean }) =>
      finish(await (await load()).heartbeatRuns(context, { json: asJson === true, ...withoutUndefined({ agentId: agent, limit }) })),
    );
  heartbeat
    .command("run")
    .description("run a heartbeat now, to see what it does")
    .option("--agent <id>", "the agent; the default agent if omitted")
    .addOption(json())
    .action(async ({ agent, json: asJson }: { agent?: string; json?: boolean }) =>
      finish(await (await load()).heartbeatRun(context, { json: asJson === true, ...withoutUndefined({ agentId: agent }) })),
    );
}
