import { Option } from "commander";
import type { Command } from "commander";
import { withoutUndefined } from "@factotum/agent-contract";
import type * as DeadLetterCommands from "../commands/dead-letters.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { age, json, positive } from "./options.ts";

/** Dead letters: `factotum deadletters`. */
export function addDeadLetters(program: Command, context: CliContext, finish: Finish): void {
  const letters = program.command("deadletters").description("messages that were never answered or delivered: list, show, retry, delete");
  const load = async (): Promise<typeof DeadLetterCommands> => import("../commands/dead-letters.ts");
  letters
    .command("list")
    .description("list them, newest first")
    .addOption(new Option("--type <type>", "only those of one kind").choices(["input", "outbound"]))
    .addOption(new Option("--limit <number>", "how many at most, up to 200").argParser(positive))
    .option("--cursor <cursor>", "continue where a list ended")
    .addOption(json())
    .action(async (options: { type?: "input" | "outbound"; limit?: number; cursor?: string; json?: boolean }) =>
      finish(await (await load()).deadLettersList(context, { ...options, json: options.json === true })),
    );
  letters
    .command("show")
    .description("show one with everything stored about it")
    .argument("<id>")
    .addOption(json())
    .action(async (id: string, options: { json?: boolean }) =>
      finish(await (await load()).deadLettersShow(context, id, { json: options.json === true })),
    );
  letters
    .command("replay")
    .description("retry one")
    .argument("<id>")
    .option("--yes", "even if it may already have been delivered, so that it may appear twice")
    .addOption(json())
    .action(async (id: string, options: { yes?: boolean; json?: boolean }) =>
      finish(await (await load()).deadLettersReplay(context, id, { yes: options.yes === true, json: options.json === true })),
    );
  letters
    .command("purge")
    .description("delete some for good")
    .argument("[id...]")
    .addOption(new Option("--older-than <age>", "everything that failed longer ago than this, such as 7d").argParser(age))
    .addOption(json())
    .action(async (ids: string[], options: { olderThan?: number; json?: boolean }) =>
      finish(
        await (
          await load()
        ).deadLettersPurge(context, ids, {
          json: options.json === true,
          ...withoutUndefined({ olderThanMs: options.olderThan }),
        }),
      ),
    );
}
