import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import {
  changeConfig,
  formatProblem,
  loadConfig,
  valueAt,
  type ConfigEdit,
  type ConfigProblem,
  type FactotumConfig,
} from "@factotum/config";
import { configNotes } from "../compose/config-notes.ts";
import { configOptions } from "../compose/extensions.ts";
import { describeReload, reloadGateway } from "../rpc/reload-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { createWorkspace } from "../setup/create-workspace.ts";
import { refusedStart } from "./refused-start.ts";

interface Format {
  readonly json: boolean;
}

/** Options of `agents add`. */
export interface AgentAddOptions extends Format {
  readonly name?: string;
  readonly model?: string;
  readonly workspace?: string;
}

/** Options of `agents bind`: what a message must be from. */
export interface AgentBindOptions extends Format {
  readonly channel: string;
  readonly account?: string;
  /** `kind:id`. */
  readonly peer?: string;
  readonly guild?: string;
  readonly role: readonly string[];
  readonly team?: string;
}

const PEER_KINDS = ["direct", "group", "channel"];

/** As the schema of the configuration wants it. */
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Adds an agent to the configuration, and makes its workspace with the files of a new one. */
export async function agentsAdd(context: CliContext, id: string, { json, name, model, workspace }: AgentAddOptions): Promise<number> {
  const { agents, defaultAgentId } = await currentConfig(context);
  if (agents.some((agent) => agent.id === id) && !(await isUnwritten(context, id)))
    throw new CliError("usage", `There is an agent "${id}" already.`, { fix: 'List them with "factotum agents list".' });
  if (!ID.test(id))
    throw new CliError("usage", `"${id}" cannot be the id of an agent: lower case letters, digits, - and _, at most 64 of them.`, {
      fix: `Give the agent its name apart from its id: factotum agents add ID --name "${id}"`,
    });
  const entry: JsonObject = { id, ...withoutUndefined({ name, model, workspace }) };
  await write(context, (before) => {
    const list = listOf(before, "list");
    // Without a list there is the built-in agent, which stays the default one.
    const kept = list.length === 0 && id !== defaultAgentId ? [{ id: defaultAgentId, default: true }] : list;
    return [{ path: ["agents", "list"], value: [...kept, entry] }];
  });
  const added = (await currentConfig(context)).agents.find((agent) => agent.id === id);
  if (added === undefined) throw new CliError("failure", `The agent "${id}" was written and is not in the configuration.`);
  await createWorkspace(added.workspace, { skipBootstrap: added.skipBootstrap });
  const reloaded = await reloadGateway(context);
  if (json) printJson(context, { id, workspace: added.workspace, gateway: reloaded ?? null });
  else {
    context.print(`The agent ${id} works in ${added.workspace}.\n`);
    context.print(`Say which messages it answers: factotum agents bind ${id} --channel CHANNEL\n`);
    context.note(`${describeReload(reloaded)}\n`);
    for (const note of await notesOnAgent(context, id)) context.note(`note: ${formatProblem(note)}\n`);
  }
  return EXIT.ok;
}

/** What `config validate` notes on an agent, such as a model that does not exist. */
async function notesOnAgent({ env }: CliContext, id: string): Promise<readonly ConfigProblem[]> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type !== "loaded") return [];
  const index = listOf(loaded.written, "list").findIndex((agent) => hasKey(agent, "id", id));
  return (await configNotes(loaded, { env })).filter(({ path }) => path?.startsWith(`agents.list[${index}]`) === true);
}

/** Removes an agent, its bindings and its places in `broadcast` and `tools.agentToAgent` from the configuration. Its workspace and its conversations stay. */
export async function agentsRemove(context: CliContext, id: string, { json }: Format): Promise<number> {
  const { agents, defaultAgentId } = await currentConfig(context);
  const removed = agents.find((agent) => agent.id === id);
  if (removed === undefined || (await isUnwritten(context, id))) throw noAgent(id, agents);
  if (agents.length > 1 && id === defaultAgentId)
    throw new CliError("usage", `"${id}" is the default agent, which answers what no binding gives to another one.`, {
      fix: "Set `default: true` at another agent of agents.list first.",
    });
  await write(context, (before) => {
    const bindings = listOf(before, "bindings");
    const kept = bindings.filter((binding) => !hasKey(binding, "agentId", id));
    const pairs = listOf(before, "pairs");
    const keptPairs = pairs.filter((pair) => id === "main" || !(hasKey(pair, "from", id) || hasKey(pair, "to", id)));
    return [
      { path: ["agents", "list"], value: listOf(before, "list").filter((agent) => !hasKey(agent, "id", id)) },
      ...(kept.length === bindings.length ? [] : [{ path: ["bindings"], value: kept }]),
      // An agent that gets the name later would reach others at once.
      ...(keptPairs.length === pairs.length ? [] : [{ path: LISTS.pairs, value: keptPairs }]),
      ...broadcastWithout(before, id),
    ];
  });
  const reloaded = await reloadGateway(context);
  if (json) printJson(context, { id, workspace: removed.workspace, gateway: reloaded ?? null });
  else {
    context.print(`The agent ${id} is removed. Its files stay in ${removed.workspace}, and so do its conversations.\n`);
    context.note(`${describeReload(reloaded)}\n`);
  }
  return EXIT.ok;
}

