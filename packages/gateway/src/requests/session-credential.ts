import type { ResolvedModel } from "../agents/model-source.ts";

/** How a session's entry names its credential. Prefixed with the provider, because the session's model may change. */
export function credentialProfile(provider: string, credential: string): string {
  return `${provider}:${credential}`;
}

/**
 * The model with the session's last credential first, because the provider has that one's prompt cached. The order of the others is unchanged. A profile of
 * another provider, or of a credential that is not configured any more, changes nothing.
 */
export function preferCredential(model: ResolvedModel, profile: string | undefined): ResolvedModel {
  const { provider } = model.client.info;
  const kept = model.candidates.find(({ credential }) => credential !== undefined && credentialProfile(provider, credential) === profile);
  if (kept === undefined || kept === model.candidates[0]) return model;
  return { ...model, ...kept, candidates: [kept, ...model.candidates.filter((candidate) => candidate !== kept)] };
}
