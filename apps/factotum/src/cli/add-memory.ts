import { Option, type Command } from "commander";
import { addWrite, writeOptions, type WriteFlags } from "./add-write.ts";
import { withoutUndefined } from "@factotum/agent-contract";
import type * as MemoryCommands from "../commands/memory.ts";
import type * as NotesCommands from "../commands/memory-notes.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import type * as ForgetCommands from "../commands/memory-forget.ts";
import { json, moment, positive } from "./options.ts";

interface Common {
  readonly agent?: string;
  readonly json?: boolean;
}

interface ForgetFlags {
  readonly session?: string;
  readonly since?: number;
  readonly until?: number;
  readonly search?: string;
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** What the assistant remembers: `factotum memory`. */
export function addMemory(program: Command, context: CliContext, finish: Finish): void {
  const memory = program
    .command("memory")
    .description("what the assistant remembers: status, search, index, notes, show, write, remove, versions, restore, audit, forget");
  const load = async (): Promise<typeof MemoryCommands> => import("../commands/memory.ts");
  const optionsOf = ({ agent, json: asJson }: Common): MemoryCommands.MemoryOptions => ({
    json: asJson === true,
    ...withoutUndefined({ agentId: agent }),
  });
  const add = (name: string, description: string): Command =>
    memory.command(name).description(description).option("--agent <id>", "the agent; the default agent if omitted").addOption(json());
  add("status", "show what is indexed of notes and conversations, and what is not searched").action(async (options: Common) =>
    finish(await (await load()).memoryStatus(context, optionsOf(options))),
  );
  add("search", "search as the assistant does, and cite the passages")
    .argument("<query...>")
    .addOption(new Option("--max <number>", "how many passages at most, up to 50; 6 by default").argParser(positive))
    .addOption(new Option("--source <source>", "search only notes, or only what was said").choices(["notes", "sessions"]))
    .action(async (words: string[], options: Common & { max?: number; source?: "notes" | "sessions" }) => {
      const sources = options.source === undefined ? undefined : [options.source];
      const query = { query: words.join(" "), ...withoutUndefined({ maxResults: options.max, sources }) };
      return finish(await (await load()).memorySearch(context, { ...optionsOf(options), ...query }));
    });
  add("index", "bring the index up to date, and say what changed")
    .option("--force", "read every note again, and build the index from nothing")
    .action(async (options: Common & { force?: boolean }) =>
      finish(await (await load()).memoryIndex(context, { ...optionsOf(options), rebuild: options.force === true })),
    );
  addNotes(context, finish, { add, optionsOf });
  add("versions", "list what notes held before the assistant changed them")
    .argument("[path]", "a note, such as MEMORY.md: its versions")
    .option("--show <id>", "print the text of this version")
    .action(async (path: string | undefined, options: Common & { show?: string }) =>
      finish(await (await load()).memoryVersions(context, { ...optionsOf(options), ...withoutUndefined({ path, id: options.show }) })),
    );
  add("restore", "give a note back what it held; its present text becomes a version")
    .argument("<path>", "the note")
    .argument("<id>", "the version, as versions lists it")
    .action(async (path: string, id: string, options: Common) =>
      finish(await (await load()).memoryRestore(context, { ...optionsOf(options), path, id })),
    );
  add("audit", "list the entries of the notes: which turn wrote them, and what is wrong with them").action(async (options: Common) =>
    finish(await (await load()).memoryAudit(context, optionsOf(options))),
  );
  memory
    .command("forget")
    .description(
      "forget a conversation, a time or a text, everywhere; shows what would go, then asks. A running gateway has to restart for it",
    )
    .option("--session <key>", "everything of this session, and of those that it has begun")
    .addOption(new Option("--since <time>", "everything from this time on: 2h, 7d, 2026-01-30 or 2026-01-30T18:00").argParser(moment))
    .addOption(new Option("--until <time>", "with --since: only before this time").argParser(moment))
    .option("--search <text>", "every exchange in which this text was said, and every line of a note with it")
    .option("--dry-run", "show what would be forgotten, and change nothing")
    .option("--restart", "restart the gateway if it runs: its start forgets")
    .option("--yes", "skip the confirmation")
    .addOption(json())
    .action(async ({ dryRun, restart, yes, json: asJson, ...scope }: ForgetFlags) => {
      const { memoryForget }: typeof ForgetCommands = await import("../commands/memory-forget.ts");
      return finish(
        await memoryForget(context, {
          ...scope,
          dryRun: dryRun === true,
          restart: restart === true,
          yes: yes === true,
          json: asJson === true,
        }),
      );
    });
}

interface NoteCommands {
  readonly add: (name: string, description: string) => Command;
  readonly optionsOf: (common: Common) => MemoryCommands.MemoryOptions;
}

/** The notes themselves. */
function addNotes(context: CliContext, finish: Finish, { add, optionsOf }: NoteCommands): void {
  const load = async (): Promise<typeof NotesCommands> => import("../commands/memory-notes.ts");
  add("notes", "list the notes in the workspace").action(async (options: Common) =>
    finish(await (await load()).memoryNotes(context, optionsOf(options))),
  );
  add("show", "print a note, with the secrets that the gateway knows hidden")
    .argument("<path>", "MEMORY.md, USER.md, or a Markdown file in memory")
    .action(async (path: string, options: Common) => finish(await (await load()).memoryShow(context, { ...optionsOf(options), path })));
  addWrite(add("write", "give a note a new text; its present text becomes a version").argument("<path>", "the note")).action(
    async (path: string, source: string | undefined, options: Common & WriteFlags) =>
      finish(await (await load()).memoryWrite(context, { ...optionsOf(options), path, ...writeOptions(source, options) })),
  );
  add("remove", "remove a note; its text becomes a version")
    .argument("<path>", "the note")
    .action(async (path: string, options: Common) => finish(await (await load()).memoryRemove(context, { ...optionsOf(options), path })));
}
