import { readFile } from "node:fs/promises";
import { nearestName } from "@factotum/agent-contract";
import {
  formatKeyPath,
  formatOf,
  locateProblems,
  parseModelReference,
  unresolvedSecrets,
  valueAt,
  type ConfigProblem,
  type Environment,
  type KeyPath,
  type LoadedConfig,
} from "@factotum/config";
import { channelCatalog } from "./extensions.ts";
import { sharedLogins } from "./shared-logins.ts";
import { senderIdProblems } from "./sender-id-problems.ts";
import { isListedModel, listedModels, PROVIDERS } from "@factotum/models";

/** Names in a valid file that are unknown: models, agents that may reach others, secrets without a value, and ids that match no sender. Returned as notices with their paths in the file. */
export async function configNotes(loaded: LoadedConfig, { env }: { readonly env: Environment }): Promise<readonly ConfigProblem[]> {
  if (loaded.source !== "file") return [];
  const { written } = loaded;
  const notes = [
    ...modelNotes(written),
    ...agentNotes(written),
    ...(await unresolvedSecrets(written, { env })),
    ...(await senderIdNotes(written, env)),
    ...(await sharedLogins(loaded, { env, catalog: async () => channelCatalog(env) })),
  ];
  if (notes.length === 0) return notes;
  const text = await readFile(loaded.path, "utf8");
  return locateProblems(notes, { text, format: formatOf(loaded.path), document: written });
}

type Written = LoadedConfig["written"];

/** The notices are phrases, which the path precedes. */
async function senderIdNotes(written: Written, env: Environment): Promise<readonly ConfigProblem[]> {
  const problems = await senderIdProblems(written, await channelCatalog(env));
  return problems.map(({ path, message, fix }) => ({ type: "notice", path, message: `${message} ${fix}` }));
}

/** Models in a document that its provider may not offer, or whose provider is unknown. */
function modelNotes(written: Written): readonly ConfigProblem[] {
  const list = valueAt(written, ["agents", "list"]);
  const agents: KeyPath[] = [
    ["agents", "defaults"],
    ...(Array.isArray(list) ? list.map((_, index): KeyPath => ["agents", "list", index]) : []),
  ];
  return agents.flatMap((agent) => {
    const primary = primaryOf(valueAt(written, [...agent, "model"])) ?? primaryOf(valueAt(written, ["agents", "defaults", "model"])) ?? "";
    const known = {
      providers: [...Object.keys(PROVIDERS), ...Object.keys(object(valueAt(written, ["models", "providers"])))],
      aliases: { ...aliasesOf(written, ["agents", "defaults"]), ...aliasesOf(written, agent) },
      ...(primary.includes("/") ? { defaultProvider: primary.slice(0, primary.indexOf("/")) } : {}),
    };
    return modelPaths(written, agent).flatMap((path) => noteOf(written, path, known));
  });
}

/** Agents that may reach others, or be started by them, and are not in the list: one that is added later would get what is said of them. */
function agentNotes(written: Written): readonly ConfigProblem[] {
  const list = valueAt(written, ["agents", "list"]);
  const ids = Array.isArray(list) && list.length > 0 ? list.map((entry: unknown) => String(object(entry)["id"])) : ["main"];
  const reached = ["tools", "agentToAgent", "allow"];
  const starting: KeyPath[] = [
    ["agents", "defaults"],
    ...(Array.isArray(list) ? list.map((_, index): KeyPath => ["agents", "list", index]) : []),
  ];
  const paths = [
    ...placesOf(written, reached).flatMap((place) => [[...place, "from"] as KeyPath, [...place, "to"] as KeyPath]),
    ...starting.flatMap((agent) => placesOf(written, [...agent, "subagents", "allowAgents"])),
  ];
  return paths.flatMap((path) => {
    const id = valueAt(written, path);
    if (typeof id !== "string" || [...ids, "*", "main"].includes(id)) return [];
    return [{ type: "notice", path: formatKeyPath(path), message: `there is no agent "${id}"; "factotum agents list" shows them` }];
  });
}

/** The places of a list. */
function placesOf(written: Written, path: KeyPath): readonly KeyPath[] {
  const list = valueAt(written, path);
  return Array.isArray(list) ? list.map((_, index): KeyPath => [...path, index]) : [];
}

function noteOf(written: Written, path: KeyPath, known: Parameters<typeof parseModelReference>[1]): readonly ConfigProblem[] {
  const notice = (message: string): ConfigProblem => ({ type: "notice", path: formatKeyPath(path), message });
  const parsed = parseModelReference(String(valueAt(written, path)), known);
  if (parsed.type === "unknown") return [notice(parsed.message)];
  const { provider, model } = parsed.reference;
  const configured = valueAt(written, ["models", "providers", provider, "models"]);
  const entries = Array.isArray(configured) ? configured.map((entry: unknown) => object(entry)["id"]) : [];
  const names = listedModels(provider);
  if (names.length === 0 || entries.includes(model) || isListedModel(provider, model)) return [];
  const nearest = nearestName(model, names);
  const hint = nearest === undefined ? '; "factotum doctor" asks the provider' : `; did you mean "${provider}/${nearest}"?`;
  return [notice(`this version does not know a model "${model}" of ${provider}${hint}`)];
}

/** The paths at which an agent refers to models. */
function modelPaths(written: Written, agent: KeyPath): readonly KeyPath[] {
  const model = valueAt(written, [...agent, "model"]);
  const fallbacks = object(model)["fallbacks"];
  const paths: KeyPath[] = [
    [...agent, "model"],
    [...agent, "model", "primary"],
    ...(Array.isArray(fallbacks) ? fallbacks.map((_, index): KeyPath => [...agent, "model", "fallbacks", index]) : []),
    [...agent, "compaction", "model"],
    [...agent, "heartbeat", "model"],
  ];
  return paths.filter((path) => typeof valueAt(written, path) === "string");
}

function primaryOf(model: unknown): string | undefined {
  const primary = typeof model === "string" ? model : object(model)["primary"];
  return typeof primary === "string" ? primary : undefined;
}

function aliasesOf(written: Written, agent: KeyPath): Readonly<Record<string, string>> {
  const entries = Object.entries(object(valueAt(written, [...agent, "models"])));
  return Object.fromEntries(
    entries.flatMap(([reference, settings]) => {
      const alias = object(settings)["alias"];
      return typeof alias === "string" ? [[alias, reference]] : [];
    }),
  );
}

function object(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
}
