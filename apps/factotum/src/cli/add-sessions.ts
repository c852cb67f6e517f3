import { Option } from "commander";
import type { Command } from "commander";
import type { SessionKind } from "@factotum/protocol";
import type * as AttachmentCommands from "../commands/sessions-attachment.ts";
import type * as BranchCommands from "../commands/sessions-branches.ts";
import type * as SearchCommands from "../commands/sessions-search.ts";
import type * as SessionCommands from "../commands/sessions.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json, positive } from "./options.ts";

/** Repeated here: the protocol is loaded only by commands that need it. */
const KINDS = ["main", "group", "cron", "hook", "node", "other"] as const satisfies readonly SessionKind[];

/** The parsed options of `sessions list`. */
interface ListFlags {
  readonly kind?: SessionKind;
  readonly agent?: string;
  readonly active?: number;
  readonly limit?: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

/** Sessions: `factotum sessions`. */
export function addSessions(program: Command, context: CliContext, finish: Finish): void {
  const sessions = program.command("sessions").description("conversations: list, show, export, import, reset, delete");
  const load = async (): Promise<typeof SessionCommands> => import("../commands/sessions.ts");
  sessions
    .command("list")
    .description("list them, newest activity first")
    .addOption(new Option("--kind <kind>", "only those of one kind").choices(KINDS))
    .option("--agent <id>", "only those of one agent")
    .addOption(new Option("--active <minutes>", "only those active in the last <minutes>").argParser(positive))
    .addOption(new Option("--limit <number>", "how many at most; 50 by default").argParser(positive))
    .option("--cursor <cursor>", "continue where a list ended")
    .addOption(json())
    .action(async (flags: ListFlags) => finish(await (await load()).sessionsList(context, { ...flags, json: flags.json === true })));
  addReading(sessions, context, finish);
  addBranches(sessions, context, finish);
  sessions
    .command("show")
    .description("show one with its newest messages; with --json, or without a terminal, everything stored of it")
    .argument("<key>")
    .addOption(json())
    .action(async (key: string, flags: { json?: boolean }) =>
      finish(await (await load()).sessionsShow(context, key, { json: flags.json === true })),
    );
  sessions
    .command("export")
    .description("export one as JSON lines, to standard output or a file")
    .argument("<key>")
    .option("-o, --output <file>", "a new file, readable only by you")
    .addOption(json())
    .action(async (key: string, { json: asJson, ...flags }: { output?: string; json?: boolean }) =>
      finish(await (await load()).sessionsExport(context, key, { ...flags, json: asJson === true })),
    );
  sessions
    .command("import")
    .description("import a sessions folder of OpenClaw or Clawdbot, or one transcript; existing conversations stay unchanged")
    .argument("<path>", "a folder with a sessions.json, or a .jsonl file")
    .option("--agent <id>", "the agent that gets them all; by default the agents that their keys name")
    .option("--key <key>", "the key of a single transcript")
    .option("--dry-run", "show what would be imported, without importing")
    .addOption(json())
    .action(async (path: string, { dryRun, json: asJson, ...flags }: { agent?: string; key?: string; dryRun?: boolean; json?: boolean }) =>
      finish(await (await load()).sessionsImport(context, path, { ...flags, dryRun: dryRun === true, json: asJson === true })),
    );
  addNames(sessions, context, finish);
  sessions
    .command("reset")
    .description("start the conversation over; the old transcript is kept")
    .argument("<key>")
    .addOption(json())
    .action(async (key: string, flags: { json?: boolean }) =>
      finish(await (await load()).sessionsReset(context, key, { json: flags.json === true })),
    );
  sessions
    .command("delete")
    .description("remove one; asks first")
    .argument("<key>")
    .option("--yes", "skip the confirmation")
    .addOption(json())
    .action(async (key: string, flags: { yes?: boolean; json?: boolean }) =>
      finish(await (await load()).sessionsDelete(context, key, { yes: flags.yes === true, json: flags.json === true })),
    );
}

/** How lists show a conversation: its name, and its marks. */
function addNames(sessions: Command, context: CliContext, finish: Finish): void {
  const load = async (): Promise<typeof SessionCommands> => import("../commands/sessions.ts");
  sessions
    .command("rename")
    .description("give a conversation a name; without one it has none")
    .argument("<key>")
    .argument("[name...]", "the words of the name")
    .addOption(json())
    .action(async (key: string, words: readonly string[], flags: { readonly json?: boolean }) =>
      finish(await (await load()).sessionsRename(context, key, { name: words.join(" "), json: flags.json === true })),
    );
  for (const [name, mark, description] of [
    ["pin", "pinned", "keep a conversation at the top of lists"],
    ["archive", "archived", "put a conversation away until someone writes in it; it stays in searches"],
  ] as const) {
    sessions
      .command(name)
      .description(description)
      .argument("<key>")
      .option("--off", "take it back")
      .addOption(json())
      .action(async (key: string, flags: { readonly off?: boolean; readonly json?: boolean }) =>
        finish(await (await load()).sessionsMark(context, key, { mark, isOn: flags.off !== true, json: flags.json === true })),
      );
  }
}

/** What is read of messages: search, and received files. */
function addReading(sessions: Command, context: CliContext, finish: Finish): void {
  sessions
    .command("search")
    .description("find titles and messages that have every word, newest first")
    .argument("<text...>", "the words")
    .option("--agent <id>", "only in sessions of one agent")
    .addOption(new Option("--limit <number>", "messages at most; 20 by default").argParser(positive))
    .addOption(json())
    .action(async (words: readonly string[], flags: { readonly agent?: string; readonly limit?: number; readonly json?: boolean }) => {
      const { sessionsSearch }: typeof SearchCommands = await import("../commands/sessions-search.ts");
      finish(await sessionsSearch(context, { ...flags, text: words.join(" "), json: flags.json === true }));
    });
  sessions
    .command("attachment")
    .description("write a file of a message into a new file")
    .argument("<key>")
    .argument("<id>", "the file's id, as chat.history has it")
    .requiredOption("-o, --output <file>", "a new file, readable only by you")
    .addOption(json())
    .action(async (key: string, id: string, flags: { readonly output: string; readonly json?: boolean }) => {
      const { sessionsAttachment }: typeof AttachmentCommands = await import("../commands/sessions-attachment.ts");
      finish(await sessionsAttachment(context, { key, id, output: flags.output, json: flags.json === true }));
    });
}

/** Branches of the transcript: messages that are sent again. */
function addBranches(sessions: Command, context: CliContext, finish: Finish): void {
  const load = async (): Promise<typeof BranchCommands> => import("../commands/sessions-branches.ts");
  sessions
    .command("edit")
    .description("send your newest message again with another text, in a new branch; the old one is kept")
    .argument("<key>")
    .argument("<text...>", "what it says now")
    .option("--message <id>", "an older message, by the id of its entry")
    .addOption(json())
    .action(async (key: string, words: readonly string[], flags: VersionFlags) =>
      finish(await (await load()).sessionsSendVersion(context, key, { ...flags, text: words.join(" "), json: flags.json === true })),
    );
  sessions
    .command("regenerate")
    .description("ask for another answer to your newest message, in a new branch; the old one is kept")
    .argument("<key>")
    .option("--message <id>", "an older message, by the id of its entry")
    .addOption(json())
    .action(async (key: string, flags: VersionFlags) =>
      finish(await (await load()).sessionsSendVersion(context, key, { ...flags, json: flags.json === true })),
    );
  sessions
    .command("branches")
    .description("list the messages that were sent in several versions")
    .argument("<key>")
    .addOption(json())
    .action(async (key: string, flags: { readonly json?: boolean }) =>
      finish(await (await load()).sessionsBranches(context, key, { json: flags.json === true })),
    );
  sessions
    .command("branch")
    .description("continue the branch that has a message")
    .argument("<key>")
    .argument("<id>", "the id of an entry, as sessions branches shows it")
    .addOption(json())
    .action(async (key: string, entryId: string, flags: { readonly json?: boolean }) =>
      finish(await (await load()).sessionsBranch(context, key, { entryId, json: flags.json === true })),
    );
}

interface VersionFlags {
  readonly message?: string;
  readonly json?: boolean;
}
