import { MODEL_APIS, nearestName } from "@factotum/agent-contract";
import type { KeyPath } from "../document/key-path.ts";
import { PROVIDER_NAMES } from "../models/provider-names.ts";
import { suggestion } from "../suggestion.ts";
import { isExposed } from "../schema/gateway.ts";
import type { ConfigDocument } from "../schema/root.ts";
import { checkAgentServers } from "./check-agent-servers.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

/** Checks references between keys: ids that must exist, or be unique. */
export function checkReferences(config: ConfigDocument): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const invalid = (path: KeyPath, message: string): void => void problems.push(problemAt("invalid-value", path, message));
  const { list } = config.agents;
  const ids = list.length === 0 ? ["main"] : list.map(({ id }) => id);
  list.forEach(({ id }, index) => {
    if (ids.indexOf(id) < index) invalid(["agents", "list", index, "id"], `there are two agents "${id}"; give one another id`);
  });
  const defaults = list.flatMap((agent, index) => (agent.default ? [index] : []));
  for (const index of defaults.slice(1)) {
    invalid(["agents", "list", index, "default"], `"${ids[defaults[0] ?? 0]}" is the default already; only one agent can be`);
  }
  config.bindings.forEach(({ agentId }, index) => {
    if (ids.includes(agentId)) return;
    invalid(["bindings", index, "agentId"], `there is no agent "${agentId}"${suggestion(nearestName(agentId, ids))}`);
  });
  checkExternalBindings(config, invalid);
  checkAgentServers(config, invalid);
  problems.push(...checkSharedMain(config));
  checkAliases(config, invalid);
  checkProviders(config, invalid);
  const { tts } = config.messages;
  if (tts.auto !== "off" && tts.provider === undefined)
    invalid(
      ["messages", "tts", "provider"],
      'this key is needed with auto and is missing: a model such as "openai/gpt-4o-mini-tts", or "espeak-ng"',
    );
  if (config.gateway.auth.mode === "none" && isExposed(config.gateway)) {
    invalid(
      ["gateway", "auth", "mode"],
      `"none" would let everybody on the network in; use "token", or bind to loopback without publicUrl`,
    );
  }
  return problems;
}

function checkExternalBindings({ bindings, acp }: ConfigDocument, invalid: (path: KeyPath, message: string) => void): void {
  const known = Object.keys(acp.agents);
  bindings.forEach(({ type, acp: named }, index) => {
    const path = ["bindings", index, "acp"];
    if (type === "route" && named !== undefined) invalid(path, 'this key is for the type "acp"; set type to "acp", or take the key away');
    if (type === "acp" && named === undefined) invalid(path, 'this key is needed with the type "acp" and is missing: { agent: "ID" }');
    if (named !== undefined && !known.includes(named.agent))
      invalid([...path, "agent"], `acp.agents has no "${named.agent}"${suggestion(nearestName(named.agent, known))}`);
  });
}

/** Keys that would let other people into the owner's sessions, which requires `session.sharedMain`. */
function checkSharedMain({ session, bindings }: ConfigDocument): ConfigProblem[] {
  if (session.sharedMain) return [];
  const allow = "set session.sharedMain to true if other people shall see what is said there";
  const scope = `holds for the owner's direct messages alone: other people and groups have sessions of their own; ${allow}`;
  const binding = `holds for the owner alone: other people get per-channel-peer; ${allow}`;
  return [
    ...(session.scope === "global" ? [problemAt("notice", ["session", "scope"], scope)] : []),
    ...bindings.flatMap(({ session: { dmScope } }, index) =>
      dmScope === "main" ? [problemAt("notice", ["bindings", index, "session", "dmScope"], binding)] : [],
    ),
  ];
}

/** `demo` needs no provider of one's own. */
const WIRE_FORMATS = `one of ${MODEL_APIS.filter((api) => api !== "demo")
  .map((api) => JSON.stringify(api))
  .join(", ")} is expected`;

function checkProviders({ models }: ConfigDocument, invalid: (path: KeyPath, message: string) => void): void {
  for (const [id, { api, apiKey, credentials, models: entries }] of Object.entries(models.providers)) {
    const place = ["models", "providers", id];
    if (api === undefined && !PROVIDER_NAMES.includes(id)) {
      const hint = suggestion(nearestName(id, PROVIDER_NAMES));
      invalid([...place, "api"], `this key is needed and is missing: ${WIRE_FORMATS}, as no provider "${id}" is known by its name${hint}`);
    }
    if (apiKey !== undefined && Object.keys(credentials).length > 0) {
      invalid([...place, "apiKey"], "this is the short form of one credential; give it a name among credentials, or take those away");
    }
    entries.forEach(({ reasoning, thinkingLevels }, index) => {
      if (reasoning !== false || thinkingLevels === undefined) return;
      invalid([...place, "models", index, "thinkingLevels"], "a model that does not reason has no levels; take one of the two away");
    });
  }
}

function checkAliases(config: ConfigDocument, invalid: (path: KeyPath, message: string) => void): void {
  const scopes: [KeyPath, ConfigDocument["agents"]["defaults"]["models"]][] = [
    [["agents", "defaults", "models"], config.agents.defaults.models],
    ...config.agents.list.map(({ models }, index): [KeyPath, typeof models] => [["agents", "list", index, "models"], models]),
  ];
  for (const [path, models] of scopes) {
    const owners = new Map<string, string>();
    for (const [reference, { alias }] of Object.entries(models)) {
      if (alias === undefined) continue;
      if (alias.includes("/")) invalid([...path, reference, "alias"], "an alias has no /, so that it cannot be taken for a reference");
      const owner = owners.get(alias);
      if (owner !== undefined) invalid([...path, reference, "alias"], `"${alias}" is the alias of ${owner} already`);
      owners.set(alias, reference);
    }
  }
}
