import type { Logger } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import type { SdkLogger } from "./load-sdk.ts";

/** Tokens, tickets and bearer headers, wherever the SDK may put them. */
const SECRET_SHAPES = /\b(?:[tua]-[\w.-]{8,})|Bearer\s+\S+|([?&](?:ticket|access_key|token|secret)=)[^&\s"']+/gi;

/**
 * Routes the SDK's log lines to the host's logger as text, without secrets. The SDK's notices are ours at debug, its errors at warn: the outcome of a request
 * is logged by the code that handles it. Failures of our own requests are left out here for the same reason.
 */
export function createSdkLogger(logger: Logger, secrets: readonly string[]): SdkLogger {
  const clean = (text: string): string => {
    const masked = secrets.reduce((all, secret) => all.replaceAll(secret, "[secret]"), text);
    return masked.replace(SECRET_SHAPES, (_, lead: string | undefined) => `${lead ?? ""}[secret]`);
  };
  const line = (parts: readonly unknown[]): string | undefined => {
    const flat = parts.flat(2);
    if (flat.some((part) => part instanceof PlatformFailure)) return undefined;
    return clean(flat.map(asText).filter(Boolean).join(" ")).slice(0, 2_000);
  };
  const quiet = (...parts: unknown[]): void => {
    const detail = line(parts);
    if (detail !== undefined) logger.debug("feishu sdk", { detail });
  };
  const loud = (...parts: unknown[]): void => {
    const detail = line(parts);
    if (detail !== undefined) logger.warn("feishu sdk", { detail });
  };
  return { error: loud, warn: loud, info: quiet, debug: quiet, trace: quiet };
}

/** Objects are left out: the SDK logs whole requests, with their bodies. */
function asText(part: unknown): string {
  if (typeof part === "string") return part;
  return part instanceof Error ? part.message : "";
}
