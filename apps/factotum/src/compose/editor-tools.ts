import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Logger, Random } from "@factotum/agent-contract";
import type { EditorTools, OpenEditorTools } from "@factotum/gateway";
import type { McpServers, ServerSettings } from "@factotum/plugin-mcp";
import { secretVariables, type SecretFilter } from "../runtime/secret-filter.ts";

type EditorServer = Parameters<OpenEditorTools>[0][number];

/** What the tools of editors' servers need. */
export interface EditorToolsParts {
  /** Folder of this process alone, for the lists of their tools. */
  readonly folder: string;
  /** Creates the servers of one session, whose lists are in this folder. */
  readonly create: (listFolder: string) => McpServers;
  /** True for the name of a server of the configuration. */
  readonly isConfigured: (name: string) => boolean;
  readonly secrets: Pick<SecretFilter, "add">;
  readonly random: Pick<Random, "uuid">;
  readonly logger: Logger;
}

/** As in `mcp.servers`. */
const CALL_MS = 60_000;

/**
 * The MCP servers that an editor names for a session, apart from those of the configuration: their processes, their lists and their secrets go with the editor.
 * One with the name of a configured server, or of an earlier one, is left out.
 */
export function createEditorTools({ folder, create, isConfigured, secrets, random, logger }: EditorToolsParts): OpenEditorTools {
  return (servers): EditorTools => {
    const chosen = new Map<string, ServerSettings>();
    const problems: string[] = [];
    for (const server of servers) {
      const name = nameOf(server);
      if (isConfigured(name) || chosen.has(name)) {
        problems.push(`The editor's MCP server ${JSON.stringify(server.name)} is left out: another one has its name.`);
        continue;
      }
      chosen.set(name, settingsOf(server));
      secrets.add(secretsOf(server));
    }
    const settings = Object.fromEntries(chosen);
    const listFolder = join(folder, random.uuid());
    const own = create(listFolder);
    return {
      sources: own.sources(settings),
      fingerprint: createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 16),
      problems,
      close: async () => {
        try {
          await own.close();
          await rm(listFolder, { recursive: true, force: true });
        } catch (error) {
          logger.warn("The MCP servers of an editor could not be removed completely", { error });
        }
      },
    };
  };
}

/** Part of the names of its tools. */
function nameOf({ name }: EditorServer): string {
  const plain = name
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-");
  return plain.slice(0, 40) || "server";
}

/** Its results are text of others, as those of every server that the owner has not marked as trusted. */
function settingsOf(server: EditorServer): ServerSettings {
  const common = { timeoutMs: CALL_MS, trusted: false };
  if (server.type !== "stdio") {
    const transport = server.type === "sse" ? "sse" : "streamable-http";
    return { ...common, url: server.url, transport, headers: server.headers };
  }
  const { command, args, env } = server;
  return { ...common, command, args, env, roots: "workspace", sandbox: { mode: "inherit", network: "none", workspace: "ro" } };
}

function secretsOf(server: EditorServer): readonly string[] {
  return server.type === "stdio" ? secretVariables(server.env) : Object.values(server.headers).filter((value) => value.length >= 8);
}
