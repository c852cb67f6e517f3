import type { RunFacts, ToolCaller } from "@factotum/agent-contract";
import type { SpawnRecord, TurnRecord } from "@factotum/store";
import type { RunningConfig } from "../src/agents/running-config.ts";
import { AgentsSessions } from "../src/agent-sessions/agents-sessions.ts";
import { SessionReach } from "../src/agent-sessions/session-reach.ts";
import { startTestGateway, type TestGateway, withMethods } from "./gateway-harness.ts";

/** The sessions of the tests: a short name, its key, its agent, whether it is private, and who has spawned it. */
export const SESSIONS = {
  main: { key: "agent:main:main", agentId: "main", isPrivate: true },
  group: { key: "agent:main:test:group:g1", agentId: "main", isPrivate: false },
  guest: { key: "agent:main:test:direct:ada", agentId: "main", isPrivate: false },
  job: { key: "cron:j1", agentId: "main", isPrivate: true },
  child: { key: "agent:main:subagent:c1", agentId: "main", isPrivate: true, spawnedBy: "agent:main:main" },
  grandchild: { key: "agent:main:subagent:c2", agentId: "main", isPrivate: true, spawnedBy: "agent:main:subagent:c1" },
  groupChild: { key: "agent:main:subagent:c3", agentId: "main", isPrivate: false, spawnedBy: "agent:main:test:group:g1" },
  coder: { key: "agent:coder:main", agentId: "coder", isPrivate: true },
  coderGroup: { key: "agent:coder:test:group:g2", agentId: "coder", isPrivate: false },
  coderChild: { key: "agent:coder:subagent:c4", agentId: "coder", isPrivate: true, spawnedBy: "agent:main:main" },
} as const;
export type Name = keyof typeof SESSIONS;
export const NAMES: readonly Name[] = Object.keys(SESSIONS) as Name[];
export const idOf = (name: Name): string => `${String(NAMES.indexOf(name)).padStart(2, "0")}aa-${name.toLowerCase()}`;
const LABELLED: readonly Name[] = ["coder", "group"];
export const NOW = 10_000_000;
const NOT_SENT = async (): Promise<never> => Promise.reject(new Error("nothing is sent in this test"));

/** Who asks, and what the configuration says. */
export interface Asker {
  readonly from: Name;
  readonly guest?: true;
  readonly sandboxed?: true;
  readonly shows?: "all";
  /** The turn was started in a group. */
  readonly isGroupTurn?: true;
  /** Absent: `tools.agentToAgent` is off. */
  readonly allow?: readonly { readonly from: string; readonly to: string }[];
  /** Its `subagents.allowAgents`. */
  readonly starts?: readonly string[];
}

/** A gateway with these sessions. */
export async function startWithSessions(): Promise<TestGateway> {
  const running = await startTestGateway();
  for (const [index, name] of NAMES.entries()) {
    const session = { ...SESSIONS[name], sessionId: idOf(name), displayName: `Name of ${name}` };
    await running.store.createSession(session, { nowMs: NOW - index * 60_000 });
    if (LABELLED.includes(name)) await running.store.patchSession(session.key, { label: "work" }, { nowMs: NOW - index * 60_000 });
  }
  return running;
}

/** The sessions as an asker sees them, and who it is to them. `onScan`: a page of sessions is read. */
export function askerOf(
  running: TestGateway,
  { from, guest, sandboxed, shows, isGroupTurn, allow, starts = [] }: Asker,
  { onScan = () => undefined, spawns = [] }: { readonly onScan?: () => void; readonly spawns?: readonly SpawnRecord[] } = {},
): {
  readonly sessions: AgentsSessions;
  readonly reach: SessionReach;
  readonly caller: ToolCaller;
} {
  const { parts } = running.gateway.engine;
  const config = {
    ...parts.running.config,
    tools: { ...parts.running.config.tools, agentToAgent: { enabled: allow !== undefined, allow: allow ?? [] } },
  };
  const agents = ["main", "coder"].map((id) => ({
    config: {
      id,
      name: id.toUpperCase(),
      sandbox: { sessionToolsVisibility: shows ?? "spawned" },
      subagents: { maxDepth: 1, allowAgents: starts },
    },
  }));
  const agent = (id: string): (typeof agents)[number] | undefined => agents.find((one) => one.config.id === id);
  const fake = { config, agents: { list: () => agents, get: agent }, agent };
  const kind = isGroupTurn === true || from.endsWith("roup") ? "group" : "direct";
  const { store: stored } = running;
  const store = withMethods(() => ({
    readTurn: async () => ({ origin: { conversation: { kind } } }) as unknown as TurnRecord,
    listSpawns: async () => spawns,
    listSessions: async (options) => {
      onScan();
      return stored.listSessions(options);
    },
  }))(stored);
  const sessions = new AgentsSessions();
  sessions.connect({
    ...parts,
    store,
    running: fake as unknown as RunningConfig,
    clock: { ...parts.clock, now: () => NOW },
    submit: NOT_SENT,
  });
  const { key: sessionKey, agentId } = SESSIONS[from];
  const facts = { runId: "r", kind: "user", workspace: "/", timeZone: "UTC" } as const;
  const sandbox = sandboxed === true ? ({ sandbox: { workspaceAccess: "none", shared: true } } as const) : {};
  const run: RunFacts = { ...facts, agentId, sessionKey, sessionId: idOf(from), owner: guest !== true, ...sandbox };
  const reach = new SessionReach({ store, running: fake as unknown as RunningConfig });
  return { sessions, reach, caller: { run, tainted: guest === true } };
}

