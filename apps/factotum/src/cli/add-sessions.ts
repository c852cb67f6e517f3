import { Option } from "commander";
import type { Command } from "commander";
import type { SessionKind } from "@factotum/protocol";
import type * as SessionCommands from "../commands/sessions.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json, positive } from "./options.ts";

/** Written out here: the protocol is loaded when a command needs it. */
const KINDS = ["main", "group", "cron", "hook", "node", "other"] as const satisfies readonly SessionKind[];

/** The options of `sessions list` as they were read. */
interface ListFlags {
  readonly kind?: SessionKind;
  readonly agent?: string;
  readonly active?: number;
  readonly limit?: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

/** Conversations as a whole: `factotum sessions`. */
export function addSessions(program: Command, context: CliContext, finish: Finish): void {
  const sessions = program.command("sessions").description("conversations: list, look at, take out, bring in, begin anew, remove");
  const load = async (): Promise<typeof SessionCommands> => import("../commands/sessions.ts");
  sessions
    .command("list")
    .description("list them, newest activity first")
    .addOption(new Option("--kind <kind>", "only one kind").choices(KINDS))
    .option("--agent <id>", "only one agent's")
    .addOption(new Option("--active <minutes>", "only those in which something happened in the last minutes").argParser(positive))
    .addOption(new Option("--limit <number>", "at most so many; 50 when left out").argParser(positive))
    .option("--cursor <cursor>", "go on where a list ended")
    .addOption(json())
    .action(async (flags: ListFlags) => finish(await (await load()).sessionsList(context, { ...flags, json: flags.json === true })));
  sessions
    .command("show")
    .description("show everything that is known of one")
    .argument("<key>")
    .addOption(json())
    .action(async (key: string, flags: { json?: boolean }) =>
      finish(await (await load()).sessionsShow(context, key, { json: flags.json === true })),
    );
  sessions
    .command("export")
    .description("write one as JSON lines, to standard output or a file")
    .argument("<key>")
    .option("-o, --output <file>", "a file that is not there yet; only you may read it")
    .addOption(json())
    .action(async (key: string, { json: asJson, ...flags }: { output?: string; json?: boolean }) =>
      finish(await (await load()).sessionsExport(context, key, { ...flags, json: asJson === true })),
    );
  sessions
    .command("import")
    .description("take a sessions folder of OpenClaw or Clawdbot, or one transcript; what is here already is not touched")
    .argument("<path>", "a folder with a sessions.json, or a .jsonl file")
    .option("--agent <id>", "whose they all become; the agents that their keys name when left out")
    .option("--key <key>", "the key of a single transcript")
    .option("--dry-run", "say what would be taken, and take nothing")
    .addOption(json())
    .action(async (path: string, { dryRun, json: asJson, ...flags }: { agent?: string; key?: string; dryRun?: boolean; json?: boolean }) =>
      finish(await (await load()).sessionsImport(context, path, { ...flags, dryRun: dryRun === true, json: asJson === true })),
    );
  sessions
    .command("reset")
    .description("begin the conversation anew; what was said is kept")
    .argument("<key>")
    .addOption(json())
    .action(async (key: string, flags: { json?: boolean }) =>
      finish(await (await load()).sessionsReset(context, key, { json: flags.json === true })),
    );
  sessions
    .command("delete")
    .description("remove one; asks first")
    .argument("<key>")
    .option("--yes", "do not ask")
    .addOption(json())
    .action(async (key: string, flags: { yes?: boolean; json?: boolean }) =>
      finish(await (await load()).sessionsDelete(context, key, { yes: flags.yes === true, json: flags.json === true })),
    );
}
