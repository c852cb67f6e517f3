import type { EnvVariable, HttpHeader, McpServer } from "@agentclientprotocol/sdk";
import { agentError } from "./agent-error.ts";
import type { AcpAgentsOptions, AgentServer, AgentSettings } from "./agent-settings.ts";
import { findProgram } from "./find-program.ts";

/** Which servers at an address an agent takes; programs are taken by each. */
export interface ServerCapabilities {
  readonly http: boolean;
  readonly sse: boolean;
}

/** The tool servers for `session/new` and `session/load`, and those that the agent cannot take. */
export interface GivenServers {
  readonly servers: McpServer[];
  readonly left: readonly string[];
}

/** Resolves the tool servers of an agent, with their secrets. Rejects with an error for the owner: a secret that is not there, or a login that stays here. */
export async function givenServers(
  id: string,
  { mcpServers = [] }: Pick<AgentSettings, "mcpServers">,
  { http, sse }: ServerCapabilities,
  options: Pick<AcpAgentsOptions, "readSecret" | "searchPath" | "hasLogin">,
): Promise<GivenServers> {
  const isTaken = (server: AgentServer): boolean => "command" in server || (server.transport === "sse" ? sse : http);
  const taken = mcpServers.filter(isTaken);
  const servers: McpServer[] = [];
  for (const server of taken) servers.push(await render(id, server, options));
  return { servers, left: mcpServers.filter((server) => !isTaken(server)).map(({ name }) => name) };
}

async function render(
  id: string,
  server: AgentServer,
  { readSecret, searchPath, hasLogin }: Pick<AcpAgentsOptions, "readSecret" | "searchPath" | "hasLogin">,
): Promise<McpServer> {
  const { name } = server;
  try {
    if ("command" in server) return { name, ...inFolder(server, searchPath), env: await resolve(server.env, readSecret) };
    const { url, transport, auth } = server;
    const headers = await resolve(server.headers, readSecret);
    if (auth !== undefined) headers.push({ name: "Authorization", value: `Bearer ${await readSecret(auth)}` });
    const isNamed = headers.some((header) => header.name.toLowerCase() === "authorization");
    if (!isNamed && (await hasLogin?.(name)) === true)
      throw new Error("it needs a login (OAuth), which stays with the gateway; give it auth, or take it out");
    return { type: transport === "sse" ? "sse" : "http", name, url, headers };
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown reason";
    throw agentError(
      "not-found",
      `The external agent ${id} was not started, because of ${name} in acp.agents.${id}.mcpServers: ${why}`,
      error,
    );
  }
}

/** The protocol has no folder for a program, and wants its whole path. */
function inFolder(
  { command, args, cwd }: Extract<AgentServer, { readonly command: string }>,
  searchPath: string,
): { readonly command: string; readonly args: string[] } {
  const program = command.includes("/") ? command : (findProgram(command, searchPath) ?? command);
  return cwd === undefined
    ? { command: program, args: [...args] }
    : { command: "/bin/sh", args: ["-c", 'cd "$0" && exec "$@"', cwd, program, ...args] };
}

async function resolve(
  values: Readonly<Record<string, unknown>>,
  readSecret: AcpAgentsOptions["readSecret"],
): Promise<(EnvVariable & HttpHeader)[]> {
  return Promise.all(Object.entries(values).map(async ([name, secret]) => ({ name, value: await readSecret(secret) })));
}
