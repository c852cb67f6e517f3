import { commandSandbox, ModelError } from "@factotum/agent-contract";
import type { RunFacts } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { TaskBounds } from "@factotum/store";
import { authorize, OWN } from "../access/authorize.ts";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { isWithinBounds } from "../agents/task-bounds.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import { groupOf } from "../conversation/session-context.ts";
import type { AskingTurn } from "../queue/asking-turn.ts";
import { mayAsk } from "../run-policy/input-traits.ts";

/** The runs that external agents are offered to: those of a session, or of a sub-agent before it begins. */
export interface OfferedTo {
  readonly agentId: string;
  /** The model of the session; absent: the agent's. */
  readonly model: string | undefined;
  readonly owner: boolean;
  readonly tainted: boolean;
  readonly sandbox: RunFacts["sandbox"];
  readonly origin: Origin;
  /** The turn that is asked for, or that asks for the sub-agent. */
  readonly asking: Pick<AskingTurn, "inputs"> & { readonly turn: Pick<AskingTurn["turn"], "kind"> };
  readonly bounds: TaskBounds | undefined;
  readonly isSubagent: boolean;
}

/** A start of an external agent counts as a call of both. */
const NEEDED_TOOLS = ["sessions_spawn", "exec"];

/** Ids of the external agents that the runs may start by all rules that `sessions_spawn` follows; empty for none. */
export async function offeredAgents(
  to: OfferedTo,
  { running, channels }: { readonly running: RunningConfig; readonly channels: Pick<ChannelRegistry, "accountFor" | "moves"> },
): Promise<readonly string[]> {
  const { acp } = running.config;
  const ids = acp.enabled ? Object.keys(acp.agents) : [];
  if (ids.length === 0 || !mayStart(to)) return [];
  const agent = running.agent(to.agentId);
  const provider = await providerOf(agent, to.model);
  if (provider === undefined) return [];
  const senders = to.asking.inputs.map(({ message: { origin, sender } }) => ({ channel: origin.channel, id: sender.id }));
  const occasion = { provider, group: groupOf(to.origin, channels), senders, sandboxed: to.sandbox !== undefined, subagent: to.isSubagent };
  const isAllowed = NEEDED_TOOLS.every((name) => agent.toolVerdicts(name, occasion).every(({ admits }) => admits));
  return isAllowed ? ids : [];
}

function mayStart({ owner, tainted, sandbox, asking: { turn, inputs }, bounds }: OfferedTo): boolean {
  const isConfined = commandSandbox({ sandbox }) !== undefined;
  if (isConfined || inputs.some(({ admission }) => admission.confinement !== undefined) || !mayAsk(turn.kind, inputs)) return false;
  if (bounds !== undefined && !NEEDED_TOOLS.every((name) => isWithinBounds(name, bounds))) return false;
  return authorize({ type: "run", owner, tainted }, { type: "external-agent" }, OWN).type === "allow";
}

/** `undefined`: the model is not to be had, so that nothing is started. */
async function providerOf(agent: AgentRuntime, model: string | undefined): Promise<string | undefined> {
  try {
    return (await agent.model(model)).client.info.provider;
  } catch (error) {
    if (ModelError.isInstance(error)) return undefined;
    throw error;
  }
}
