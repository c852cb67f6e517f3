import type { MemoryProvider } from "@factotum/agent-contract";
import type { LoadedConfig } from "@factotum/config";
import type { SqliteStore } from "@factotum/store";
import type { CliContext } from "../runtime/cli-context.ts";
import { composeAcp, type ComposedAcp } from "./compose-acp.ts";
import { composeBrowser, type Browsers } from "./compose-browser.ts";
import { composeLsp, type ComposedLsp } from "./compose-lsp.ts";
import { composeMcp, type ComposedMcp } from "./compose-mcp.ts";
import { composeMemory, type ComposedMemory } from "./compose-memory.ts";
import { composePlugins, type ComposedPlugins } from "./compose-plugins.ts";
import { composeWeb, type SharedWeb } from "./compose-web.ts";

/** What gives tools beyond the core ones. */
export interface Integrations {
  readonly web: SharedWeb;
  readonly browsers: Browsers;
  readonly mcp: ComposedMcp;
  readonly lsp: ComposedLsp;
  readonly memory: ComposedMemory;
  readonly plugins: ComposedPlugins;
  readonly acp: ComposedAcp;
}

/** Opens the web, browsers, MCP and language servers, external agents, plugins and the memory: closed with the rest of `opened`, in reverse order. */
export async function openIntegrations(
  opened: AsyncDisposableStack,
  loaded: LoadedConfig,
  {
    context,
    store,
    provenance,
    ...current
  }: Parameters<typeof composeMcp>[2] &
    Parameters<typeof composeLsp>[2] &
    Pick<Parameters<typeof composeMemory>[1], "provenance"> & { readonly context: CliContext; readonly store: SqliteStore },
): Promise<Integrations> {
  const web = opened.adopt(composeWeb(current), ({ pages }) => pages.close());
  const browsers = opened.adopt(await composeBrowser(context, current), (all) => all.close());
  const mcp = opened.adopt(await composeMcp(context, loaded, current), (all) => all.close());
  const lsp = opened.adopt(await composeLsp(context, loaded, current), (all) => all.close());
  const acp = opened.adopt(await composeAcp(context, loaded, current), (all) => all.close());
  const plugins = opened.adopt(await composePlugins(context, { ...current, store, web }), (all) => all.close());
  const ofPlugin = (id: string): MemoryProvider | undefined => plugins.memory(id);
  const memory = opened.adopt(await composeMemory(context, { ...current, store, provenance, ofPlugin }), (all) => all.close());
  return { web, browsers, mcp, lsp, memory, plugins, acp };
}
