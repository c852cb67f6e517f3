import { resolve } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { JsonObject } from "@factotum/agent-contract";
import type { RpcMethod, RpcMethods, SessionImportReport, SessionKind, SessionSummary } from "@factotum/protocol";
import { createPortableLines } from "@factotum/store";
import { CliError } from "../runtime/cli-error.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { paint } from "../runtime/paint.ts";
import { relativeTime } from "../runtime/relative-time.ts";
import { renderTable } from "../runtime/render-table.ts";
import { connectGateway, requestError, type ConnectedGateway } from "../rpc/connect-gateway.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { describeOrigin, sessionSummary } from "./describe-session.ts";
import { writeNewFile } from "./write-new-file.ts";

/** The filter of the list. */
export interface SessionListOptions {
  readonly kind?: SessionKind;
  readonly agent?: string;
  /** Minutes. */
  readonly active?: number;
  readonly limit?: number;
  readonly cursor?: string;
  readonly json: boolean;
}

/** Maximum per request. */
const PAGE = 200;

/** Lists sessions. Some kinds are rare, so pages are requested until there are enough. */
export async function sessionsList(cli: CliContext, options: SessionListOptions): Promise<number> {
  using gateway = await connectGateway(cli);
  const wanted = options.limit ?? 50;
  const sessions: SessionSummary[] = [];
  let { cursor } = options;
  do {
    const page = await ask(cli, gateway, "sessions.list", {
      limit: Math.min(PAGE, wanted - sessions.length),
      ...(options.kind === undefined ? {} : { kinds: [options.kind] }),
      ...withoutUndefined({ agentId: options.agent, activeMinutes: options.active, cursor }),
    });
    sessions.push(...page.sessions);
    ({ cursor } = page);
  } while (cursor !== undefined && sessions.length < wanted);
  if (options.json) printJson(cli, { sessions, ...withoutUndefined({ cursor }) });
  else {
    if (cli.isTerminal === true && sessions.length > 0) cli.print(sessionTable(cli, sessions));
    else for (const session of sessions) cli.print(`${describeSession(session)}\n`);
    if (sessions.length === 0) cli.note("factotum: there are no such sessions\n");
    if (cursor !== undefined) cli.note(`factotum: there are more: --cursor ${cursor}\n`);
  }
  return EXIT.ok;
}

/** Messages that a terminal shows of a session. */
const NEWEST = 20;

/** Shows everything known of a session; at a terminal a summary with its newest messages. */
export async function sessionsShow(cli: CliContext, key: string, options: { readonly json: boolean }): Promise<number> {
  const name = parseSessionName(key);
  using gateway = await connectGateway(cli);
  const found = await ask(cli, gateway, "sessions.show", { key: await sessionKeyOf(name, cli, gateway) });
  if (options.json) printJson(cli, found);
  else if (cli.isTerminal === true) {
    const { entries } = await ask(cli, gateway, "chat.history", { sessionKey: found.session.key, limit: NEWEST });
    cli.print(sessionSummary(cli, found, entries));
  } else cli.print(`${describeSession(found.session)}\n${describeRoute(found)}\n${JSON.stringify(found.entry, null, 2)}\n`);
  return EXIT.ok;
}

/**
 * Writes a session as JSON lines, with or without `json`, identical for every store, so that it can be imported. An existing file is not overwritten, and an
 * incomplete one is removed.
 */
export async function sessionsExport(
  cli: CliContext,
  written: string,
  options: { readonly output?: string; readonly json: boolean },
): Promise<number> {
  const { output } = options;
  const name = parseSessionName(written);
  using gateway = await connectGateway(cli);
  const key = await sessionKeyOf(name, cli, gateway);
  let entries = 0;
  if (output === undefined) for await (const line of exportLines(cli, gateway, key)) cli.print(line);
  else {
    await writeNewFile(output, async (file) => {
      for await (const line of exportLines(cli, gateway, key)) {
        await file.write(line);
        entries += 1;
      }
    });
    if (options.json) printJson(cli, { key, output: resolve(output), entries: entries - 1 });
    else cli.note(`factotum: ${key} stands in ${output}\n`);
  }
  return EXIT.ok;
}

async function* exportLines(cli: CliContext, gateway: ConnectedGateway, key: string): AsyncIterable<string> {
  const toPortable = createPortableLines();
  let from = {};
  for (;;) {
    const part = await ask(cli, gateway, "sessions.export", { key, ...from });
    for (const line of part.lines) yield `${JSON.stringify(toPortable(JSON.parse(line) as JsonObject))}\n`;
    if (part.after === undefined) return;
    from = { sessionId: part.sessionId, after: part.after };
  }
}

/** Imports sessions and reports what was imported, repaired and skipped. */
export async function sessionsImport(
  cli: CliContext,
  path: string,
  options: { readonly agent?: string; readonly key?: string; readonly dryRun: boolean; readonly json: boolean },
): Promise<number> {
  using gateway = await connectGateway(cli);
  const report = await ask(cli, gateway, "sessions.import", {
    path: resolve(path),
    dryRun: options.dryRun,
    ...withoutUndefined({ agentId: options.agent, key: options.key }),
  });
  if (options.json) printJson(cli, report);
  else for (const line of describeReport(report)) cli.print(`${line}\n`);
  if (options.dryRun && !options.json) cli.note("factotum: nothing was changed; without --dry-run this is what is done\n");
  return report.refused.length > 0 && report.imported.length === 0 ? EXIT.failure : EXIT.ok;
}

