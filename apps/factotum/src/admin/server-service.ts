import type { Clock } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import { makeFolder, type FactotumConfig } from "@factotum/config";
import { RpcError, type ServerService } from "@factotum/gateway";
import type { CliContext } from "../runtime/cli-context.ts";
import { lspSettings, type ComposedLsp } from "../compose/compose-lsp.ts";
import type { ComposedMcp } from "../compose/compose-mcp.ts";
import { listServers } from "../compose/list-servers.ts";
import { tryLspServer } from "../compose/try-lsp-server.ts";

interface ServerServiceParts {
  readonly context: CliContext;
  readonly configPath: string;
  readonly currentConfig: () => FactotumConfig;
  readonly mcp: Pick<ComposedMcp, "problems" | "reconnect">;
  readonly lsp: Pick<ComposedLsp, "problems">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly hide: (text: string) => string;
}

/** MCP servers and language servers for clients: what `factotum mcp` and `factotum lsp` show. */
export function createServerService({ context, configPath, currentConfig, mcp, lsp, clock, hide }: ServerServiceParts): ServerService {
  const workspaceOf = (agentId: string): string => {
    const found = currentConfig().agents.find(({ id }) => id === agentId)?.workspace;
    if (found === undefined) throw new RpcError("not-found", `There is no agent "${agentId}".`);
    return found;
  };
  return {
    list: async ({ agentId }) => {
      const problems = { mcp: mcp.problems(), lsp: lsp.problems() };
      return { agentId, servers: await listServers({ context, config: currentConfig(), workspace: workspaceOf(agentId), problems, hide }) };
    },
    test: async ({ agentId, kind, name }, { signal }) => {
      const config = currentConfig();
      const workspace = workspaceOf(agentId);
      const startedMs = clock.monotonic();
      await makeFolder(workspace);
      const known = kind === "lsp" ? lspSettings({ ...config.lsp, detect: true }) : {};
      const settings = Object.hasOwn(known, name) ? known[name] : undefined;
      const own = { ...context, signal: AbortSignal.any([context.signal, signal]) };
      const found =
        kind === "mcp"
          ? await mcp.reconnect(name, { agentId, workspace })
          : settings && (await tryLspServer(name, settings, { context: own, config, configPath, agentId, workspace }));
      if (found === undefined) throw new RpcError("not-found", `There is no server ${JSON.stringify(name)}, or it is off.`);
      const { tools } = found;
      const silence = tools.length === 0 && kind === "lsp" ? `it was not started: ${workspace} has no file of its languages` : undefined;
      const problem = found.problem ?? silence;
      return {
        works: problem === undefined,
        tools,
        durationMs: Math.round(clock.monotonic() - startedMs),
        ...withoutUndefined({ problem: problem === undefined ? undefined : hide(problem) }),
      };
    },
  };
}
