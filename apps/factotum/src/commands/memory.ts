import { plural, withoutUndefined } from "@factotum/agent-contract";
import type { MemoryAuditEntry, MemoryAuditNote, MemorySearchHit, MemoryState } from "@factotum/protocol";
import { requestGateway } from "../rpc/request-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { relativeTime } from "../runtime/relative-time.ts";

/** Whose memory, and how it is printed. */
export interface MemoryOptions {
  readonly agentId?: string;
  readonly json: boolean;
}

/** Shows what is indexed, and what is wrong. */
export async function memoryStatus(cli: CliContext, { json, ...params }: MemoryOptions): Promise<number> {
  const state = await requestGateway(cli, "memory.status", params);
  if (json) printJson(cli, state);
  else printState(cli, state);
  return EXIT.ok;
}

/** Searches, and prints each passage with its citation and score. */
export async function memorySearch(
  cli: CliContext,
  {
    json,
    ...params
  }: MemoryOptions & { readonly query: string; readonly maxResults?: number; readonly sources?: readonly ("notes" | "sessions")[] },
): Promise<number> {
  const found = await requestGateway(cli, "memory.search", params);
  if (json) {
    printJson(cli, found);
    return EXIT.ok;
  }
  cli.print(found.hits.map((hit) => `${terminalText(renderHit(hit))}\n`).join("\n"));
  if (found.hits.length === 0) cli.note("factotum: nothing was found\n");
  if (found.degraded !== undefined) cli.note(`factotum: less complete than usual: ${terminalText(found.degraded)}\n`);
  return EXIT.ok;
}

/** Brings the index up to date, and prints what changed. */
export async function memoryIndex(cli: CliContext, { json, ...params }: MemoryOptions & { readonly rebuild: boolean }): Promise<number> {
  const indexed = await requestGateway(cli, "memory.index", params);
  if (json) {
    printJson(cli, indexed);
    return EXIT.ok;
  }
  const { status, changed, changes } = indexed;
  for (const { type, path } of changes) cli.print(`${type.padEnd(9)}${terminalText(path)}\n`);
  if (changed > changes.length) cli.print(`and ${changed - changes.length} more\n`);
  if (changed === 0) cli.print("Nothing has changed.\n");
  printState(cli, status);
  return EXIT.ok;
}

/** Lists the notes that have versions, or the versions of one; with `id` prints the text of that version. */
export async function memoryVersions(
  cli: CliContext,
  { json, path, id, ...params }: MemoryOptions & { readonly path?: string; readonly id?: string },
): Promise<number> {
  if (path !== undefined && id !== undefined) {
    const version = await requestGateway(cli, "memory.version", { ...params, path, id });
    if (json) printJson(cli, version);
    else cli.print(terminalText(version.text));
    return EXIT.ok;
  }
  const found = await requestGateway(cli, "memory.versions", { ...params, ...withoutUndefined({ path }) });
  if (json) {
    printJson(cli, found);
    return EXIT.ok;
  }
  const rows =
    path === undefined
      ? found.notes.map(
          ({ path: note, count, newestAtMs }) => `${note}  (${plural(count, "version")}, ${relativeTime(newestAtMs, Date.now())})`,
        )
      : found.versions.map(
          ({ id: one, atMs, sizeBytes, untrusted }) =>
            `${one}  (${plural(sizeBytes, "byte")}, until ${relativeTime(atMs, Date.now())}${untrusted ? ", may hold text of others" : ""})`,
        );
  for (const row of rows) cli.print(`${terminalText(row)}\n`);
  if (rows.length === 0) cli.note(`factotum: ${path === undefined ? "no note has been changed yet" : `${path} has no versions`}\n`);
  return EXIT.ok;
}

