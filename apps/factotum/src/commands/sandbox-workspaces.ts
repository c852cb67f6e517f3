import type { Dirent } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { parseAgentSessionKey, placeOfRun, workspaceRoot } from "@factotum/gateway";
import { findGateway, requestError } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { plainText } from "../runtime/foreign-text.ts";
import { relativeTime } from "../runtime/relative-time.ts";
import { renderTable } from "../runtime/render-table.ts";
import { usableConfig } from "./sandbox.ts";

/** A workspace of a sandbox. */
interface SandboxWorkspace {
  readonly path: string;
  /** The key of the session that works in it. Absent: it is shared by sessions, its session is gone, or no gateway runs. */
  readonly session?: string;
  /** The newest change of a file or folder in it. */
  readonly changedAtMs: number;
  readonly files: number;
  readonly bytes: number;
}

/** Names of workspaces; anything else in their folder is not ours. */
const NAME = /^(?:session-[0-9a-f]{16}|agent-.+|shared)$/;

/** Lists the workspaces of sandboxes, last changed first. A running gateway names their sessions. */
export async function sandboxList(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const sessions = await sessionsByFolder(context);
  const workspaces = (await findWorkspaces(context)).map((workspace) => ({
    ...workspace,
    ...withoutUndefined({ session: sessions.get(workspace.path) }),
  }));
  if (json) printJson(context, { workspaces });
  else if (workspaces.length === 0) context.note("factotum: there are no workspaces of sandboxes\n");
  else {
    const nowMs = Date.now();
    const rows = workspaces.map(({ path, session, changedAtMs, files, bytes }) => [
      path,
      session === undefined ? "-" : plainText(session),
      relativeTime(changedAtMs, nowMs),
      String(files),
      `${Math.ceil(bytes / 1024)} KB`,
    ]);
    context.print(renderTable(["WORKSPACE", "SESSION", "CHANGED", "FILES", "SIZE"], rows));
  }
  return EXIT.ok;
}

/** Deletes the workspaces in which nothing has changed for `olderThanMs`. Asks first; without a terminal, `yes` is required. */
export async function sandboxPrune(
  context: CliContext,
  { olderThanMs, yes, json }: { readonly olderThanMs: number; readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  const isOld = ({ changedAtMs }: SandboxWorkspace): boolean => changedAtMs <= Date.now() - olderThanMs;
  const old = (await findWorkspaces(context)).filter(isOld);
  if (old.length > 0 && !yes) {
    if (context.confirm === undefined)
      throw new CliError("usage", "Deleting workspaces needs a confirmation, and no terminal is attached.", {
        fix: "Pass --yes to do it.",
      });
    for (const { path, files } of old) context.note(`${path} (${files} files)\n`);
    if (!(await context.confirm(`Delete ${old.length === 1 ? "this workspace" : `these ${old.length} workspaces`} with all files?`))) {
      context.note("factotum: nothing was deleted\n");
      return EXIT.failure;
    }
  }
  for (const { path } of old) await rm(path, { recursive: true, force: true });
  if (json) printJson(context, { deleted: old.map(({ path }) => path) });
  else context.print(`${old.length} ${old.length === 1 ? "workspace was" : "workspaces were"} deleted.\n`);
  return EXIT.ok;
}

/** The keys of the sessions whose runs work in a folder of their own, by that folder; empty without a gateway. */
async function sessionsByFolder(context: CliContext): Promise<ReadonlyMap<string, string>> {
  const { config, paths } = await usableConfig(context);
  const agents = new Map(config.agents.map((agent) => [agent.id, agent]));
  const found = new Map<string, string>();
  using gateway = await findGateway(context);
  if (gateway === undefined) return found;
  let cursor: string | undefined;
  do {
    const page = await gateway.client
      .request("sessions.list", { limit: 200, ...withoutUndefined({ cursor }) }, { signal: context.signal })
      .catch((error: unknown) => {
        throw requestError(error);
      });
    for (const { key: sessionKey } of page.sessions) {
      const agent = agents.get(parseAgentSessionKey(sessionKey)?.agentId ?? "");
      if (agent?.sandbox.scope !== "session") continue;
      // Whether the session is a group's decides about its owner's runs alone.
      found.set(placeOfRun(agent, { owner: false, sessionKey, group: false }, paths.home).folder, sessionKey);
    }
    ({ cursor } = page);
  } while (cursor !== undefined);
  return found;
}

async function findWorkspaces(context: CliContext): Promise<readonly SandboxWorkspace[]> {
  const { config, paths } = await usableConfig(context);
  const own = new Set(config.agents.map(({ workspace }) => workspace));
  const roots = new Set(config.agents.map((agent) => workspaceRoot(agent, paths.home)));
  const found: SandboxWorkspace[] = [];
  for (const root of roots) {
    for (const entry of await entriesOf(root)) {
      const path = join(root, entry.name);
      if (entry.isDirectory() && NAME.test(entry.name) && !own.has(path)) found.push(await measure(path));
    }
  }
  return found.toSorted((one, other) => other.changedAtMs - one.changedAtMs);
}

/** Measures a tree without following symbolic links. */
async function measure(path: string): Promise<SandboxWorkspace> {
  let { mtimeMs: changedAtMs } = await lstat(path);
  let [files, bytes] = [0, 0];
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(folder)) {
      const inner = join(folder, entry.name);
      const stats = await lstat(inner).catch(gone);
      if (stats === undefined) continue;
      changedAtMs = Math.max(changedAtMs, stats.mtimeMs);
      if (entry.isDirectory()) folders.push(inner);
      else {
        files += 1;
        bytes += stats.size;
      }
    }
  }
  return { path, changedAtMs, files, bytes };
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return (await readdir(folder, { withFileTypes: true }).catch(gone)) ?? [];
}

/** A file or folder that is not there, or not any more. */
function gone(error: unknown): undefined {
  if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return undefined;
  throw error;
}
