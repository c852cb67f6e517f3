import type { SessionStore, SpawnRecord, RunConfinement } from "@factotum/store";
import { externalAgentOf } from "../agents/external-agent.ts";

/** Why somebody else does not tell a sub-agent of the owner's something, or end it. */
export const OWNERS: string = "Rule owner: it works for the owner, so only the owner tells it something or ends it.";
const NOT_FROM_SANDBOX = "Rule sandbox: this turn is sandboxed, and the sub-agent works outside of the sandbox. Start another one.";
const NOT_TO_EXTERNAL = "Rule taint: text of others is not passed on to an external agent. The owner can tell it: /subagents steer.";

/** What is said to a sub-agent, and by whom. */
export interface SteeringWords {
  readonly text: string;
  readonly tainted: boolean;
  /** The owner says it, or the owner's run. */
  readonly owner: boolean;
  /** What the run is confined to that says it; absent: a person says it, or a run on the host. */
  readonly confinement?: RunConfinement | undefined;
  /** What has the same one is told once. */
  readonly key?: string;
}

/**
 * Why a sub-agent is not told something: it hears that with its own authority, and so it is told by those alone who have as much. Its conversation may have been handed
 * to an external agent since it was started.
 */
export async function steeringRefusal(
  { child, childKey }: Pick<SpawnRecord, "child" | "childKey">,
  { tainted, owner, confinement }: SteeringWords,
  { store }: { readonly store: Pick<SessionStore, "readSession"> },
): Promise<string | undefined> {
  if (child.owner && !owner) return OWNERS;
  if (confinement !== undefined && child.confinement === undefined) return NOT_FROM_SANDBOX;
  if (!tainted) return undefined;
  const model = child.job?.model ?? (await store.readSession(childKey))?.overrides.model;
  return externalAgentOf(model) === undefined ? undefined : NOT_TO_EXTERNAL;
}
