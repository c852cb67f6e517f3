import { withoutUndefined } from "@factotum/agent-contract";
import { MAX_NOTE_TEXT_CHARS } from "@factotum/protocol";
import { requestGateway } from "../rpc/request-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { relativeTime } from "../runtime/relative-time.ts";
import type { MemoryOptions } from "./memory.ts";
import { describeWrite, readNewText, type WriteOptions } from "./write-text.ts";

/** A note of an agent. */
export interface NoteOptions extends MemoryOptions {
  readonly path: string;
}

/** Lists the notes in the workspace. */
export async function memoryNotes(cli: CliContext, { json, ...params }: MemoryOptions): Promise<number> {
  const found = await requestGateway(cli, "memory.list", params);
  if (json) {
    printJson(cli, found);
    return EXIT.ok;
  }
  for (const { path, sizeBytes, changedAtMs } of found.notes)
    cli.print(
      `${terminalText(path)}  (${sizeBytes} ${sizeBytes === 1 ? "byte" : "bytes"}, changed ${relativeTime(changedAtMs, Date.now())})\n`,
    );
  if (found.notes.length === 0) cli.note("factotum: there is no note yet\n");
  return EXIT.ok;
}

/** Prints a note. */
export async function memoryShow(cli: CliContext, { json, ...params }: NoteOptions): Promise<number> {
  const note = await requestGateway(cli, "memory.read", params);
  if (json) {
    printJson(cli, note);
    return EXIT.ok;
  }
  cli.print(terminalText(note.text));
  if (note.hasSecrets) cli.note("factotum: it has secrets, which are hidden\n");
  if (note.untrusted) cli.note("factotum: it may hold text of others\n");
  return EXIT.ok;
}

/** Writes a note. */
export async function memoryWrite(cli: CliContext, { json, source, baseHash, ...params }: NoteOptions & WriteOptions): Promise<number> {
  const text = await readNewText(cli, { maxChars: MAX_NOTE_TEXT_CHARS, ...withoutUndefined({ source }) });
  const base = baseHash ?? (await hashOf(cli, params));
  const written = await requestGateway(cli, "memory.write", { ...params, text, ...withoutUndefined({ baseHash: base }) });
  if (json) printJson(cli, written);
  else cli.print(`${describeWrite(written.path, { hadText: base !== undefined })}\n`);
  return EXIT.ok;
}

/** Removes a note. */
export async function memoryRemove(cli: CliContext, { json, ...params }: NoteOptions): Promise<number> {
  const { baseHash } = await requestGateway(cli, "memory.read", params);
  const removed = await requestGateway(cli, "memory.remove", { ...params, baseHash });
  if (json) printJson(cli, removed);
  else cli.print(`${terminalText(removed.path)} is removed. Its text is its newest version.\n`);
  return EXIT.ok;
}

/** Of a note that is there. */
async function hashOf(cli: CliContext, params: Omit<NoteOptions, "json">): Promise<string | undefined> {
  const { notes } = await requestGateway(cli, "memory.list", withoutUndefined({ agentId: params.agentId }));
  if (!notes.some(({ path }) => path === params.path)) return undefined;
  return (await requestGateway(cli, "memory.read", params)).baseHash;
}
