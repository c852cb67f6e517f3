import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { ResolvedAgent } from "@factotum/config";
import { placeOfRun } from "../agents/run-place.ts";
import { RpcError } from "../kernel/rpc-error.ts";

/** The session that gets a folder, and its agent. */
export interface FolderOptions {
  readonly agent: Pick<ResolvedAgent, "id" | "workspace" | "sandbox">;
  readonly sessionKey: string;
  /** The state directory. */
  readonly home: string;
}

/**
 * The folder in which the owner's runs of a session work, with its links resolved. Rejects with an `RpcError` for a missing folder, for one that
 * contains the gateway's state or lies in it, for one that contains the whole home, and for one that the owner's sandboxed runs would not see.
 */
export async function checkSessionFolder(asked: string, { agent, sessionKey, home }: FolderOptions): Promise<string> {
  if (!path.isAbsolute(asked)) throw refused(asked, "is no absolute path");
  const folder = await realpath(asked).catch(() => undefined);
  if (folder === undefined || !(await stat(folder)).isDirectory()) throw refused(asked, "is no folder of the gateway's machine");
  const [state, workspace, person] = await Promise.all([realOf(home), realOf(agent.workspace), realOf(homedir())]);
  if (!contains(workspace, folder)) {
    if (contains(folder, state)) throw refused(asked, "holds the gateway's own state");
    if (contains(state, folder)) throw refused(asked, "lies in the gateway's own state");
    if (contains(folder, person)) throw refused(asked, "is larger than a project: it holds your whole home");
  }
  const place = placeOfRun(agent, { owner: true, group: false, sessionKey, workspace: folder }, home);
  if (place.folder !== folder)
    throw refused(
      asked,
      `is not seen by the agent ${agent.id}, whose runs are in a sandbox with a workspace of their own (sandbox.workspaceAccess: none)`,
    );
  return folder;
}

function refused(folder: string, why: string): RpcError {
  return new RpcError("invalid-request", `${folder} ${why}. Name the folder of one project.`);
}

async function realOf(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}

/** True for the folder itself and everything below it. */
function contains(folder: string, other: string): boolean {
  const way = path.relative(folder, other);
  return way === "" || (way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}
