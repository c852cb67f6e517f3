import { nearestName } from "@factotum/agent-contract";
import type { KeyPath } from "../document/key-path.ts";
import type { McpServerConfig } from "../schema/mcp-servers.ts";
import type { ConfigDocument } from "../schema/root.ts";
import { suggestion } from "../suggestion.ts";

/** Checks the tool servers that external agents get: each exists, and none has a restriction or a login that would stay behind. */
export function checkAgentServers({ acp, mcp }: ConfigDocument, invalid: (path: KeyPath, message: string) => void): void {
  const known = Object.keys(mcp.servers);
  for (const [id, { mcpServers }] of Object.entries(acp.agents)) {
    mcpServers.forEach((name, index) => {
      const server = Object.hasOwn(mcp.servers, name) ? mcp.servers[name] : undefined;
      const reason =
        server === undefined ? `mcp.servers has no "${name}"${suggestion(nearestName(name, known))}` : reasonAgainst(name, server);
      if (reason !== undefined) invalid(["acp", "agents", id, "mcpServers", index], reason);
    });
  }
}

function reasonAgainst(name: string, server: McpServerConfig): string | undefined {
  const advice = "take it out here, or name another server";
  if (server.toolFilter !== undefined)
    return `"${name}" has a toolFilter, which binds the gateway alone: the agent would get every tool of the server; ${advice}`;
  if ("command" in server)
    return server.sandbox.mode === "on" ? `"${name}" has a sandbox, and the agent would start it outside of any; ${advice}` : undefined;
  return server.oauth === undefined
    ? undefined
    : `"${name}" needs a login (oauth), which stays with the gateway; give the server a token (auth), or take it out here`;
}
