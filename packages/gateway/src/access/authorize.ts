import { RPC_METHODS } from "@factotum/protocol";
import type { RpcAccess, RpcMethod } from "@factotum/protocol";

/** The caller. Derived by the gateway from a credential or a committed message; nothing a client sends widens it (R19). */
export type Principal =
  /** No credential. */
  | { readonly type: "anonymous" }
  /** Has the gateway's token: the owner. */
  | { readonly type: "token" }
  /** A platform, authenticated by the signature that its channel or its webhook verifies on the raw bytes. */
  | { readonly type: "platform" }
  /**
   * A tool call of a run; `owner` is that of the message that started the run, `tainted` says that the model had read text of other people when it made the
   * call (R23).
   */
  | { readonly type: "run"; readonly owner: boolean; readonly tainted: boolean };

/** The HTTP routes. A route that is not listed cannot be served. */
const HTTP_ROUTES = [
  "GET /",
  "GET /healthz",
  "GET /readyz",
  "GET /metrics",
  "GET /ws",
  "POST /v1/chat/completions",
  "POST /v1/responses",
  "POST /v1/embeddings",
  "POST /uploads",
  "GET /media",
  "GET /v1/models",
  "OPTIONS /v1",
  "ANY /v1",
  "ANY /channels",
  "POST /hooks",
  "ANY /plugins",
  "PUBLIC /plugins",
] as const;

/** Name of a route. */
export type HttpRoute = (typeof HTTP_ROUTES)[number];

/** A tool's effects, from its traits. */
const TOOL_ACTIONS = ["read", "write", "execute", "send", "config", "schedule", "delegate"] as const;

/** Name of what a tool does. */
type ToolAction = (typeof TOOL_ACTIONS)[number];

/** What a tool does with a session: learns that it exists, reads its messages, sends it a message to answer, or has a scheduled job work in it. */
export const SESSION_ACCESS = ["see", "read", "send", "schedule"] as const;

/** Name of an access to a session. */
export type SessionAccess = (typeof SESSION_ACCESS)[number];

/**
 * What a session is to the caller's: the same; one that it has spawned, directly or not; another one of its agent; one of an agent that
 * `tools.agentToAgent` lets it reach; or one of any other agent.
 */
export const SESSION_RELATIONS = ["own", "spawned", "same-agent", "allowed-agent", "other-agent"] as const;

/** Name of a relation between two sessions. */
export type SessionRelation = (typeof SESSION_RELATIONS)[number];

/** Every action. */
export type Action =
  | { readonly type: "rpc"; readonly method: RpcMethod }
  | { readonly type: "http"; readonly route: HttpRoute }
  | { readonly type: "tool"; readonly effect: ToolAction }
  | { readonly type: "session"; readonly access: SessionAccess }
  /** Starts an external agent, or gives it a prompt. */
  | { readonly type: "external-agent" };

/** The resource of an action. */
export type Resource =
  /** Within the run: its session's folders, its own address. For a method or a route the gateway itself, which is the owner's. */
  | { readonly type: "own" }
  /** The run's sandbox, which has no network. */
  | { readonly type: "sandbox" }
  /** The run's sandbox, whose commands reach the hosts of `sandbox.network.allow`. */
  | { readonly type: "networked-sandbox" }
  /** A file that later turns or commands follow: bootstrap files, MEMORY.md, skills, slash commands, files of Git repositories. */
  | { readonly type: "instructions" }
  /** Beyond the run: another address, a change over the network, or a request to an address that the model may have composed. */
  | { readonly type: "elsewhere" }
  /** A session, as a run of another one sees it. */
  | {
      readonly type: "session";
      readonly relation: SessionRelation;
      /** It is the owner's alone. */
      readonly isPrivate: boolean;
      /** So is the turn that asks. */
      readonly fromPrivate: boolean;
      /** The turn that asks is sandboxed, and `sandbox.sessionToolsVisibility` shows it only what it has spawned. */
      readonly isConfined: boolean;
    };

/** One question to `authorize`, without the caller. */
export interface AccessRequest {
  readonly action: Action;
  readonly resource: Resource;
}

/** The resource of most actions. */
export const OWN: Resource = { type: "own" };

/** The decision. `reason` names the rule and what to do. `confirm`: the owner may do it, but the request may not come from the owner. */
export type Decision = { readonly type: "allow" } | { readonly type: "deny" | "confirm"; readonly reason: string };

/** The roles in the rules. */
export const ROLES = ["anonymous", "token", "platform", "owner-run", "tainted-owner-run", "guest-run"] as const;

/** Name of a role. */
export type Role = (typeof ROLES)[number];

