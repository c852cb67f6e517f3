import type { AgentTool, RunFacts, ToolCall } from "@factotum/agent-contract";
import type { ToolDecision } from "@factotum/agent-core";
import type { Origin } from "@factotum/channel-contract";
import { parseMediaTarget } from "../kernel/parse-media-target.ts";
import { authorize, OWN } from "./authorize.ts";
import type { Resource } from "./authorize.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** What of a run its calls are judged by. */
interface GatedRun {
  readonly facts: RunFacts;
  /** Where the run came from and answers to. */
  readonly origin: Origin;
  /** The model had been given words of somebody who is not the owner when it made the call (R23). */
  readonly tainted: boolean;
}

/** Decides whether a call may run, from the tool's traits, the run's authority and its taint. Arguments never widen it. */
export interface ToolGate {
  check(call: ToolCall, tool: AgentTool, run: GatedRun): ToolDecision;
  /** Whether a file of the web may be fetched that the run's answer names. Asking for it tells whoever stands behind the address what is in it: it is a send. */
  mayFetch(run: Omit<GatedRun, "origin">): boolean;
}

/** The parameters of tools that send in which a file can be named. */
const FILE_PARAMETERS = ["media", "path", "filePath"];

/** The gate that asks `authorize`. */
export function createToolGate(): ToolGate {
  return {
    check: (call, tool, { facts, origin, tainted }) => {
      const decision = authorize(
        { type: "run", owner: facts.owner, tainted },
        { type: "tool", effect: tool.traits.effect },
        resourceOf(call, tool, origin),
      );
      switch (decision.type) {
        case "allow":
          return decision;
        case "deny":
          return { type: "refuse", message: `${tool.name} was refused. ${decision.reason}` };
        case "confirm":
          return { type: "refuse", message: confirmation(tool, decision.reason, facts) };
      }
    },
    mayFetch: ({ facts, tainted }) =>
      authorize({ type: "run", owner: facts.owner, tainted }, { type: "tool", effect: "send" }, { type: "elsewhere" }).type === "allow",
  };
}

function confirmation(tool: AgentTool, reason: string, run: RunFacts): string {
  const what = RUN_POLICY[run.kind].isFromPerson ? `${tool.name} needs confirmation and was not run.` : `${tool.name} was refused.`;
  return `${what} ${reason} ${confirmationHint(run)}`;
}

/** What the model does about a call that the owner has to confirm. In a run that no person started there is no one to ask. */
export function confirmationHint({ kind }: Pick<RunFacts, "kind">): string {
  if (!RUN_POLICY[kind].isFromPerson) return "There is no one to confirm it.";
  return "Tell the owner what you wanted to do and why. The owner can check that text, send /trust, and ask for it again; from a group, ask in a private conversation.";
}

/**
 * A send that names another address than the run's own goes elsewhere, one of a file of the web too, which is asked for there; and so does a change that
 * is made over the network.
 */
function resourceOf(call: ToolCall, { traits }: AgentTool, { channel, conversation }: Origin): Resource {
  const isOwn = (name: string, own: string): boolean => [undefined, null, own].some((value) => call.arguments[name] === value);
  const isFetched = FILE_PARAMETERS.some((name) => isWebAddress(call.arguments[name]));
  const isElsewhere =
    (traits.effect === "send" && (isFetched || !(isOwn("channel", channel) && isOwn("target", conversation.id)))) ||
    (traits.effect === "write" && traits.network);
  return isElsewhere ? { type: "elsewhere" } : OWN;
}

function isWebAddress(named: unknown): boolean {
  return typeof named === "string" && parseMediaTarget(named).type === "url";
}
