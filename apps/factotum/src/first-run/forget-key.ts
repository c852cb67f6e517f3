import { rm } from "node:fs/promises";
import { join } from "node:path";
import { changeConfig, statePaths, valueAt, type KeyPath } from "@factotum/config";
import { unknownProvider } from "./check-setup.ts";
import { findAddress, findProviderKey } from "./find-target.ts";
import { loadForSetup, refusedFor, type FirstRunParts, type StepOutcome } from "./first-run-parts.ts";

/**
 * Removes a provider's key from the configuration, and the file in `credentials` that `storeKey` made for it, unless something else refers to it. A key that only
 * the environment has is refused: it has to be removed there. `keyPlace` is where the key was.
 */
export async function forgetKey(provider: string, parts: FirstRunParts): Promise<StepOutcome<{ readonly keyPlace: string }>> {
  const loaded = await loadForSetup(parts);
  if (loaded.type === "refused") return loaded;
  const { config, written } = loaded;
  const key = await findProviderKey(provider, config, parts.env);
  if (key.type === "none") {
    const isKnown = findAddress(provider, config, parts.env) !== undefined;
    const message = isKnown ? `${provider} has no key.` : unknownProvider(provider, Object.keys(config.models.providers));
    return { type: "refused", message };
  }
  const path: KeyPath = ["models", "providers", provider];
  const several = Object.keys(config.models.providers[provider]?.credentials ?? {});
  if (several.length > 0) {
    const message = `${provider} has several keys (${several.join(", ")}) under models.providers.${provider}.credentials. Remove them there.`;
    return { type: "refused", message };
  }
  const before = valueAt(written, path);
  if (valueAt(before, ["apiKey"]) === undefined)
    return { type: "refused", message: `The key of ${provider} is in the environment variable ${key.place}. Remove it where it is set.` };
  const isAlone = Object.keys(Object(before) as object).length === 1;
  const result = await changeConfig(() => [{ path: isAlone ? path : [...path, "apiKey"], value: undefined }], parts);
  if (result.type === "refused") return refusedFor(result.path, result.problems);
  const place = `credentials/${provider}`;
  const after = await loadForSetup(parts);
  const isShared = after.type === "refused" || JSON.stringify(after.written).includes(JSON.stringify(place));
  if (key.place === place && !isShared) await rm(join(statePaths(parts.env).credentialsFolder, provider), { force: true });
  return { type: "done", keyPlace: key.place };
}
