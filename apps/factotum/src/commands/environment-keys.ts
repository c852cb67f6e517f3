import { loadConfig } from "@factotum/config";
import { PROVIDER_FACTS, readProviderKey } from "@factotum/models";
import { configOptions } from "../compose/extensions.ts";
import { chooseModel } from "../first-run/choose-model.ts";
import { findProviderKey } from "../first-run/find-target.ts";
import { storeKey } from "../first-run/store-key.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { doneOrFail, firstRunParts, setupState } from "./first-run-steps.ts";

/** A provider whose key is only in a variable of this shell. */
export interface EnvironmentKey {
  readonly provider: string;
  readonly variable: string;
}

/** Keys that a service would lack: they are in this shell's environment, and the configuration has no other for their providers. */
export async function findEnvironmentKeys({ env }: CliContext): Promise<readonly EnvironmentKey[]> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") return [];
  const { providers } = loaded.config.models;
  return PROVIDER_FACTS.flatMap(({ id }) => {
    const isConfigured = providers[id]?.apiKey !== undefined || Object.keys(providers[id]?.credentials ?? {}).length > 0;
    const key = isConfigured ? undefined : readProviderKey(id, env);
    return key === undefined ? [] : [{ provider: id, variable: key.variable }];
  });
}

/**
 * Stores them in private files that the configuration refers to, and sets the model that one of them has selected, because without the variable nothing else
 * would.
 */
export async function storeEnvironmentKeys(context: CliContext, keys: readonly EnvironmentKey[]): Promise<readonly string[]> {
  const { model } = await setupState(context);
  const parts = firstRunParts(context);
  const places: string[] = [];
  for (const { provider } of keys) {
    const loaded = await loadConfig(await configOptions(context.env));
    const key = loaded.type === "refused" ? undefined : await findProviderKey(provider, loaded.config, context.env);
    if (key?.type === "key") places.push(doneOrFail(await storeKey(provider, key.value, parts)).keyPlace);
  }
  if (model.source === "found" && keys.some(({ provider }) => model.reference.startsWith(`${provider}/`)))
    doneOrFail(await chooseModel(model.reference, parts));
  return places;
}
