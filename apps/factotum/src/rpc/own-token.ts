import { loadConfig, locateConfig, readGatewayToken, readLastGood, resolveSecret } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";
import { CHANNELS } from "../compose/extensions.ts";

/**
 * The tokens with which a command may get in, the likely ones first: `FACTOTUM_TOKEN` alone, where it is set; else the one that the gateway made, then
 * those of the configuration, which most have no need to read: what runs can be the file, or, when that is not used, the last good copy.
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
  const loaded = await loadConfig({ env, channels: CHANNELS });
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
