import type { SessionKind } from "@factotum/protocol";

/** The parts of a key that belongs to an agent. */
export interface AgentSessionKey {
  readonly agentId: string;
  /** The part after the agent. */
  readonly rest: string;
}

/** The key of the single session under `session.scope: "global"`. */
export const GLOBAL_SESSION_KEY = "global";

/** Splits `agent:<agentId>:<rest>`; `undefined` for any other key. */
export function parseAgentSessionKey(key: string): AgentSessionKey | undefined {
  const [prefix, agentId, ...rest] = key.trim().split(":");
  if (prefix !== "agent" || !agentId || rest.every((part) => part === "")) return undefined;
  return { agentId: agentId.toLowerCase(), rest: rest.join(":") };
}

/** Builds `agent:<agentId>:<rest>`. */
export function agentSessionKey(agentId: string, ...rest: readonly string[]): string {
  return ["agent", agentId.toLowerCase(), ...rest].join(":");
}

/** An id as part of a key: `%` and `:` are percent-encoded, and case is folded if the platform ignores it. */
export function keyPart(id: string, options: { readonly caseSensitive: boolean }): string {
  const folded = options.caseSensitive ? id : id.toLowerCase();
  return folded.replaceAll("%", "%25").replaceAll(":", "%3A");
}

/** True for a valid session key: at least three parts, or one of the reserved forms; no control characters, and no half of a character. */
export function isSessionKey(key: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(key) || !key.isWellFormed() || key.length > 1000) return false;
  return key === GLOBAL_SESSION_KEY || parseAgentSessionKey(key) !== undefined || /^(?:cron|hook):[^:]+/.test(key);
}

/** The address in a key; `undefined` for a key without one, such as the main session's. */
export interface KeyAddress {
  readonly type: "direct" | "group" | "thread";
  /** Absent for a person's session on every channel. */
  readonly channel?: string;
}

/** Reads the address out of a key in its normal form. */
export function addressOfKey(key: string): KeyAddress | undefined {
  const parts = parseAgentSessionKey(key)?.rest.split(":") ?? [];
  const kindAt = kindPosition(parts);
  if (kindAt === -1) return undefined;
  const isThread = parts[kindAt] !== "direct" && /^(?:topic|thread)$/.test(parts[kindAt + 2] ?? "") && parts.length > kindAt + 3;
  return {
    type: isThread ? "thread" : parts[kindAt] === "direct" ? "direct" : "group",
    ...(kindAt === 0 || parts[0] === undefined ? {} : { channel: parts[0] }),
  };
}

/** Reads a key as people may write it: trimmed, agent and prefix in lower case, `dm` as an alias of `direct`. */
export function normalizeSessionKey(key: string): string {
  const trimmed = key.trim();
  const parsed = parseAgentSessionKey(trimmed);
  if (parsed === undefined) return trimmed;
  const parts = parsed.rest.split(":");
  const kindAt = kindPosition(parts);
  const rest = kindAt === -1 ? parts : parts.map((part, index) => (index === kindAt ? canonicalKind(part) : part));
  return agentSessionKey(parsed.agentId, ...rest);
}

/** The position of the kind: first (per-peer), second (per-channel-peer) or third (per-account-channel-peer); an id follows it. */
function kindPosition(parts: readonly string[]): number {
  return parts.findIndex((part, index) => index < 3 && index < parts.length - 1 && /^(?:dm|direct|group|channel)$/i.test(part));
}

function canonicalKind(kind: string): string {
  const lower = kind.toLowerCase();
  return lower === "dm" ? "direct" : lower;
}

/** True for the session of a sub-agent: `agent:<agentId>:subagent:<id>`. */
export function isSubagentKey(key: string): boolean {
  return parseAgentSessionKey(key)?.rest.startsWith("subagent:") ?? false;
}

/** Kind of a session, for lists and filters. */
export function sessionKind(key: string, mainKey: string): SessionKind {
  if (key === GLOBAL_SESSION_KEY) return "main";
  if (key.startsWith("cron:")) return "cron";
  if (key.startsWith("hook:")) return "hook";
  if (key.startsWith("node-")) return "node";
  const parsed = parseAgentSessionKey(key);
  if (parsed === undefined) return "other";
  if (parsed.rest === mainKey) return "main";
  if (parsed.rest.startsWith("node-")) return "node";
  return /^[^:]+:(?:[^:]+:)?(?:group|channel):/.test(parsed.rest) ? "group" : "other";
}
