import type { RpcMethod } from "@factotum/protocol";
import type { Engine } from "../engine/engine.ts";
import type { FileKind } from "../workspace/file-kinds.ts";

/** What methods change: those of files for one agent, the others for all. The watch of files sees it as well, where the system can watch. */
const CHANGED_BY: Partial<Record<RpcMethod, FileKind>> = {
  "files.write": "persona",
  "files.restore": "persona",
  "files.add": "knowledge",
  "files.remove": "knowledge",
  "skills.install": "skills",
  "skills.remove": "skills",
  "plugins.install": "skills",
  "plugins.update": "skills",
  "plugins.remove": "skills",
};

/** Methods that show files of an agent. */
const SHOWN_BY: ReadonlySet<RpcMethod> = new Set([
  "files.list",
  "files.read",
  "memory.list",
  "memory.read",
  "memory.versions",
  "skills.list",
  "skills.show",
]);

/**
 * Is told of every request that was answered. Files that clients were shown are followed from then on, so that changes by hand are announced; a gateway that is
 * not asked for files watches only the sources of its prompts.
 */
export function createFileFollower({
  sessions,
  parts: { running, fileChanges },
}: Pick<Engine, "sessions" | "parts">): (method: RpcMethod, params: object) => void {
  return (method, params) => {
    const [isShown, changed] = [SHOWN_BY.has(method), CHANGED_BY[method]];
    if (!isShown && changed === undefined) return;
    const named = "agentId" in params && typeof params.agentId === "string" ? sessions.agentId(params.agentId) : undefined;
    if (isShown) {
      const { agents } = running;
      agents.watches.of((agents.get(named ?? "") ?? agents.default).config.workspace).follow();
    }
    if (changed === undefined) return;
    const isOfAgent = method.startsWith("files.");
    const agentIds = isOfAgent ? [named ?? sessions.agentId(undefined)] : running.config.agents.map(({ id }) => id);
    for (const agentId of agentIds) fileChanges.announce({ agentId, kind: changed });
  };
}
