import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import {
  changeConfig,
  formatProblem,
  isPlainVariable,
  loadConfig,
  makeFolder,
  writePrivateFile,
  type ConfigEdit,
  type LoadedConfig,
} from "@factotum/config";
import { readToolNames } from "@factotum/plugin-mcp";
import { mcpListFolder, mcpSettings } from "../compose/compose-mcp.ts";
import { removeLogin } from "../compose/mcp-logins.ts";
import { configOptions, packageOf } from "../compose/extensions.ts";
import { bearerVariable } from "../extensions/bearer-variable.ts";
import { findGateway } from "../rpc/connect-gateway.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { renderTable } from "../runtime/render-table.ts";
import { readMcpFile } from "./mcp-import.ts";
import { refusedStart } from "../runtime/refused-start.ts";

export { mcpLogin, mcpLogout } from "./mcp-login.ts";
export { mcpTest } from "./mcp-test.ts";

interface Format {
  readonly json: boolean;
}

/** A new server: a command with its arguments, or an address. */
export interface McpAddOptions extends Format {
  readonly command: readonly string[];
  readonly url?: string;
  readonly transport?: string;
  /** `NAME=VALUE`; `NAME=${VARIABLE}` refers to a variable of the gateway. */
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly cwd?: string;
  readonly trusted: boolean;
}

/** Lists the servers with the number of their tools, or why they cannot be used. */
export async function mcpList(context: CliContext, { json }: Format): Promise<number> {
  const { config, brought } = await load(context);
  const problems = await problemsOf(context);
  const enabled = mcpSettings(config);
  const rows = Object.entries(config.mcp.servers).map(([name, server]) => {
    const settings = enabled[name];
    const tools = settings === undefined ? undefined : readToolNames(mcpListFolder(context.paths), name, settings);
    const place = "command" in server ? [server.command, ...server.args].join(" ") : server.url;
    const { trusted, enabled: isOn } = server;
    return {
      name,
      place,
      source: brought(name) ?? null,
      trusted,
      enabled: isOn,
      tools: tools ?? null,
      problem: problems.get(name) ?? null,
    };
  });
  if (json) {
    printJson(context, { servers: rows });
    return EXIT.ok;
  }
  if (rows.length === 0) {
    context.print("There are no MCP servers. Add one with: factotum mcp add NAME -- COMMAND\n");
    return EXIT.ok;
  }
  const table = rows.map((row) => [
    row.name,
    row.source ?? "configuration",
    row.trusted ? "trusted" : "untrusted",
    stateOf(row),
    row.place,
  ]);
  context.print(terminalText(renderTable(["SERVER", "SOURCE", "TRUST", "STATE", "WHERE"], table)));
  return EXIT.ok;
}

