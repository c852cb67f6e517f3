import { type Command, Option } from "commander";
import type * as UsageCommands from "../commands/usage.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json, moment, positive } from "./options.ts";

const GROUPS = ["day", "model", "cause", "agent", "channel", "session"] as const;

/** Tokens and cost: `factotum usage`. */
export function addUsage(program: Command, context: CliContext, finish: Finish): void {
  const load = async (): Promise<typeof UsageCommands> => import("../commands/usage.ts");
  program
    .command("usage")
    .description("show tokens and cost of a period, and what remains of today's caps")
    .option("--since <time>", "its beginning; 30 days before its end by default", moment)
    .option("--until <time>", "its end; now by default", moment)
    .addOption(new Option("--by <group...>", "how to group it; several make finer groups").choices(GROUPS).default(["day"]))
    .option("--timezone <zone>", "whose days count; that of the default agent's user by default")
    .option("--limit <n>", "groups at most", positive)
    .addOption(json())
    .action(async (options: Omit<Parameters<typeof UsageCommands.usage>[1], "json"> & { readonly json?: boolean }) =>
      finish(await (await load()).usage(context, { ...options, json: options.json === true })),
    );
}
