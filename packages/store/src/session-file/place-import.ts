/** Who owns an imported session. */
export interface ImportOwners {
  /** The agent of sessions whose key does not name one. */
  readonly agentId: string;
  /** Assigns every session to this agent, regardless of its key. */
  readonly isForAll: boolean;
  /** The existing agents; sessions of others are refused. */
  readonly agents: ReadonlySet<string>;
}

/** The target of an imported session. */
export type ImportPlace =
  | { readonly type: "place"; readonly key: string; readonly agentId: string }
  | { readonly type: "refused"; readonly key: string; readonly reason: string };

const MAX_KEY_CHARS = 1000;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
const KINDS = new Set(["dm", "direct", "group", "channel"]);

/**
 * The key of an imported session. `dm` is an old name of `direct`; a key of the oldest form names no agent. The agent must be configured: its id is part of
 * paths.
 */
export function placeImport(oldKey: string, owners: ImportOwners): ImportPlace {
  const written = oldKey.trim();
  if (written === "" || written.length > MAX_KEY_CHARS || CONTROL.test(written) || !written.isWellFormed())
    return { type: "refused", key: printable(written), reason: "This is no session key." };
  const [prefix = "", named = "", ...rest] = written.split(":");
  const isAgents = prefix === "agent" && rest.some((part) => part !== "");
  if (!isAgents) {
    const isShared = (named !== "" && ["cron", "hook"].includes(prefix)) || written === "global";
    return place(isShared ? written : `agent:${owners.agentId}:${written}`, owners.agentId, owners);
  }
  const agentId = owners.isForAll || named === "" ? owners.agentId : named.toLowerCase();
  // The kind is the first, second or third part; the rest is an id.
  const kindAt = rest.findIndex((part, at) => at < 3 && at < rest.length - 1 && KINDS.has(part.toLowerCase()));
  const parts = rest.map((part, at) => (at === kindAt ? kindOf(part) : part));
  return place(["agent", agentId, ...parts].join(":"), agentId, owners);
}

function place(key: string, agentId: string, { agents }: ImportOwners): ImportPlace {
  if (agents.has(agentId)) return { type: "place", key, agentId };
  const reason = `There is no agent "${printable(agentId)}" here. Configure it, or name another one for everything with --agent.`;
  return { type: "refused", key, reason };
}

function kindOf(part: string): string {
  const kind = part.toLowerCase();
  return kind === "dm" ? "direct" : kind;
}

function printable(text: string): string {
  return text.replaceAll(new RegExp(CONTROL, "g"), "?").slice(0, 100).toWellFormed();
}
