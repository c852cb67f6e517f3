import {
  ensureGatewayToken,
  isExposed,
  MIN_EXPOSED_TOKEN_LENGTH,
  readGatewayToken,
  replaceGatewayToken,
  resolveSecret,
  type ConfigProblem,
  type FactotumConfig,
  type StatePaths,
} from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";

/** The token that admits clients. */
export interface GatewayToken {
  /** Absent with `auth.mode: none`. */
  readonly token: string | undefined;
  /** Why it differs from the configured or previous one; empty if it does not. */
  readonly notices: readonly ConfigProblem[];
}

type TokenConfig = Pick<FactotumConfig, "gateway">;
type Environment = CliContext["env"];

/**
 * The token to use. Once other machines can reach the gateway, one of fewer than 24 characters is replaced: a configured one is ignored, and one in the
 * gateway's own file is generated again. `listensAt`: the configuration that the gateway has started with, if this is a later one.
 */
export async function gatewayToken(
  config: TokenConfig,
  { paths, env, listensAt = config }: { readonly paths: StatePaths; readonly env: Environment; readonly listensAt?: TokenConfig },
): Promise<GatewayToken> {
  const { auth } = config.gateway;
  if (auth.mode === "none") return { token: undefined, notices: [] };
  const reachable = [config, listensAt].some(({ gateway: { bind } }) => isExposed({ ...config.gateway, bind }));
  const minLength = reachable ? MIN_EXPOSED_TOKEN_LENGTH : 1;
  const configured = await configuredToken(config, env);
  if (configured !== undefined && configured.length >= minLength) return { token: configured, notices: [] };
  const own = await ensureOwnToken(paths, minLength);
  if (configured !== undefined) return { token: own.token, notices: [unusedNotice(paths)] };
  return own;
}

/** The token that `gatewayToken` would use, as far as it exists; creates and replaces none. */
export async function effectiveToken(
  { gateway }: TokenConfig,
  { paths, env }: { readonly paths: StatePaths; readonly env: Environment },
): Promise<string | undefined> {
  if (gateway.auth.mode === "none") return undefined;
  const { token } = gateway.auth;
  const configured = token === undefined ? undefined : await resolveSecret(token, { env });
  const minLength = isExposed(gateway) ? MIN_EXPOSED_TOKEN_LENGTH : 1;
  if (configured?.type === "resolved" && configured.value.length >= minLength) return configured.value;
  return readGatewayToken(paths);
}

/** The problem of a configured token that is too short for the gateway's address; it is not used then. */
export async function shortTokenProblem(
  config: TokenConfig,
  options: { readonly paths: StatePaths; readonly env: Environment },
): Promise<ConfigProblem | undefined> {
  const { auth } = config.gateway;
  if (auth.mode === "none" || auth.token === undefined || !isExposed(config.gateway)) return undefined;
  const resolved = await resolveSecret(auth.token, { env: options.env });
  const isShort = resolved.type === "resolved" && resolved.value.length < MIN_EXPOSED_TOKEN_LENGTH;
  return isShort ? unusedNotice(options.paths) : undefined;
}

async function ensureOwnToken(paths: StatePaths, minLength: number): Promise<GatewayToken> {
  const existing = await readGatewayToken(paths);
  if (existing === undefined || existing.length >= minLength) return { token: await ensureGatewayToken(paths), notices: [] };
  const message = `${paths.gatewayTokenFile} held fewer than ${MIN_EXPOSED_TOKEN_LENGTH} characters, too few for a gateway that other machines can reach: another token was made`;
  return { token: await replaceGatewayToken(paths), notices: [{ type: "notice", path: "", message }] };
}

function unusedNotice({ gatewayTokenFile }: StatePaths): ConfigProblem {
  const message = `it is not used: other machines can reach the gateway, and it has fewer than ${MIN_EXPOSED_TOKEN_LENGTH} characters. The token of ${gatewayTokenFile} is used instead; set a longer one, or remove the key`;
  return { type: "notice", path: "gateway.auth.token", message };
}

/** The configured token; `undefined` if there is none. Rejects if it is unusable. */
async function configuredToken({ gateway: { auth } }: TokenConfig, env: Environment): Promise<string | undefined> {
  if (auth.token === undefined) return undefined;
  const resolved = await resolveSecret(auth.token, { env });
  if (resolved.type === "resolved" && /^[\x21-\x7e]+$/.test(resolved.value)) return resolved.value;
  const reason =
    resolved.type === "resolved"
      ? "cannot be sent in a header: it needs letters, digits and signs of ASCII, without blanks"
      : `has no value: ${resolved.message}`;
  throw new CliError("configInvalid", `gateway.auth.token ${reason}.`, {
    fix: 'Set another, or remove the key ("factotum config unset gateway.auth.token"): then the gateway makes a token of its own.',
  });
}
