import { readGatewayToken } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";

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
  // Reading the configuration takes as long as the rest of a command.
  const { configuredToken, lastGoodToken } = await import("./configured-token.ts");
  for (const read of [async () => configuredToken(env), async () => lastGoodToken({ env, paths })]) {
    const token = await read();
    if (token === undefined || seen.has(token)) continue;
    seen.add(token);
    yield token;
  }
}
