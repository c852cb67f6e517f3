import type { PluginCall, PluginCommandCall, PluginJson, PluginObject, PluginRouteRequest } from "@factotum/plugin";

/** What the gateway tells a plugin: one JSON text a line. */
export type ToPlugin =
  | {
      readonly type: "setup";
      readonly id: string;
      /** Absolute. */
      readonly entry: string;
      readonly config: PluginObject;
      readonly secrets: Readonly<Record<string, string>>;
      readonly workspaces: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "tool";
      readonly call: number;
      readonly name: string;
      readonly arguments: PluginObject;
      readonly facts: Omit<PluginCall, "signal">;
    }
  | { readonly type: "hook"; readonly call: number; readonly name: string; readonly payload: PluginObject }
  /** The answer comes as `chunk`s, then a `result` without a value. */
  | { readonly type: "model"; readonly call: number; readonly request: PluginObject }
  | { readonly type: "memory"; readonly call: number; readonly method: "search" | "get"; readonly params: PluginObject }
  | {
      readonly type: "command";
      readonly call: number;
      readonly name: string;
      readonly words: string;
      readonly facts: Omit<PluginCommandCall, "signal">;
    }
  /** `name`: method and path of the manifest. */
  | { readonly type: "route"; readonly call: number; readonly name: string; readonly request: PluginRouteRequest }
  /** So many further chunks may be sent. */
  | { readonly type: "more"; readonly call: number; readonly chunks: number }
  /** The result of a call is no longer awaited. */
  | { readonly type: "cancel"; readonly call: number }
  /** Answers an `ask`. */
  | { readonly type: "answer"; readonly ask: number; readonly value?: PluginJson; readonly error?: string };

/** What a plugin is as a whole, beyond single tools and hooks. */
export type PluginRole = "models" | "memory";

/** The services of the gateway that a plugin may ask for. */
export type AskMethod = "state.get" | "state.keys" | "state.set" | "state.delete" | "fetch";

/** What a plugin tells the gateway. Foreign code can write anything: it is checked. */
export type FromPlugin =
  /** The runtime is there, and no code of the plugin has run. */
  | { readonly type: "hello" }
  | {
      readonly type: "ready";
      readonly tools: readonly string[];
      readonly hooks: readonly string[];
      readonly roles: readonly string[];
      readonly commands: readonly string[];
      readonly routes: readonly string[];
    }
  /** `setup` has failed. */
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "result"; readonly call: number; readonly value: unknown }
  /** `status`: of the error of a model. */
  | { readonly type: "error"; readonly call: number; readonly message: string; readonly status?: number }
  | { readonly type: "chunk"; readonly call: number; readonly value: unknown }
  /** Something failed that belongs to no call. */
  | { readonly type: "fault"; readonly message: string }
  | { readonly type: "ask"; readonly ask: number; readonly method: string; readonly params: readonly unknown[] }
  | { readonly type: "log"; readonly level: string; readonly message: string; readonly fields?: unknown };

const TYPES: Readonly<Record<string, true>> = {
  hello: true,
  ready: true,
  failed: true,
  result: true,
  error: true,
  chunk: true,
  fault: true,
  ask: true,
  log: true,
};

/** Deeper data would exhaust the stack of what walks through it. */
const MAX_DEPTH = 100;

/** Checks a value that came from a plugin; `undefined` for one that is no message. */
export function parseFromPlugin(value: unknown): FromPlugin | undefined {
  if (typeof value !== "object" || value === null || !("type" in value) || isDeeper(value, MAX_DEPTH)) return undefined;
  const { type, call, ask, message, tools, hooks, roles, commands, routes, method, params, level, status } = value as Readonly<
    Record<string, unknown>
  >;
  if (typeof type !== "string" || !Object.hasOwn(TYPES, type)) return undefined;
  const isText = (one: unknown): one is string => typeof one === "string";
  const isValid = {
    hello: true,
    ready: [tools, hooks, roles, commands, routes].every((names) => Array.isArray(names) && names.every(isText)),
    failed: isText(message),
    result: typeof call === "number",
    error: typeof call === "number" && isText(message) && (status === undefined || typeof status === "number"),
    chunk: typeof call === "number" && "value" in value,
    fault: isText(message),
    ask: typeof ask === "number" && isText(method) && Array.isArray(params),
    log: isText(level) && isText(message),
  }[type];
  return isValid === true ? (value as FromPlugin) : undefined;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}