export const EVERYBODY = [{ from: "*", to: "*" }];
const OWN_PRIVATE: readonly Name[] = ["main", "group", "guest", "job", "child", "grandchild", "groupChild"];
const OPEN: readonly Name[] = ["group", "guest", "groupChild"];

/** Who asks, and which sessions exist for them. */
export const ASKERS: readonly (readonly [who: string, asker: Asker, visible: readonly Name[]])[] = [
  ["the owner, in private", { from: "main" }, [...OWN_PRIVATE, "coderChild"]],
  ["the same in the sandbox", { from: "main", sandboxed: true }, ["main", "child", "grandchild", "coderChild"]],
  ["the same, where the sandbox shows all", { from: "main", sandboxed: true, shows: "all" }, [...OWN_PRIVATE, "coderChild"]],
  ["the owner in a group", { from: "group" }, OPEN],
  ["the owner in a group that a private session is used for", { from: "main", isGroupTurn: true }, ["main", ...OPEN]],
  ["the owner in a sandboxed group", { from: "group", sandboxed: true }, ["group", "groupChild"]],
  ["the same, where the sandbox shows all", { from: "group", sandboxed: true, shows: "all" }, OPEN],
  ["the owner in a session that others write in", { from: "guest" }, OPEN],
  ["a guest", { from: "guest", guest: true }, ["guest"]],
  ["a guest in the sandbox", { from: "guest", guest: true, sandboxed: true }, ["guest"]],
  ["a guest, where the sandbox shows all", { from: "guest", guest: true, sandboxed: true, shows: "all", allow: EVERYBODY }, ["guest"]],
  ["a guest in a group", { from: "group", guest: true, allow: EVERYBODY }, ["group", "groupChild"]],
  ["a child", { from: "child" }, OWN_PRIVATE],
  ["a sandboxed child", { from: "child", sandboxed: true }, ["child", "grandchild"]],
  ["a rule for everybody, in private", { from: "main", allow: EVERYBODY }, NAMES],
  ["the same from a group: nothing private", { from: "group", allow: EVERYBODY }, [...OPEN, "coderGroup"]],
  ["the same in the sandbox", { from: "group", sandboxed: true, allow: EVERYBODY }, ["group", "groupChild"]],
  ["a rule for this agent", { from: "main", allow: [{ from: "*", to: "Coder" }] }, NAMES],
  ["a rule for another agent", { from: "main", allow: [{ from: "coder", to: "*" }] }, [...OWN_PRIVATE, "coderChild"]],
  ["rules without rows", { from: "main", allow: [] }, [...OWN_PRIVATE, "coderChild"]],
  ["`main` as the source: the main session alone", { from: "job", allow: [{ from: "main", to: "coder" }] }, OWN_PRIVATE],
  ["a rule for everybody, where the sandbox shows all", { from: "main", sandboxed: true, shows: "all", allow: EVERYBODY }, NAMES],
  ["the same from a group", { from: "group", sandboxed: true, shows: "all", allow: EVERYBODY }, [...OPEN, "coderGroup"]],
  ["a sandboxed job", { from: "job", sandboxed: true, allow: EVERYBODY }, ["job"]],
  ["a child of another agent", { from: "coderChild", allow: EVERYBODY }, NAMES],
  ["the same without a rule", { from: "coderChild" }, ["coder", "coderGroup", "coderChild"]],
  ["`main` as the target", { from: "coder", allow: [{ from: "coder", to: "main" }] }, ["main", "coder", "coderGroup", "coderChild"]],
];
