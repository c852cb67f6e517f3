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
