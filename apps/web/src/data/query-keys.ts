import type { RpcEvent, RpcMethod, RpcMethods } from "@factotum/protocol";

/** The key of a request's cached result. */
export type QueryKey<Method extends RpcMethod = RpcMethod> = readonly [method: Method, params: RpcMethods[Method]["params"]];

/** The key of a request. */
export function queryKey<Method extends RpcMethod>(method: Method, params: RpcMethods[Method]["params"]): QueryKey<Method> {
  return [method, params];
}

type NamespaceOf<Method> = Method extends `${infer Name}.${string}` ? Name : Method;

/** The first word of the name of a method. */
export type RpcNamespace = NamespaceOf<RpcMethod>;

/** The part of a method's name before the dot. */
export function namespaceOf(method: string): string {
  return method.split(".")[0] ?? method;
}

/** What each event of the gateway may have changed, as namespaces of methods. An event without a row changes no cached result. */
const CHANGED_BY: Partial<Record<RpcEvent, readonly RpcNamespace[]>> = {
  // A session changes when something was said in it: by a person, a job or a sub-agent, at a cost.
  "sessions-change": ["sessions", "agents", "cron", "subagents", "status", "usage", "context", "messages", "webhooks"],
  "warnings-change": ["warnings", "damage", "pairing", "setup", "status"],
  "approvals-change": ["approvals", "status"],
  "deadletters-change": ["deadletters", "status"],
  "channels-change": ["channels", "status", "pairing", "access"],
  "jobs-change": ["cron", "heartbeat", "status"],
  "memory-change": ["memory"],
  "files-change": ["files", "skills", "commands"],
  // The file says which agents, models, channels, jobs, limits and rules there are.
  "config-change": [
    "config",
    "status",
    "agents",
    "models",
    "commands",
    "channels",
    "access",
    "cron",
    "heartbeat",
    "memory",
    "files",
    "plugins",
    "servers",
    "setup",
    "skills",
    "tools",
    "usage",
  ],
};

/** The namespaces whose cached results an event may have changed. */
export function changedBy(event: RpcEvent): readonly RpcNamespace[] {
  return CHANGED_BY[event] ?? [];
}

/** Who an agent is decides on its tools, its skills and its files. */
const OF_AGENTS: readonly RpcNamespace[] = ["tools", "skills", "files", "status"];
/** What a package may bring. */
const OF_PACKAGES: readonly RpcNamespace[] = ["skills", "servers", "tools", "channels", "models", "commands"];
const OF_KEYS: readonly RpcNamespace[] = ["models", "status", "config"];

/** What each request changes besides the results of its own namespace. */
const CHANGED_WITH: Partial<Record<RpcMethod, readonly RpcNamespace[]>> = {
  "access.allow": ["pairing", "status"],
  "access.policy": ["channels", "status"],
  "access.remove": ["pairing", "status"],
  "agents.add": OF_AGENTS,
  "agents.remove": OF_AGENTS,
  "agents.update": OF_AGENTS,
  "channels.remove": ["status", "config", "pairing", "deadletters"],
  "channels.restart": ["status"],
  "channels.save": ["status", "access", "config"],
  "config.patch": changedBy("config-change"),
  "files.restore": ["agents"],
  "files.write": ["agents"],
  "memory.forget": ["sessions", "cron", "usage"],
  "models.test": ["usage"],
  "pairing.approve": ["access", "status"],
  "pairing.revoke": ["access", "status"],
  "plugins.disable": OF_PACKAGES,
  "plugins.enable": OF_PACKAGES,
  "plugins.install": OF_PACKAGES,
  "plugins.remove": OF_PACKAGES,
  "plugins.update": OF_PACKAGES,
  "setup.forgetKey": OF_KEYS,
  "setup.key": OF_KEYS,
  "setup.model": OF_KEYS,
  "skills.disable": ["commands"],
  "skills.enable": ["commands"],
  "skills.install": ["commands"],
  "skills.remove": ["commands"],
};

/** The namespaces whose cached results a request may have changed: its own, and others. */
export function changedWith(method: RpcMethod): ReadonlySet<string> {
  return new Set([namespaceOf(method), ...(CHANGED_WITH[method] ?? [])]);
}
