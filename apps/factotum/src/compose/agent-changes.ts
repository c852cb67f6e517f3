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
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { configNotes } from "./config-notes.ts";
import { createWorkspace } from "./create-workspace.ts";
import { configOptions } from "./extensions.ts";

type Env = Pick<CliContext, "env">;

/** A new agent. */
export interface NewAgent {
  readonly id: string;
  readonly name?: string | undefined;
  readonly model?: string | undefined;
  readonly workspace?: string | undefined;
}

/** What is to change of an agent; `null` removes a setting, so that it takes its default. */
export interface AgentChange {
  readonly name?: string | null | undefined;
  readonly model?: string | null | undefined;
  /** It answers what no binding gives to another one; the default agent of before does not any longer. */
  readonly isDefault?: true | undefined;
}

/** What messages must be from; everything that is given must match. */
export interface NewMatch {
  readonly channel: string;
  readonly accountId?: string | undefined;
  readonly peer?: { readonly kind: string; readonly id: string } | undefined;
  readonly guildId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly roles?: readonly string[] | undefined;
}

/** As the schema of the configuration wants it. */
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Adds an agent to the configuration, and makes its workspace with the files of a new one. Rejects with a `CliError`. */
export async function addAgent(context: Env, { id, name, model, workspace }: NewAgent): Promise<{ readonly workspace: string }> {
  const { agents, defaultAgentId } = await currentConfig(context);
  if (agents.some((agent) => agent.id === id) && !(await isUnwritten(context, id)))
    throw new CliError("usage", `There is an agent "${id}" already.`, { fix: 'List them with "factotum agents list".' });
  if (!ID.test(id))
    throw new CliError("usage", `"${id}" cannot be the id of an agent: lower case letters, digits, - and _, at most 64 of them.`, {
      fix: `Give the agent its name apart from its id: factotum agents add ID --name "${id}"`,
    });
  const entry: JsonObject = { id, ...withoutUndefined({ name, model, workspace }) };
  await write(context, (before) => [{ path: LISTS.list, value: [...writtenAgents(before, { id, defaultAgentId }), entry] }]);
  const added = (await currentConfig(context)).agents.find((agent) => agent.id === id);
  if (added === undefined) throw new CliError("failure", `The agent "${id}" was written and is not in the configuration.`);
  await createWorkspace(added.workspace, { skipBootstrap: added.skipBootstrap });
  return { workspace: added.workspace };
}

/** Without a list there is the built-in agent, which stays the default one. */
function writtenAgents(
  before: object,
  { id, defaultAgentId }: { readonly id: string; readonly defaultAgentId: string },
): readonly JsonValue[] {
  const list = listOf(before, "list");
  return list.length === 0 && id !== defaultAgentId ? [{ id: defaultAgentId, default: true }] : list;
}

/** Changes what the configuration says of an agent. Rejects with a `CliError`. */
export async function changeAgent(context: Env, id: string, { name, model, isDefault }: AgentChange): Promise<void> {
  const { agents } = await currentConfig(context);
  if (!agents.some((agent) => agent.id === id)) throw noAgent(id, agents);
  await write(context, (before) => {
    const list = listOf(before, "list");
    const known = list.some((agent) => hasKey(agent, "id", id)) ? list : [...list, { id }];
    const changed = known.map((agent) => {
      const entry = agent as JsonObject;
      if (!hasKey(agent, "id", id)) return isDefault === true ? without(entry, "default") : entry;
      const named = name === undefined ? entry : name === null ? without(entry, "name") : { ...entry, name };
      const modelled = model === undefined ? named : model === null ? without(named, "model") : { ...named, model };
      return isDefault === true ? { ...modelled, default: true } : modelled;
    });
    return [{ path: LISTS.list, value: changed }];
  });
}

function without(entry: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => name !== key));
}

/** What `config validate` notes on an agent, such as a model that does not exist. */
export async function notesOnAgent({ env }: Env, id: string): Promise<readonly ConfigProblem[]> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type !== "loaded") return [];
  const index = listOf(loaded.written, "list").findIndex((agent) => hasKey(agent, "id", id));
  return (await configNotes(loaded, { env })).filter(({ path }) => path?.startsWith(`agents.list[${index}]`) === true);
}

/** Removes an agent, its bindings and its places in `broadcast` and `tools.agentToAgent` from the configuration. Its workspace and its conversations stay. Rejects with a `CliError`. */
export async function removeAgent(context: Env, id: string): Promise<{ readonly workspace: string }> {
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
  return { workspace: removed.workspace };
}

/** Gives messages to an agent: adds a binding, unless there is one for the same messages, which would take precedence. Rejects with a `CliError`. */
export async function bindAgent(
  context: Env,
  id: string,
  { channel, accountId, peer, guildId, teamId, roles }: NewMatch,
): Promise<JsonObject> {
  const { agents } = await currentConfig(context);
  if (!agents.some((agent) => agent.id === id)) throw noAgent(id, agents);
  const list = roles === undefined || roles.length === 0 ? undefined : [...roles];
  const match: JsonObject = { channel, ...withoutUndefined({ accountId, peer: peer && { ...peer }, guildId, teamId, roles: list }) };
  await write(context, (before) => {
    const bindings = listOf(before, "bindings");
    refuseRepetition(bindings, match);
    return [{ path: LISTS.bindings, value: [...bindings, { agentId: id, match }] }];
  });
  return match;
}

/** Removes a binding, by its place in `bindings`. `agentId`: it is refused if the place is another agent's by now. Rejects with a `CliError`. */
export async function unbindAgent(context: Env, index: number, agentId?: string): Promise<void> {
  await write(context, (before) => {
    const bindings = listOf(before, "bindings");
    const binding = bindings[index];
    if (binding === undefined || (agentId !== undefined && !hasKey(binding, "agentId", agentId)))
      throw new CliError("failure", `bindings[${index}] is not there, or another one by now.`, {
        fix: "List them again with: factotum agents bindings",
      });
    return [{ path: LISTS.bindings, value: bindings.filter((_, place) => place !== index) }];
  });
}

/** Why the binding that was added matches nothing, such as an account that is not configured. */
export async function noticesOnNewestBinding({ env }: Env): Promise<readonly ConfigProblem[]> {
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

async function currentConfig({ env }: Env): Promise<FactotumConfig> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type !== "loaded")
    throw new CliError("configInvalid", "The configuration has errors, so it cannot be changed.", {
      fix: "Show them with: factotum config validate",
    });
  return loaded.config;
}

/** True for the built-in agent, which stands in no list. */
async function isUnwritten({ env }: Env, id: string): Promise<boolean> {
  const loaded = await loadConfig(await configOptions(env));
  return loaded.type === "loaded" && !listOf(loaded.written, "list").some((agent) => hasKey(agent, "id", id));
}

async function write(context: Env, editsFor: (before: object) => readonly ConfigEdit[]): Promise<void> {
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