/** Gives messages to an agent: adds a binding, unless there is one for the same messages, which would take precedence. */
export async function agentsBind(context: CliContext, id: string, options: AgentBindOptions): Promise<number> {
  const { agents } = await currentConfig(context);
  if (!agents.some((agent) => agent.id === id)) throw noAgent(id, agents);
  const { channel, account: accountId, guild: guildId, team: teamId, role } = options;
  const peer = options.peer === undefined ? undefined : parsePeer(options.peer);
  const roles = role.length === 0 ? undefined : [...role];
  const match: JsonObject = { channel, ...withoutUndefined({ accountId, peer, guildId, teamId, roles }) };
  await write(context, (before) => {
    const bindings = listOf(before, "bindings");
    refuseRepetition(bindings, match);
    return [{ path: ["bindings"], value: [...bindings, { agentId: id, match }] }];
  });
  const reloaded = await reloadGateway(context);
  if (options.json) printJson(context, { agentId: id, match, gateway: reloaded ?? null });
  else {
    context.print(`${id} answers messages from ${JSON.stringify(match)}. The order of all bindings: factotum agents bindings\n`);
    context.note(`${describeReload(reloaded)}\n`);
    for (const notice of await noticesOnNewestBinding(context)) context.note(`note: ${formatProblem(notice)}\n`);
  }
  return EXIT.ok;
}

/** Why the binding that was added matches nothing, such as an account that is not configured. */
async function noticesOnNewestBinding({ env }: CliContext): Promise<readonly ConfigProblem[]> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type !== "loaded") return [];
  const newest = `bindings[${listOf(loaded.written, "bindings").length - 1}]`;
  return loaded.problems.filter(({ path }) => path?.startsWith(newest) === true);
}

function refuseRepetition(bindings: readonly JsonValue[], match: JsonObject): void {
  const index = bindings.findIndex((binding) => isDeepStrictEqual(valueAt(binding ?? {}, ["match"]), match));
  if (index === -1) return;
  const owner = String(valueAt(bindings[index] ?? {}, ["agentId"]));
  throw new CliError("usage", `bindings[${index}] gives these messages to ${owner} already.`, {
    fix: `Remove it first: factotum config unset 'bindings[${index}]'`,
  });
}

function parsePeer(text: string): JsonObject {
  const [kind = "", ...rest] = text.split(":");
  const id = rest.join(":");
  if (!PEER_KINDS.includes(kind) || id === "")
    throw new CliError("usage", `"${text}" is no conversation.`, { fix: "Write it like group:-100123, direct:7, channel:C01 or group:*." });
  return { kind, id };
}

async function currentConfig({ env }: CliContext): Promise<FactotumConfig> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type !== "loaded") throw refusedStart(loaded);
  return loaded.config;
}

/** True for the built-in agent, which stands in no list. */
async function isUnwritten({ env }: CliContext, id: string): Promise<boolean> {
  const loaded = await loadConfig(await configOptions(env));
  return loaded.type === "loaded" && !listOf(loaded.written, "list").some((agent) => hasKey(agent, "id", id));
}

async function write(context: CliContext, editsFor: (before: object) => readonly ConfigEdit[]): Promise<void> {
  const result = await changeConfig(editsFor, await configOptions(context.env));
  if (result.type !== "refused") return;
  throw new CliError("configInvalid", `${result.path} was not changed: ${result.problems.map(formatProblem).join("; ")}`, {
    fix: 'Check the file with "factotum config validate".',
  });
}

const LISTS = { list: ["agents", "list"], bindings: ["bindings"], pairs: ["tools", "agentToAgent", "allow"] };

/** A list of the document as it is written: of agents, of bindings, or of what agents reach of each other. */
function listOf(document: object, what: keyof typeof LISTS): readonly JsonValue[] {
  const found: unknown = valueAt(document, LISTS[what]);
  return Array.isArray(found) ? (found as readonly JsonValue[]) : [];
}

/** Removes an agent from every list of `broadcast`, and lists that are empty then. */
function broadcastWithout(document: object, id: string): readonly ConfigEdit[] {
  const broadcast: unknown = valueAt(document, ["broadcast"]);
  if (typeof broadcast !== "object" || broadcast === null) return [];
  return Object.entries(broadcast as JsonObject).flatMap(([peer, agentIds]) => {
    if (!Array.isArray(agentIds) || !agentIds.includes(id)) return [];
    const kept = agentIds.filter((agentId) => agentId !== id);
    return [{ path: ["broadcast", peer], value: kept.length === 0 ? undefined : kept }];
  });
}

function hasKey(entry: JsonValue, key: string, value: string): boolean {
  return typeof entry === "object" && entry !== null && !Array.isArray(entry) && (entry as JsonObject)[key] === value;
}

function noAgent(id: string, agents: FactotumConfig["agents"]): CliError {
  const names = agents.map((agent) => agent.id).join(", ");
  return new CliError("usage", `There is no agent "${id}" in the configuration.`, { fix: `There are ${names}.` });
}