function describeReport({ imported, present, refused, unlisted }: SessionImportReport): readonly string[] {
  return [
    ...imported.flatMap(({ key, entries, problems, keptAside }) => [
      `taken    ${key}: ${entries} ${entries === 1 ? "entry" : "entries"}`,
      ...problems.map((problem) => `         ${problem}`),
      ...(keptAside === undefined ? [] : [`         its transcript could not be read; a copy is kept in ${keptAside}`]),
    ]),
    ...present.map((key) => `present  ${key}: it is here already`),
    ...refused.map(({ key, reason }) => `refused  ${key}: ${reason}`),
    ...unlisted.map((name) => `left     ${name}: no entry of sessions.json names it; it can be imported by itself`),
    `${imported.length} taken, ${present.length} here already, ${refused.length} refused, ${unlisted.length} left`,
  ];
}

/** Resets a session. */
export async function sessionsReset(cli: CliContext, key: string, options: { readonly json: boolean }): Promise<number> {
  const name = parseSessionName(key);
  using gateway = await connectGateway(cli);
  const result = await ask(cli, gateway, "sessions.reset", { key: await sessionKeyOf(name, cli, gateway) });
  if (options.json) printJson(cli, result);
  else cli.print(`${result.session.key} starts over as ${result.session.sessionId}.\n`);
  return EXIT.ok;
}

/** Deletes a session. Asks the person first; without a terminal, `yes` is required. */
export async function sessionsDelete(
  cli: CliContext,
  key: string,
  options: { readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  const name = parseSessionName(key);
  using gateway = await connectGateway(cli);
  const { session } = await ask(cli, gateway, "sessions.resolve", { key: await sessionKeyOf(name, cli, gateway) });
  if (!options.yes) {
    if (cli.confirm === undefined)
      throw new CliError("usage", `Removing ${session.key} needs a confirmation, and no terminal is attached.`, {
        fix: "Pass --yes to remove it.",
      });
    if (!(await cli.confirm(`Remove ${session.key} (${session.displayName}) and its whole conversation?`))) {
      cli.note("factotum: nothing was removed\n");
      return EXIT.failure;
    }
  }
  const result = await ask(cli, gateway, "sessions.delete", { key: session.key });
  if (options.json) printJson(cli, result);
  else cli.print(`${session.key} is removed.\n`);
  return EXIT.ok;
}

/** Pins or archives a session, or takes that back. */
export async function sessionsMark(
  cli: CliContext,
  key: string,
  { mark, isOn, json }: { readonly mark: "pinned" | "archived"; readonly isOn: boolean; readonly json: boolean },
): Promise<number> {
  return patchSession(cli, key, { change: { [mark]: isOn }, result: `is ${isOn ? "" : "no longer "}${mark}`, json });
}

/** Gives a session a name; an empty one takes it away. */
export async function sessionsRename(
  cli: CliContext,
  key: string,
  { name, json }: { readonly name: string; readonly json: boolean },
): Promise<number> {
  const label = name.trim() === "" ? null : name.trim();
  return patchSession(cli, key, { change: { label }, result: label === null ? "has no name" : `is called ${label}`, json });
}

async function patchSession(
  cli: CliContext,
  written: string,
  options: { readonly change: Omit<RpcMethods["sessions.patch"]["params"], "key">; readonly result: string; readonly json: boolean },
): Promise<number> {
  const name = parseSessionName(written);
  using gateway = await connectGateway(cli);
  const { session } = await ask(cli, gateway, "sessions.patch", { key: await sessionKeyOf(name, cli, gateway), ...options.change });
  if (options.json) printJson(cli, { session });
  else cli.note(`factotum: ${session.key} ${options.result}\n`);
  return EXIT.ok;
}

async function ask<Method extends RpcMethod>(
  cli: CliContext,
  gateway: ConnectedGateway,
  method: Method,
  params: RpcMethods[Method]["params"],
): Promise<RpcMethods[Method]["result"]> {
  try {
    return await gateway.client.request(method, params, { signal: cli.signal });
  } catch (error) {
    throw requestError(error);
  }
}

/** For a person's terminal. */
function sessionTable(cli: CliContext, sessions: readonly SessionSummary[]): string {
  const nowMs = Date.now();
  const rows = sessions.map(({ key, label, displayName, activeAtMs, contextTokens, model, running, interrupted = false }) => [
    key,
    label ?? displayName,
    relativeTime(activeAtMs, nowMs),
    contextTokens.toLocaleString("en-US"),
    model ?? "",
    running ? "running" : interrupted ? "interrupted" : "",
  ]);
  return renderTable(
    ["KEY", "NAME", "ACTIVE", "TOKENS", "MODEL", "STATE"].map((words) => paint(cli, "heading", words)),
    rows,
  );
}

/** The agent, and where the newest message of a person came from. */
function describeRoute(shown: RpcMethods["sessions.show"]["result"]): string {
  const origin = describeOrigin(shown);
  return `agent ${shown.session.agentId}${origin === undefined ? "" : `; last message from ${origin}`}`;
}

function describeSession(session: SessionSummary): string {
  const { key, kind, label, displayName, activeAtMs, contextTokens, running, interrupted = false } = session;
  const facts = [
    `${kind}, ${label ?? displayName}`,
    `active ${new Date(activeAtMs).toISOString()}`,
    `${contextTokens.toLocaleString("en-US")} tokens`,
    ...(session.model === undefined ? [] : [session.model]),
    ...(running ? ["running"] : interrupted ? ["interrupted"] : []),
  ];
  return `${key}  (${facts.join("; ")})`;
}
