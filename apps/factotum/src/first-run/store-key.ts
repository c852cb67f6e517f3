import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { formatKeyPath, makeFolder, setConfigValue, statePaths, writePrivateFile } from "@factotum/config";
import { unknownProvider } from "./check-setup.ts";
import { findAddress } from "./find-target.ts";
import { loadForSetup, refusedFor, type FirstRunParts, type StepOutcome } from "./first-run-parts.ts";

/** Files with another purpose must not be overwritten by a provider's key. */
const TAKEN: ReadonlySet<string> = new Set(["gateway-token", "owner-display-secret"]);

/**
 * Stores a provider's key in `credentials/<provider>` (mode 600, folder 700, atomically) and refers to it in the configuration as `{ file }`. If the
 * configuration cannot be changed, the previous file is restored.
 */
export async function storeKey(
  provider: string,
  written: string,
  parts: FirstRunParts,
): Promise<StepOutcome<{ readonly keyPlace: string }>> {
  const key = written.trim();
  if (!/^[\x21-\x7e]{4,10000}$/.test(key))
    return { type: "refused", message: "This is no key: a key is at least 4 letters, digits and signs without blanks. Copy it again." };
  const loaded = await loadForSetup(parts);
  if (loaded.type === "refused") return loaded;
  if (
    findAddress(provider, loaded.config, parts.env) === undefined ||
    provider === "demo" ||
    !/^[A-Za-z0-9][\w.-]*$/.test(provider) ||
    TAKEN.has(provider)
  )
    return { type: "refused", message: unknownProvider(provider, Object.keys(loaded.config.models.providers)) };
  const several = Object.keys(loaded.config.models.providers[provider]?.credentials ?? {});
  if (several.length > 0) {
    const message = `${provider} has several keys (${several.join(", ")}) under models.providers.${provider}.credentials. Change them there.`;
    return { type: "refused", message };
  }
  const keyPlace = `credentials/${provider}`;
  const { credentialsFolder } = statePaths(parts.env);
  const file = join(credentialsFolder, provider);
  await makeFolder(credentialsFolder);
  await chmod(credentialsFolder, 0o700);
  const before = await readOr(file, undefined);
  await writePrivateFile(file, `${key}\n`);
  const result = await setConfigValue(formatKeyPath(["models", "providers", provider, "apiKey"]), { file: keyPlace }, parts);
  if (result.type !== "refused") return { type: "done", keyPlace };
  if (before === undefined) await rm(file, { force: true });
  else await writePrivateFile(file, before);
  return refusedFor(result.path, result.problems);
}

async function readOr<Other>(file: string, otherwise: Other): Promise<string | Other> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise;
    throw error;
  }
}
