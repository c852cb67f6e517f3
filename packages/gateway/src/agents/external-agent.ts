import { commandSandbox, EXTERNAL_PROVIDER, externalModelInfo, ModelError } from "@factotum/agent-contract";
import type { ExternalAgents, Logger, ModelClient, RunFacts } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { authorize, OWN } from "../access/authorize.ts";
import type { ResolvedModel } from "./model-source.ts";

/** The id of the external agent that a model reference names: `acp/<id>`; `undefined` for a model of a provider. */
export function externalAgentOf(reference: string | undefined): string | undefined {
  return reference?.startsWith(`${EXTERNAL_PROVIDER}/`) === true ? reference.slice(EXTERNAL_PROVIDER.length + 1) : undefined;
}

/** The reference of an external agent. */
export function externalReference(id: string): string {
  return `${EXTERNAL_PROVIDER}/${id}`;
}

/** Why an external agent cannot be used by the configuration; `undefined`: it can. */
export function externalProblem(id: string, { acp }: Pick<FactotumConfig, "acp">): string | undefined {
  if (acp.enabled && Object.hasOwn(acp.agents, id)) return undefined;
  if (!acp.enabled) return "Rule acp: no external agent may be started, since acp.enabled is false.";
  const ids = Object.keys(acp.agents);
  return `Rule acp: ${JSON.stringify(id)} is no external agent that may be started; acp.agents has ${ids.length === 0 ? "none" : ids.join(", ")}.`;
}

/** Why a run may use no external agent at all, because it is not the owner's or its commands are sandboxed; `undefined`: it may use one. */
export function externalPlaceProblem(run: Pick<RunFacts, "owner" | "sandbox">, tainted: boolean): string | undefined {
  const place = commandSandbox(run) === undefined ? OWN : ({ type: "sandbox" } as const);
  const decision = authorize({ type: "run", owner: run.owner, tainted }, { type: "external-agent" }, place);
  return decision.type === "allow" ? undefined : decision.reason;
}

/** An external agent as a model that is not connected to a conversation: whatever asks it outside of a turn is refused. Throws a `ModelError` for an unknown one. */
export function externalModel(id: string, config: Pick<FactotumConfig, "acp">): ResolvedModel {
  const problem = externalProblem(id, config);
  if (problem !== undefined) throw new ModelError("not-found", problem, { retry: { type: "never" } });
  return externalCandidate({ info: externalModelInfo(id), stream: refuse });
}

/** A client of an external agent as the only candidate of a model. */
export function externalCandidate(client: ModelClient): ResolvedModel {
  return { reference: externalReference(client.info.id), client, candidates: [{ client }] };
}

// eslint-disable-next-line typescript/require-await -- the interface of clients
async function* refuse(): ReturnType<ModelClient["stream"]> {
  const message = "An external agent only answers the messages of its conversation.";
  yield { type: "message-failed", error: new ModelError("denied", message, { retry: { type: "never" } }) };
}

/** For a gateway that was given none. */
export const NO_EXTERNAL_AGENTS: ExternalAgents = {
  ids: () => [],
  problemOf: (id) => `there is no external agent ${id}`,
  client: (id) => ({ info: externalModelInfo(id), stream: refuse }),
  list: () => [],
  close: async () => undefined,
};

/** Ends the external agents of a session that is over, in the background. */
export function endExternalAgents(
  sessionKey: string,
  { externalAgents, logger }: { readonly externalAgents: Pick<ExternalAgents, "close">; readonly logger: Pick<Logger, "error"> },
): void {
  externalAgents.close(sessionKey).catch((error: unknown) => logger.error("An external agent could not be ended", { sessionKey, error }));
}
