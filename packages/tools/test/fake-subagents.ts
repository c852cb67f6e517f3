import type { SpawnRequest, ToolCaller, Subagents, SubagentView } from "@factotum/agent-contract";

/** Sub-agents in memory; `calls` are those that were made. */
export interface FakeSubagents extends Subagents {
  readonly calls: { readonly what: string; readonly request?: SpawnRequest; readonly caller: ToolCaller }[];
  /** What the next call is refused with. */
  refusal?: string;
}

const VIEW: SubagentView = {
  runId: "1a2b3c4d-0000",
  sessionKey: "agent:main:subagent:1a2b3c4d-0000",
  agentId: "main",
  label: "count",
  task: "Count the files.",
  state: "running",
  durationMs: 12_400,
  tokens: 1,
  costUsd: 0.014,
};

export function fakeSubagents(views: readonly SubagentView[] = [VIEW]): FakeSubagents {
  const calls: FakeSubagents["calls"] = [];
  const change = async (what: string, caller: ToolCaller) => {
    calls.push({ what, caller });
    return fake.refusal === undefined ? { type: "done" as const, views } : { type: "refused" as const, message: fake.refusal };
  };
  const fake: FakeSubagents = {
    calls,
    spawn: async (request, caller) => {
      calls.push({ what: "spawn", request, caller });
      if (fake.refusal !== undefined) return { type: "refused", message: fake.refusal };
      return { type: "accepted", runId: VIEW.runId, sessionKey: VIEW.sessionKey };
    },
    wait: async () => views.length,
    list: async () => views,
    kill: (named, caller) => change(`kill ${named}`, caller),
    steer: (named, text, caller) => change(`steer ${named} ${text}`, caller),
    log: async () =>
      fake.refusal === undefined
        ? { type: "log", view: VIEW, text: "It:\n| Three.", untrusted: true }
        : { type: "refused", message: fake.refusal },
  };
  return fake;
}
