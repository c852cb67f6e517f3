import type { ResolvedModel } from "../agents/model-source.ts";

/** How a session's entry names the credential that it keeps. The provider stands before it: the session's model may change. */
export function credentialProfile(provider: string, credential: string): string {
  return `${provider}:${credential}`;
}

/**
 * The model with the credential first that the session has used before: the provider keeps what it has read for that one. The
 * order of the others stays. A profile of another provider, or of a credential that is configured no more, changes nothing.
 */
export function preferCredential(model: ResolvedModel, profile: string | undefined): ResolvedModel {
  const { provider } = model.client.info;
  const kept = model.candidates.find(({ credential }) => credential !== undefined && credentialProfile(provider, credential) === profile);
  if (kept === undefined || kept === model.candidates[0]) return model;
  return { ...model, ...kept, candidates: [kept, ...model.candidates.filter((candidate) => candidate !== kept)] };
}