const OWNER_ONLY: readonly Role[] = ["token"];
const EVERYBODY: readonly Role[] = ["anonymous", "token", "platform"];

/** Roles that may call a method, by its access in the protocol's table. */
const RPC_RULES: Readonly<Record<RpcAccess, readonly Role[]>> = { owner: OWNER_ONLY };

/**
 * Access rules by route. The page itself contains no secret; `/ws` admits everyone to the handshake and no one past it without the token. A browser sends
 * `OPTIONS /v1` without a token before the request. `ANY /v1` and `ANY /plugins` cover unknown routes and methods there; a plugin's
 * route is public if its manifest, which the owner confirmed, says so.
 */
const HTTP_RULES: { readonly [Route in HttpRoute]: readonly Role[] } = {
  "GET /": EVERYBODY,
  "GET /healthz": EVERYBODY,
  "GET /readyz": EVERYBODY,
  "GET /metrics": OWNER_ONLY,
  "GET /ws": EVERYBODY,
  "POST /v1/chat/completions": OWNER_ONLY,
  "POST /v1/responses": OWNER_ONLY,
  "POST /v1/embeddings": OWNER_ONLY,
  "POST /uploads": OWNER_ONLY,
  "GET /media": OWNER_ONLY,
  "GET /v1/models": OWNER_ONLY,
  "OPTIONS /v1": EVERYBODY,
  "ANY /v1": OWNER_ONLY,
  "ANY /channels": ["platform"],
  "POST /hooks": ["platform"],
  "ANY /plugins": OWNER_ONLY,
  "PUBLIC /plugins": EVERYBODY,
};

/** Runs that may use a tool within their own session. Everyone's files are in a folder of their session; commands on the host are the owner's. */
const TOOL_RULES: { readonly [Effect in ToolAction]: readonly Role[] } = {
  read: ["owner-run", "tainted-owner-run", "guest-run"],
  write: ["owner-run", "tainted-owner-run", "guest-run"],
  send: ["owner-run", "tainted-owner-run", "guest-run"],
  execute: ["owner-run"],
  config: ["owner-run"],
  // A guest's job runs in the guest's sandbox, and reports to the guest's conversation.
  schedule: ["owner-run", "guest-run"],
  // A sub-agent has the sender, the sandbox and the taint of the run that starts it.
  delegate: ["owner-run", "tainted-owner-run", "guest-run"],
};

/** Runs that may act outside of their session. Files elsewhere are bounded by the tools' roots (R21), not by a rule: no one has a rule here. */
const ELSEWHERE_RULES: Partial<Readonly<Record<ToolAction, readonly Role[]>>> = {
  read: ["owner-run"],
  send: ["owner-run"],
  write: ["owner-run"],
};

/** Runs that may use a tool inside their sandbox: it has no network, and its files are those that the run's file tools reach. */
const SANDBOX_RULES: Partial<Readonly<Record<ToolAction, readonly Role[]>>> = { execute: ["owner-run", "tainted-owner-run", "guest-run"] };

/** The same with network: what a command sends leaves the sandbox, so those of everyone else wait for the owner. */
const NETWORKED_SANDBOX_RULES: Partial<Readonly<Record<ToolAction, readonly Role[]>>> = { execute: ["owner-run"] };

/** Runs that may change instructions for later turns. */
const INSTRUCTION_RULES: Partial<Readonly<Record<ToolAction, readonly Role[]>>> = { write: ["owner-run"] };

const EVERY_RUN: readonly Role[] = ["owner-run", "tainted-owner-run", "guest-run"];
/** Also those that may use an external agent, which works on the host outside of every sandbox. A spawn of one is decided on as a command, too. */
const OWNERS_RUNS: readonly Role[] = ["owner-run", "tainted-owner-run"];

/**
 * Runs that may do something with a session. What a session is sent has at most the authority of the run, and its taint; whether a tainted run may send at all
 * is decided as for every `send`. No session sends to itself. A job may be made in private for every session: only the owner's have a session of their choice.
 */
const SESSION_RULES: { readonly [Relation in SessionRelation]: Readonly<Record<SessionAccess, readonly Role[]>> } = {
  own: { see: EVERY_RUN, read: EVERY_RUN, send: [], schedule: OWNERS_RUNS },
  spawned: { see: EVERY_RUN, read: EVERY_RUN, send: EVERY_RUN, schedule: OWNERS_RUNS },
  "same-agent": { see: OWNERS_RUNS, read: OWNERS_RUNS, send: OWNERS_RUNS, schedule: OWNERS_RUNS },
  "allowed-agent": { see: OWNERS_RUNS, read: OWNERS_RUNS, send: OWNERS_RUNS, schedule: OWNERS_RUNS },
  "other-agent": { see: [], read: [], send: [], schedule: OWNERS_RUNS },
};

