import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { isAvailable, type FactotumConfig, type LoadedConfig, type ResolvedAgent } from "@factotum/config";
import { createOllamaProbe, defaultModelFromEnvironment, findProviderFacts, PROVIDER_FACTS, type ProviderFacts } from "@factotum/models";
import type { SetupProvider, SetupState } from "@factotum/protocol";
import { pluginAt } from "../extensions/plugin-providers.ts";
import { findAddress, findProviderKey } from "./find-target.ts";
import { loadForSetup, type FirstRunParts, type StepOutcome } from "./first-run-parts.ts";
import { heartbeatChoice } from "./heartbeat-choice.ts";
import { readIdentityName } from "./identity-file.ts";

/** The current setup and the options; queries a local Ollama, and no other server. */
export async function readSetupState(parts: FirstRunParts): Promise<StepOutcome<{ readonly state: SetupState }>> {
  const loaded = await loadForSetup(parts);
  if (loaded.type === "refused") return loaded;
  const { config } = loaded;
  const agent = defaultAgent(config);
  // A plugin's provider has no key that could be asked for.
  const own = Object.entries(config.models.providers).flatMap(([id, { baseUrl = "" }]) =>
    findProviderFacts(id) === undefined && pluginAt(baseUrl) === undefined ? [id] : [],
  );
  const facts = [...PROVIDER_FACTS, ...own.map((id): ProviderFacts => ({ id, label: id, url: "", keyVariables: [] }))];
  const state = {
    model: await currentModel(agent, config, parts),
    agent: { id: agent.id, ...withoutUndefined({ name: await nameOf(agent) }), heartbeat: heartbeatChoice(agent.heartbeat) },
    providers: await Promise.all(facts.map(async (one) => describeProvider(one, config, parts))),
    channels: channelAccounts(loaded, parts),
  };
  return { type: "done", state };
}

/** As they are written: a first run does not look for the packages of channels. */
function channelAccounts({ written }: LoadedConfig, { channels }: FirstRunParts): readonly string[] {
  const implicit = channels.flatMap((one) => (isAvailable(one) && one.implicit === true ? [one.id] : []));
  const { defaults: _, ...blocks } = (written["channels"] ?? {}) as Readonly<Record<string, { readonly accounts?: object }>>;
  return Object.entries(blocks)
    .filter(([id]) => !implicit.includes(id))
    .flatMap(([id, { accounts }]) =>
      accounts === undefined ? [id] : Object.keys(accounts).map((account) => (account === "default" ? id : `${id}:${account}`)),
    );
}

/** The agent that a first run sets up. */
export function defaultAgent({ agents, defaultAgentId }: FactotumConfig): ResolvedAgent {
  const agent = agents.find(({ id }) => id === defaultAgentId) ?? agents[0];
  if (agent === undefined) throw new Error("The configuration has no agent.");
  return agent;
}

async function currentModel(agent: ResolvedAgent, { models }: FactotumConfig, parts: FirstRunParts): Promise<SetupState["model"]> {
  if (agent.model !== undefined) return { reference: agent.model.primary, source: "configured", reason: "the configuration names it" };
  const { reference, reason } = await defaultModelFromEnvironment(parts.env, {
    probeOllama: createOllamaProbe(parts),
    ollamaBaseUrl: models.providers["ollama"]?.baseUrl,
  });
  return { reference, source: reference.startsWith("demo/") ? "demo" : "found", reason };
}

async function describeProvider(facts: ProviderFacts, config: FactotumConfig, parts: FirstRunParts): Promise<SetupProvider> {
  const { id, label, url, keyVariables, defaultModel } = facts;
  const key = await findProviderKey(id, config, parts.env);
  const running = id === "ollama" ? await isOllamaRunning(config, parts) : undefined;
  return {
    id,
    label,
    ...(url === "" ? {} : { url }),
    needsKey: keyVariables.length > 0,
    ...(key.type === "none" ? {} : { keyPlace: key.place }),
    ...(key.type === "unresolved" ? { keyProblem: key.problem } : {}),
    ...withoutUndefined({ running, defaultModel }),
  };
}

async function isOllamaRunning(config: FactotumConfig, parts: FirstRunParts): Promise<boolean> {
  const baseUrl = findAddress("ollama", config, parts.env)?.baseUrl ?? "";
  return (await createOllamaProbe(parts)(baseUrl.replace(/\/+(?:v1\/*)?$/, ""))) !== undefined;
}

async function nameOf(agent: ResolvedAgent): Promise<string | undefined> {
  const configured = agent.identity.name ?? agent.name;
  try {
    return readIdentityName(await readFile(join(agent.workspace, "IDENTITY.md"), "utf8")) ?? configured;
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")) return configured;
    throw error;
  }
}
