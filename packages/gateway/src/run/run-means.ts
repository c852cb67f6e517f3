import { commandSandbox, EXTERNAL_PERMISSION, EXTERNAL_PROVIDER, ModelError, withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool, Clock, ExternalAgents, JsonValue, ModelClient, RunLimits } from "@factotum/agent-contract";
import type { SessionStore } from "@factotum/store";
import { authorize, OWN } from "../access/authorize.ts";
import { externalCandidate } from "../agents/external-agent.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import { MAX_PARALLEL_TOOLS } from "../queue/tool-limits.ts";
import { mayAsk } from "../run-policy/input-traits.ts";

/** What a run works with: a model of a provider with the tools of its request, or an external agent. */
export interface RunMeans {
  readonly models: { readonly model: ResolvedModel; readonly fallbacks: readonly ResolvedModel[] };
  readonly tools: readonly AgentTool[];
  readonly limits: RunLimits;
}

/** What external agents are reached with. */
export interface RunMeansParts {
  readonly externalAgents: ExternalAgents;
  readonly store: Pick<SessionStore, "readSession" | "patchSession">;
  readonly clock: Clock;
}

const LIMITS: RunLimits = { maxTurns: 100, maxToolCalls: 100, maxParallelTools: MAX_PARALLEL_TOOLS };

/**
 * An external agent asks for each part of a file and each look at a command. What it does itself counts as a turn alone, so that its transcript has a bound: its
 * deadline is its limit.
 */
const EXTERNAL_LIMITS: RunLimits = { ...LIMITS, maxTurns: 12_000, maxToolCalls: 2_000 };

/**
 * The means of a run. `begun` resolves once the turn is committed: before that, nothing is sent to an external agent, since a prompt has effects. It is asked for
 * the owner's turns outside of a sandbox alone, and never by what adds notes or compacts.
 */
export function runMeans(prepared: PreparedTurn, begun: Promise<void>, parts: RunMeansParts): RunMeans {
  const { model, request } = prepared;
  if (model.client.info.provider !== EXTERNAL_PROVIDER) return { models: prepared, tools: request.tools, limits: LIMITS };
  const client: ModelClient = {
    info: model.client.info,
    stream: (asked, options) => streamExternal(prepared, { begun, parts }, asked, options),
  };
  return {
    models: { model: externalCandidate(client), fallbacks: [] },
    tools: [...request.tools, PERMISSION_TOOL],
    limits: EXTERNAL_LIMITS,
  };
}

async function* streamExternal(
  { turn, facts, inputs, model, beginning }: PreparedTurn,
  { begun, parts }: { readonly begun: Promise<void>; readonly parts: RunMeansParts },
  ...asked: Parameters<ModelClient["stream"]>
): ReturnType<ModelClient["stream"]> {
  const { externalAgents, store, clock } = parts;
  const refusal = refusalOf(turn, facts, inputs);
  if (refusal !== undefined) {
    yield { type: "message-failed", error: new ModelError("denied", refusal, { retry: { type: "never" } }) };
    return;
  }
  await begun;
  const { id: agent } = model.client.info;
  const stored = (await store.readSession(turn.sessionKey))?.overrides.external;
  const known = stored?.agent === agent && stored.sessionId === turn.sessionId ? stored.id : undefined;
  const remember = async (id: string): Promise<void> => {
    const external = { agent, sessionId: turn.sessionId, id };
    await store.patchSession(turn.sessionKey, { overrides: { external } }, { nowMs: clock.now() });
  };
  const conversation = { run: facts, isResumed: beginning.type === "resumed", remember, ...withoutUndefined({ known }) };
  yield* externalAgents.client(agent, conversation).stream(...asked);
}

/** Why a turn may not use an external agent. */
function refusalOf({ kind }: PreparedTurn["turn"], facts: PreparedTurn["facts"], inputs: PreparedTurn["inputs"]): string | undefined {
  // It may ask the owner at any time.
  if (!mayAsk(kind, inputs)) return "Rule acp: an external agent answers people and sub-agents' parents, and no unattended work.";
  // What a sandboxed turn has caused stays in a sandbox.
  const isConfined = commandSandbox(facts) !== undefined || inputs.some(({ admission }) => admission.confinement !== undefined);
  const place = isConfined ? ({ type: "sandbox" } as const) : OWN;
  // Text of others is for it to judge; each call that it makes here is decided on with the taint of the turn.
  const decision = authorize({ type: "run", owner: facts.owner, tainted: false }, { type: "external-agent" }, place);
  return decision.type === "allow" ? undefined : decision.reason;
}

/** Asks about what an external agent wants to do itself: a decision about the call is all that it is for. */
const PERMISSION_TOOL: AgentTool = {
  name: EXTERNAL_PERMISSION,
  summary: "",
  description: "",
  parameters: {},
  traits: { effect: "execute", idempotent: true, output: "trusted", network: true, parallel: false, holdsNoPlace: true },
  // eslint-disable-next-line typescript/require-await -- the interface of tools
  inspect: async ({ arguments: { agent, title, action } }) => ({
    type: "action",
    text: [`The external agent ${textOf(agent)}: ${textOf(title)}`, ...(action === "" ? [] : [textOf(action)])].join("\n"),
    binding: { agent: agent ?? "", title: title ?? "", action: action ?? "" },
  }),
  // eslint-disable-next-line typescript/require-await -- the interface of tools
  execute: async () => ({ content: [{ type: "text", text: "allowed" }] }),
};

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