/**
 * The single place that decides authority: before every RPC method, HTTP route and tool call. An action without a rule is denied.
 *
 * Every session and agent belongs to the owner, so methods and routes have one resource; what a tool may read and write is already bounded by its roots (R21).
 */
export function authorize(principal: Principal, action: Action, resource: Resource): Decision {
  const role = roleOf(principal);
  const allowed = rulesFor(action, resource);
  if (allowed.includes(role)) return { type: "allow" };
  if (role === "tainted-owner-run" && allowed.includes("owner-run")) return { type: "confirm", reason: TAINTED };
  if (role === "guest-run" && resource.type === "networked-sandbox" && allowed.includes("owner-run"))
    return { type: "confirm", reason: NETWORKED };
  return { type: "deny", reason: reason(role, action) };
}

/** Every action but those on sessions, which depend on more, for the test of the rules against all roles. */
export function allAccessRequests(): readonly AccessRequest[] {
  const actions = [
    ...(Object.keys(RPC_METHODS) as RpcMethod[]).map((method): Action => ({ type: "rpc", method })),
    ...HTTP_ROUTES.map((route): Action => ({ type: "http", route })),
    ...TOOL_ACTIONS.map((effect): Action => ({ type: "tool", effect })),
    { type: "external-agent" } as const,
  ];
  return actions.flatMap((action) => [
    { action, resource: OWN },
    { action, resource: { type: "sandbox" } },
    { action, resource: { type: "networked-sandbox" } },
    { action, resource: { type: "instructions" } },
    { action, resource: { type: "elsewhere" } },
  ]);
}

function rulesFor(action: Action, resource: Resource): readonly Role[] {
  if (resource.type === "session") return action.type === "session" ? sessionRules(action.access, resource) : [];
  if (resource.type === "instructions") return action.type === "tool" ? (INSTRUCTION_RULES[action.effect] ?? []) : [];
  if (resource.type === "sandbox") return action.type === "tool" ? (SANDBOX_RULES[action.effect] ?? []) : [];
  if (resource.type === "networked-sandbox") return action.type === "tool" ? (NETWORKED_SANDBOX_RULES[action.effect] ?? []) : [];
  if (resource.type === "elsewhere") return action.type === "tool" ? (ELSEWHERE_RULES[action.effect] ?? []) : [];
  switch (action.type) {
    case "rpc":
      return Object.hasOwn(RPC_METHODS, action.method) ? RPC_RULES[RPC_METHODS[action.method].access] : [];
    case "http":
      return Object.hasOwn(HTTP_RULES, action.route) ? HTTP_RULES[action.route] : [];
    case "tool":
      return Object.hasOwn(TOOL_RULES, action.effect) ? TOOL_RULES[action.effect] : [];
    case "session":
      return [];
    case "external-agent":
      return OWNERS_RUNS;
  }
}

/** A session that is not private reaches no private one and none of an agent that it may not reach, regardless of the other rules. */
function sessionRules(
  access: SessionAccess,
  { relation, isPrivate, fromPrivate, isConfined }: Extract<Resource, { readonly type: "session" }>,
): readonly Role[] {
  if (relation !== "own" && isPrivate && !fromPrivate) return [];
  if (relation === "other-agent" && !fromPrivate) return [];
  if (isConfined && relation !== "own" && relation !== "spawned") return [];
  return SESSION_RULES[relation][access];
}

const TAINTED =
  "Rule taint: what the model was given in this turn holds words or files of somebody who is not the owner, so a call like this may be theirs.";

const NETWORKED = "Rule network: commands in this sandbox can reach hosts (sandbox.network), and this message is not the owner's.";

function roleOf(principal: Principal): Role {
  if (principal.type !== "run") return principal.type;
  if (!principal.owner) return "guest-run";
  return principal.tainted ? "tainted-owner-run" : "owner-run";
}

function reason(role: Role, action: Action): string {
  if (action.type === "tool") {
    return `Rule tool:${action.effect}: only the owner may do this. The owner is whoever commands.ownerAllowFrom names, or who holds the gateway's token.`;
  }
  if (action.type === "external-agent")
    return "Rule acp: external agents work on the host, so only turns of the owner that are not sandboxed may use one.";
  if (action.type === "session") return "Rule session: this session is not within the reach of this turn.";
  if (role === "anonymous")
    return "No valid token. Send the gateway's token: `Authorization: Bearer <token>`, or the link that `factotum gateway run` prints.";
  return "This credential may not do this.";
}
