import { loadConfig, locateConfig, readLastGood, resolveSecret } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";
import { configOptions } from "../compose/extensions.ts";

/** The token that the configuration names; `undefined` without one. */
export async function configuredToken(env: CliContext["env"]): Promise<string | undefined> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") return undefined;
  const { token } = loaded.config.gateway.auth;
  if (token === undefined) return undefined;
  const resolved = await resolveSecret(token, { env });
  return resolved.type === "resolved" ? resolved.value : undefined;
}

/** The token that the last good copy of the configuration names; `undefined` without one. */
export async function lastGoodToken({ env, paths }: Pick<CliContext, "env" | "paths">): Promise<string | undefined> {
  const { path } = await locateConfig(paths, env);
  const copy = await readLastGood(paths, path);
  return copy === undefined ? undefined : configuredToken({ ...env, FACTOTUM_CONFIG: copy.path });
}