/** Writes a version into its note. */
export async function memoryRestore(
  cli: CliContext,
  { json, path, id, ...params }: MemoryOptions & { readonly path: string; readonly id: string },
): Promise<number> {
  const restored = await requestGateway(cli, "memory.restore", { ...params, path, id });
  if (json) printJson(cli, restored);
  else cli.print(`${terminalText(restored.path)} is as it was. What it held until now is its newest version.\n`);
  return EXIT.ok;
}

/** Lists the entries of the notes: where they come from, and what is wrong with them. */
export async function memoryAudit(cli: CliContext, { json, ...params }: MemoryOptions): Promise<number> {
  const audited = await requestGateway(cli, "memory.audit", params);
  if (json) {
    printJson(cli, audited);
    return EXIT.ok;
  }
  const entries = audited.notes.flatMap((note) => note.entries);
  const found = [...audited.notes, ...entries].flatMap(({ findings }) => findings);
  cli.print(audited.notes.map((note) => terminalText(renderAudit(note))).join(""));
  const counts = [plural(audited.notes.length, "note"), `${entries.length} ${entries.length === 1 ? "entry" : "entries"}`];
  cli.print(`${counts.join(", ")}, ${plural(found.length, "finding")}.\n`);
  return EXIT.ok;
}

function renderAudit({ path, findings, entries }: MemoryAuditNote): string {
  const rows = [
    ...findings.map(({ type, message }) => `${path}\n  ${type}: ${message}`),
    ...entries.flatMap((entry) => [
      `${path}#L${entry.startLine}-L${entry.endLine}  (${renderSource(entry)})`,
      ...entry.text.split("\n").map((line) => `  ${line}`),
      ...entry.findings.map(({ type, message }) => `  ${type}: ${message}`),
    ]),
  ];
  return rows.map((row) => `${row}\n`).join("");
}

function renderSource({ origin, source }: MemoryAuditEntry): string {
  if (source === undefined) return origin ?? "no tool wrote it";
  return `${origin ?? "agent"}, ${source.kind} run ${source.turnId} of ${source.sessionKey}, ${relativeTime(source.atMs, Date.now())}`;
}

function printState(
  cli: CliContext,
  { agentId, provider, works, files, conversations = 0, chunks, sizeBytes, indexedAtMs, embedded, problems }: MemoryState,
): void {
  const indexed = [
    plural(files, "file"),
    ...(conversations === 0 ? [] : [plural(conversations, "conversation")]),
    plural(chunks, "passage"),
    ...(sizeBytes === undefined ? [] : [`${Math.ceil(sizeBytes / 1024).toLocaleString("en")} KiB`]),
    indexedAtMs === undefined ? "not indexed yet" : `changed ${relativeTime(indexedAtMs, Date.now())}`,
  ];
  const rows = withoutUndefined({
    agent: agentId,
    provider: `${provider}${works ? "" : ", which cannot be used"}`,
    index: provider === "notes" ? indexed.join(", ") : undefined,
    vectors: provider === "notes" ? vectorsText(chunks, embedded) : undefined,
  });
  for (const [name, value] of Object.entries(rows)) cli.print(`${name.padEnd(10)}${terminalText(value)}\n`);
  for (const problem of problems) cli.print(`problem   ${terminalText(problem)}\n`);
}

function vectorsText(chunks: number, embedded: MemoryState["embedded"]): string {
  if (embedded === undefined) return "none: words alone are compared (memory.embeddings.model is not set)";
  return `${embedded.model}, ${embedded.chunks} of ${plural(chunks, "passage")}`;
}

function renderHit({ path, source, startLine, endLine, text, score, origin, day }: MemorySearchHit): string {
  const facts = [`score ${score}`, ...(day === undefined ? [] : [day]), ...(origin === "untrusted" ? ["may hold text of others"] : [])];
  const lines = text.split("\n").map((line) => `  ${line}`);
  const place = source === "sessions" ? path : `${path}#L${startLine}-L${endLine}`;
  return [`${place}  (${facts.join(", ")})`, ...lines].join("\n");
}
