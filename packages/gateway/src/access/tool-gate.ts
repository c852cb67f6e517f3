import { commandSandbox } from "@factotum/agent-contract";
import type { AgentTool, RunFacts, ToolCall, ToolTraits } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import { parseMediaTarget } from "../kernel/parse-media-target.ts";
import { requestedAddresses } from "../kernel/requested-addresses.ts";
import { authorize, OWN } from "./authorize.ts";
import type { Resource } from "./authorize.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** Facts of a run that decide about its calls. */
interface GatedRun {
  readonly facts: RunFacts;
  /** The address of the run, which its answers go to. */
  readonly origin: Origin;
  /** The model had read text of a person other than the owner when it made the call (R23). */
  readonly tainted: boolean;
  /** Whether somebody other than the model has written an address in what the model was given, verbatim. */
  readonly isGiven: (address: string) => boolean;
}

/** Whether a call may run. `ask`: only with the owner's word. `message` is for the model. */
export type GateDecision =
  | { readonly type: "allow" }
  | { readonly type: "ask"; readonly reason: string }
  | { readonly type: "refuse"; readonly message: string };

/** Decides whether a call may run, from the tool's traits, the run's authority and its taint. Arguments never widen it. */
export interface ToolGate {
  check(call: ToolCall, tool: AgentTool, run: GatedRun): GateDecision;
  /** Whether a web file that the run's answer names may be fetched. The request reveals its address to the server behind it, so it counts as a send. */
  mayFetch(run: Pick<GatedRun, "facts" | "tainted">): boolean;
}

/** Parameters of sending tools that can name a file. */
const FILE_PARAMETERS = ["media", "path", "filePath"];

const GIVEN_ONLY =
  "An address could carry away what you have read, so only one is requested that a message or a web result has named, exactly as it stands there.";

/** The gate that asks `authorize`. */
export function createToolGate(): ToolGate {
  return {
    check: (call, tool, run) => {
      const { facts, tainted } = run;
      const isComposed = requestsComposedAddress(call, tool, run);
      const decision = authorize(
        { type: "run", owner: facts.owner, tainted },
        { type: "tool", effect: traitsOf(call, tool).effect },
        isComposed ? { type: "elsewhere" } : resourceOf(call, tool, run),
      );
      const advice = isComposed ? ` ${GIVEN_ONLY}` : "";
      switch (decision.type) {
        case "allow":
          return decision;
        case "deny":
          return { type: "refuse", message: `${tool.name} was refused. ${decision.reason}${advice}` };
        case "confirm":
          return { type: "ask", reason: `${decision.reason}${advice}` };
      }
    },
    mayFetch: ({ facts, tainted }) =>
      authorize({ type: "run", owner: facts.owner, tainted }, { type: "tool", effect: "send" }, { type: "elsewhere" }).type === "allow",
  };
}

/** The traits that decide about a call. */
export function traitsOf(call: ToolCall, tool: AgentTool): ToolTraits {
  return tool.traitsFor?.(call) ?? tool.traits;
}

/** True if the call acts inside the run's sandbox alone: no approval is needed for it (R21). A sandbox with network is left by what the call sends. */
export function runsInSandbox(call: ToolCall, tool: AgentTool, facts: Pick<RunFacts, "sandbox">): boolean {
  return commandResource(call, tool, facts).type === "sandbox";
}

/** Where a call that runs commands has its effect: in the run's sandbox, in one with network, or on the host. */
export function commandResource(call: ToolCall, tool: AgentTool, facts: Pick<RunFacts, "sandbox">): Resource {
  const sandbox = commandSandbox(facts);
  const { effect, sandboxed = false } = traitsOf(call, tool);
  if (sandbox === undefined || !sandboxed || effect !== "execute") return OWN;
  return sandbox.network === undefined ? { type: "sandbox" } : { type: "networked-sandbox" };
}

/** What the model should do about a call that the owner has to confirm. In a run that no person started there is no one to ask. */
export function confirmationHint({ kind }: Pick<RunFacts, "kind">): string {
  if (!RUN_POLICY[kind].mayAsk) return "There is no one to confirm it.";
  return "Tell the owner what you wanted to do and why. The owner can check that text, send /trust, and ask for it again; from a group, ask in a private conversation.";
}

/**
 * A send to another address than the run's own goes beyond it (one to another session, only for the owner: the others' sessions are decided on there), and so does one of a web file, which requests that address, and a change over the network,
 * except at a service of the owner's choice.
 */
function resourceOf(call: ToolCall, tool: AgentTool, { facts, origin: { channel, conversation } }: GatedRun): Resource {
  const place = commandResource(call, tool, facts);
  if (place.type !== "own") return place;
  const traits = traitsOf(call, tool);
  if (traits.toSessions === true) return facts.owner ? { type: "elsewhere" } : OWN;
  const isOwn = (name: string, own: string | undefined): boolean => [undefined, null, own].some((value) => call.arguments[name] === value);
  const isFetched = FILE_PARAMETERS.some((name) => isWebAddress(call.arguments[name]));
  const isElsewhere =
    (traits.effect === "send" &&
      (isFetched || !(isOwn("channel", channel) && isOwn("target", conversation.id) && isOwn("threadId", conversation.threadId)))) ||
    (traits.effect === "write" && traits.network && traits.ownServices !== true);
  return isElsewhere ? { type: "elsewhere" } : OWN;
}

/** A read that requests an address which the model may have composed: the request reveals it to the server behind it. */
function requestsComposedAddress(call: ToolCall, tool: AgentTool, { isGiven }: GatedRun): boolean {
  const traits = traitsOf(call, tool);
  if (traits.effect !== "read" || !traits.network) return false;
  return requestedAddresses(call.arguments).some((address) => !isGiven(address));
}

function isWebAddress(named: unknown): boolean {
  return typeof named === "string" && parseMediaTarget(named).type === "url";
}
