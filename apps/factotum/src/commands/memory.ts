import { plural, withoutUndefined } from "@factotum/agent-contract";
import type { MemorySearchHit, MemoryState, RpcMethods } from "@factotum/protocol";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { relativeTime } from "../runtime/relative-time.ts";

/** Whose memory, and how it is printed. */
export interface MemoryOptions {
  readonly agentId?: string;
  readonly json: boolean;
}

type MemoryMethod = Extract<keyof RpcMethods, `memory.${string}`>;

/** Shows what is indexed, and what is wrong. */
export async function memoryStatus(cli: CliContext, { json, ...params }: MemoryOptions): Promise<number> {
  const state = await request(cli, "memory.status", params);
  if (json) printJson(cli, state);
  else printState(cli, state);
  return EXIT.ok;
}

/** Searches, and prints each passage with its citation and score. */
export async function memorySearch(
  cli: CliContext,
  { json, ...params }: MemoryOptions & { readonly query: string; readonly maxResults?: number },
): Promise<number> {
  const found = await request(cli, "memory.search", params);
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
  const indexed = await request(cli, "memory.index", params);
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

async function request<Method extends MemoryMethod>(
  cli: CliContext,
  method: Method,
  params: RpcMethods[Method]["params"],
): Promise<RpcMethods[Method]["result"]> {
  using gateway = await connectGateway(cli);
  try {
    return await gateway.client.request(method, params, { signal: cli.signal });
  } catch (error) {
    throw requestError(error);
  }
}

function printState(cli: CliContext, { agentId, provider, works, files, chunks, sizeBytes, indexedAtMs, problems }: MemoryState): void {
  const indexed = [
    `${plural(files, "file")}, ${plural(chunks, "passage")}`,
    ...(sizeBytes === undefined ? [] : [`${Math.ceil(sizeBytes / 1024).toLocaleString("en")} KiB`]),
    indexedAtMs === undefined ? "not indexed yet" : `changed ${relativeTime(indexedAtMs, Date.now())}`,
  ];
  const rows = withoutUndefined({
    agent: agentId,
    provider: `${provider}${works ? "" : ", which cannot be used"}`,
    index: provider === "notes" ? indexed.join(", ") : undefined,
  });
  for (const [name, value] of Object.entries(rows)) cli.print(`${name.padEnd(10)}${terminalText(value)}\n`);
  for (const problem of problems) cli.print(`problem   ${terminalText(problem)}\n`);
}

function renderHit({ path, startLine, endLine, text, score, origin, day }: MemorySearchHit): string {
  const facts = [`score ${score}`, ...(day === undefined ? [] : [day]), ...(origin === "untrusted" ? ["may hold text of others"] : [])];
  const lines = text.split("\n").map((line) => `  ${line}`);
  return [`${path}#L${startLine}-L${endLine}  (${facts.join(", ")})`, ...lines].join("\n");
}