function stateOf({
  enabled,
  problem,
  tools,
}: {
  readonly enabled: boolean;
  readonly problem: string | null;
  readonly tools: readonly string[] | null;
}): string {
  if (!enabled) return "off";
  if (problem !== null) return `! ${problem}`;
  return tools === null ? "not started yet" : `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
}

/** Writes a new server into the configuration. Values that may be secrets go into private files. */
export async function mcpAdd(context: CliContext, name: string, options: McpAddOptions): Promise<number> {
  const { config, brought } = await load(context);
  if (config.mcp.servers[name] !== undefined && brought(name) === undefined)
    throw new CliError("usage", `There is a server ${JSON.stringify(name)} already.`, {
      fix: `Remove it first: factotum mcp remove ${name}`,
    });
  await write(context, [{ name, settings: settingsOf(options) }], []);
  return finish(context, options, { added: [name] }, `${name} is added. See its tools with: factotum mcp test ${name}\n`);
}

function settingsOf({ command: [program, ...args], url, transport, env, header, cwd, trusted }: McpAddOptions): JsonObject {
  if ((program === undefined) === (url === undefined))
    throw new CliError("usage", "A server is a command or an address.", { fix: "Write -- COMMAND ARGUMENTS at the end, or --url URL." });
  const trust = trusted ? { trusted } : {};
  if (url === undefined) return { command: program ?? "", args, ...pairs("env", env), ...(cwd === undefined ? {} : { cwd }), ...trust };
  if (env.length > 0 || cwd !== undefined) throw new CliError("usage", "--env and --cwd belong to a command, not to an address.");
  return { url, ...(transport === undefined ? {} : { transport }), ...pairs("headers", header), ...trust };
}

function pairs(key: "env" | "headers", written: readonly string[]): JsonObject {
  const values: Record<string, JsonValue> = {};
  let auth = {};
  for (const pair of written) {
    const [, name, value = ""] = /^([^=]+)=([^]+)$/.exec(pair) ?? [];
    if (name === undefined) throw new CliError("usage", `${JSON.stringify(pair)} is not NAME=VALUE.`);
    const [, variable] = /^\$\{([A-Za-z_]\w*)\}$/.exec(value) ?? [];
    const bearer = key === "headers" ? bearerVariable(name, value) : undefined;
    if (bearer !== undefined) auth = { auth: { env: bearer } };
    else if (variable === undefined && /\$\{[A-Za-z_]\w*\}/.test(value))
      throw new CliError("usage", `${name} has a variable with text around it, which would be sent as it is written.`, {
        fix: `Put the whole value into a variable of the gateway, and write ${name}=\${VARIABLE}.`,
      });
    else values[name] = variable === undefined ? value : { env: variable };
  }
  return { ...(Object.keys(values).length === 0 ? {} : { [key]: values }), ...auth };
}

/** Takes over the servers of another program's file. Servers of a known name stay as they are. */
export async function mcpImport(context: CliContext, path: string, { json }: Format): Promise<number> {
  const { config, brought } = await load(context);
  const found = await readMcpFile(path);
  const skipped: { name: string; reason: string }[] = [];
  const taken = found.flatMap((server) => {
    const isFree = config.mcp.servers[server.name] === undefined || brought(server.name) !== undefined;
    if ("settings" in server && isFree) return [server];
    skipped.push({ name: server.name, reason: "settings" in server ? "there is a server of this name already" : server.reason });
    return [];
  });
  if (taken.length > 0) await write(context, taken, []);
  const notes = taken.flatMap((server) => server.notes.map((note) => ({ name: server.name, note })));
  const lines = [
    ...taken.map(({ name }) => `${name} is added.\n`),
    ...notes.map(({ name, note }) => `! ${name}: ${note}\n`),
    ...skipped.map(({ name, reason }) => `! ${name} is left out: ${reason}.\n`),
  ];
  return finish(context, { json }, { added: taken.map(({ name }) => name), notes, skipped }, terminalText(lines.join("")));
}

/** Removes a server, and the private files of its values. */
export async function mcpRemove(context: CliContext, name: string, { json }: Format): Promise<number> {
  const { config, brought } = await load(context);
  const owner = brought(name);
  if (owner !== undefined)
    throw new CliError("usage", `The server ${JSON.stringify(name)} belongs to the package ${owner}.`, {
      fix: `Switch it off by its name in plugins.deny, or remove the package: factotum plugins remove ${owner}`,
    });
  if (config.mcp.servers[name] === undefined)
    throw new CliError("failure", `There is no server ${JSON.stringify(name)}.`, { fix: "List them with: factotum mcp list" });
  await write(context, [], [name]);
  const prefix = secretFile(name, "").slice("credentials/".length);
  const files = await readdir(context.paths.credentialsFolder).catch(() => []);
  for (const file of files) if (file.startsWith(prefix)) await rm(join(context.paths.credentialsFolder, file), { force: true });
  await removeLogin(context.paths, name);
  return finish(context, { json }, { removed: [name] }, `${name} is removed, with the private files of its values.\n`);
}

async function finish(context: CliContext, { json }: Format, result: object, text: string): Promise<number> {
  const reloaded = await reloadGateway(context);
  if (json) printJson(context, { ...result, gateway: reloaded ?? null });
  else {
    context.print(text);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

/** One write for all of them, so that comments and other settings stay; what may be a secret goes into private files. A refused change leaves no file. */
async function write(
  context: CliContext,
  added: readonly { readonly name: string; readonly settings: JsonObject }[],
  removed: readonly string[],
): Promise<void> {
  const files: string[] = [];
  const edits: ConfigEdit[] = removed.map((name) => ({ path: ["mcp", "servers", name], value: undefined }));
  for (const { name, settings } of added)
    edits.push({ path: ["mcp", "servers", name], value: await withSecretFiles(context, name, settings, files) });
  const result = await changeConfig(() => edits, await configOptions(context.env));
  if (result.type !== "refused") return;
  for (const file of files) await rm(join(context.paths.home, file), { force: true });
  throw new CliError("configInvalid", `${result.path} was not changed: ${result.problems.map(formatProblem).join("; ")}`);
}

async function withSecretFiles(context: CliContext, server: string, settings: JsonObject, files: string[]): Promise<JsonObject> {
  const kept: Record<string, JsonValue | undefined> = { ...settings };
  for (const key of ["env", "headers"]) {
    const values = settings[key];
    if (typeof values !== "object" || values === null || Array.isArray(values)) continue;
    const stored: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(values as JsonObject)) {
      if (typeof value !== "string" || (key === "env" && isPlainVariable(name))) stored[name] = value ?? null;
      else {
        const file = secretFile(server, name);
        await makeFolder(context.paths.credentialsFolder);
        await writePrivateFile(join(context.paths.home, file), `${value}\n`);
        files.push(file);
        stored[name] = { file };
      }
    }
    kept[key] = stored;
  }
  return kept;
}

function secretFile(server: string, name: string): string {
  return `credentials/mcp-${safeName(server)}-${safeName(name)}`;
}

/** Without the `-` that separates the parts; a changed name ends in its hash. */
function safeName(text: string): string {
  const safe = text.replaceAll(/[^\w.]/g, "_");
  return safe === text ? text : `${safe}_${createHash("sha256").update(text).digest("hex").slice(0, 6)}`;
}

/** What a running gateway says of servers that cannot be used. */
async function problemsOf(context: CliContext): Promise<ReadonlyMap<string, string>> {
  using gateway = await findGateway(context);
  if (gateway === undefined) return new Map();
  const { warnings } = await gateway.client.request("warnings.list", {}, { signal: context.signal });
  return new Map(warnings.flatMap(({ id, text }) => (id.startsWith("tools:mcp:") ? [[id.slice("tools:mcp:".length), text] as const] : [])));
}

async function load({ env }: Pick<CliContext, "env">): Promise<LoadedConfig & { readonly brought: ReturnType<typeof packageOf> }> {
  const options = await configOptions(env);
  const loaded = await loadConfig(options);
  if (loaded.type === "refused") throw refusedStart(loaded);
  return { ...loaded, brought: packageOf("mcp", loaded, options.packageServers) };
}
