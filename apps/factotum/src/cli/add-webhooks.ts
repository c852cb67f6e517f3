import { withoutUndefined } from "@factotum/agent-contract";
import { Option, type Command } from "commander";
import type * as WebhookCommands from "../commands/webhooks.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json, positive } from "./options.ts";

/** Requests of other systems: `factotum webhooks`. */
export function addWebhooks(program: Command, context: CliContext, finish: Finish): void {
  const webhooks = program.command("webhooks").description("requests of other systems: list, deliveries, test");
  const load = async (): Promise<typeof WebhookCommands> => import("../commands/webhooks.ts");
  webhooks
    .command("list")
    .description("list the addresses, what proves a request, and what it does")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).webhooksList(context, { json: options.json === true })));
  webhooks
    .command("deliveries")
    .description("list which requests came, and what became of each")
    .addOption(new Option("--limit <number>", "how many, up to 100; 20 by default").argParser(positive))
    .addOption(json())
    .action(async ({ limit, json: asJson }: { limit?: number; json?: boolean }) =>
      finish(await (await load()).webhooksDeliveries(context, { json: asJson === true, ...withoutUndefined({ limit }) })),
    );
  webhooks
    .command("test")
    .description("send a correctly signed request to the running gateway, and show its answer")
    .argument("<name>", "wake, agent, or the name of a mapping")
    .requiredOption("--file <path>", "the body; - for standard input")
    .addOption(
      new Option("--header <line>", "a further header, such as 'x-github-event: issues'; can be repeated").argParser(collect).default([]),
    )
    .addOption(json())
    .action(async (name: string, options: { file: string; header: readonly string[]; json?: boolean }) =>
      finish(
        await (await load()).webhooksTest(context, { name, file: options.file, headers: options.header, json: options.json === true }),
      ),
    );
}

function collect(line: string, before: readonly string[]): readonly string[] {
  return [...before, line];
}
