import { loadConfig, locateConfig, readGatewayToken, readLastGood, resolveSecret } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";
import { configOptions } from "../compose/extensions.ts";

/**
 * The tokens that a command tries, likely ones first: only `FACTOTUM_TOKEN` if it is set; else the generated one, then those of the configuration, which are
 * rarely read: the running configuration can be the file or the last good copy.
 */
export async function* ownTokens({ env, paths }: CliContext): AsyncGenerator<string | undefined, void, undefined> {
  const given = env["FACTOTUM_TOKEN"]?.trim() ?? "";
  if (given !== "") {
    yield given;
    return;
  }
  const seen = new Set([await readGatewayToken(paths)]);
  yield* seen;
  for (const read of [async () => configuredToken(env), async () => lastGoodToken({ env, paths })]) {
    const token = await read();
    if (token === undefined || seen.has(token)) continue;
    seen.add(token);
    yield token;
  }
}

async function configuredToken(env: CliContext["env"]): Promise<string | undefined> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") return undefined;
  const { token } = loaded.config.gateway.auth;
  if (token === undefined) return undefined;
  const resolved = await resolveSecret(token, { env });
  return resolved.type === "resolved" ? resolved.value : undefined;
}

async function lastGoodToken({ env, paths }: Pick<CliContext, "env" | "paths">): Promise<string | undefined> {
  const { path } = await locateConfig(paths, env);
  const copy = await readLastGood(paths, path);
  return copy === undefined ? undefined : configuredToken({ ...env, FACTOTUM_CONFIG: copy.path });
}
