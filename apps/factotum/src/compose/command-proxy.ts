import type { Logger, Random } from "@factotum/agent-contract";
import type { OpenCommandProxy } from "@factotum/sandbox";
import { parseAllowedPlaces, startForwardProxy, type ForwardProxyOptions } from "@factotum/tools";

/** Refusals of one command that are remembered for its result, and logged. */
const MAX_REFUSED = 20;

/**
 * Opens proxies for sandboxed commands: each has its own, with its own password, which reaches the listed hosts alone (R22) and is closed with the command.
 * Refusals are logged, each once.
 */
export function createOpenCommandProxy(
  { logger, random }: { readonly logger: Logger; readonly random: Pick<Random, "bytes"> },
  proxyOptions: Pick<ForwardProxyOptions, "lookup" | "isOpen"> = {},
): OpenCommandProxy {
  return async ({ hosts }, { socketPath, run }) => {
    const token = Buffer.from(random.bytes(24)).toString("hex");
    const refused = new Set<string>();
    const proxy = await startForwardProxy({
      ...proxyOptions,
      token,
      socketPath,
      allowsHost: (host, port) => parseAllowedPlaces(hosts()).allowsHost(host, port),
      allowsPrivate: (target) => parseAllowedPlaces(hosts()).allowsPrivate(target),
      onRefused: ({ host, reason }) => {
        if (refused.has(reason) || refused.size >= MAX_REFUSED) return;
        refused.add(reason);
        logger.warn("A request of a sandboxed command was refused", { host, reason, session: run.sessionKey });
      },
    });
    return {
      port: proxy.port,
      token,
      refused: () => [...refused],
      [Symbol.asyncDispose]: async () => proxy[Symbol.asyncDispose](),
    };
  };
}
