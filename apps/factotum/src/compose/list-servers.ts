import { loadConfig, type FactotumConfig } from "@factotum/config";
import { withoutUndefined } from "@factotum/agent-contract";
import { lookUpServer } from "@factotum/plugin-lsp";
import { readToolNames } from "@factotum/plugin-mcp";
import type { ToolServer } from "@factotum/protocol";
import type { CliContext } from "../runtime/cli-context.ts";
import { lspFolder, lspSettings } from "./compose-lsp.ts";
import { mcpListFolder, mcpSettings } from "./compose-mcp.ts";
import { configOptions, packageOf } from "./extensions.ts";

interface ServerFacts {
  readonly context: CliContext;
  readonly config: FactotumConfig;
  /** In which programs of language servers are looked for. */
  readonly workspace: string;
  /** Why servers cannot be used now, by name. */
  readonly problems: Readonly<Record<"mcp" | "lsp", ReadonlyMap<string, string>>>;
  /** Hides secrets in the arguments of commands. */
  readonly hide: (text: string) => string;
}

/** The MCP servers and language servers. Starts none. */
export async function listServers({ context, config, workspace, problems, hide }: ServerFacts): Promise<readonly ToolServer[]> {
  const options = await configOptions(context.env);
  const loaded = await loadConfig(options);
  const written = loaded.type === "loaded" ? loaded : { written: {} };
  const enabled = mcpSettings(config);
  const brought = { mcp: packageOf("mcp", written, options.packageServers), lsp: packageOf("lsp", written, options.packageServers) };
  const mcp = Object.entries(config.mcp.servers).map(([name, server]): ToolServer => {
    const settings = enabled[name];
    return {
      kind: "mcp",
      name,
      place: hide("command" in server ? [server.command, ...server.args].join(" ") : server.url),
      isTrusted: server.trusted,
      isEnabled: server.enabled,
      isDetected: false,
      languages: [],
      ...withoutUndefined({
        package: brought.mcp(name),
        tools: settings === undefined ? undefined : readToolNames(mcpListFolder(context.paths), name, settings),
        problem: problems.mcp.get(name),
      }),
    };
  });
  const { lsp } = config;
  const places = { folder: lspFolder(context.paths), searchPath: context.env["PATH"] ?? "", workspace };
  const used = lspSettings(lsp);
  const language = Object.entries(lspSettings({ ...lsp, detect: true })).flatMap(([name, settings]): readonly ToolServer[] => {
    const { program: place, operations: tools } = lookUpServer(name, settings, { ...places, workspacePrograms: lsp.workspacePrograms });
    if (settings.isDetected && place === undefined) return [];
    const { languages, isDetected } = settings;
    const facts = withoutUndefined({ package: brought.lsp(name), place, tools, problem: problems.lsp.get(name) });
    return [{ kind: "lsp", name, languages, isDetected, isEnabled: used[name] !== undefined, ...facts }];
  });
  return [...mcp, ...language];
}
