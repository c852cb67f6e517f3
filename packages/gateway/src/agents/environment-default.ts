import type { Clock, Logger } from "@factotum/agent-contract";
import { createOllamaProbe, defaultModelFromEnvironment } from "@factotum/models";
import type { DefaultModel } from "@factotum/models";

/** The dependencies of the default. */
interface EnvironmentDefaultOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The configured address of Ollama, if there is one. */
  readonly ollamaBaseUrl: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How long a negative result is cached before Ollama is queried again: it may have been started, or given a model, meanwhile. */
const RECHECK_MS = 2_000;

/** The model that the environment offers. A found one is kept; without one, each call checks again after two seconds. */
export function createEnvironmentDefault(options: EnvironmentDefaultOptions): () => Promise<DefaultModel> {
  const { environment, ollamaBaseUrl, fetch, clock, logger } = options;
  const probeOllama = createOllamaProbe({ fetch, clock });
  let found: DefaultModel | undefined;
  let foundAtMs = 0;
  let pending: Promise<DefaultModel> | undefined;
  const find = async (): Promise<DefaultModel> => {
    const before = found;
    found = await defaultModelFromEnvironment(environment, { probeOllama, ollamaBaseUrl });
    foundAtMs = clock.monotonic();
    if (found.problem !== undefined && found.problem !== before?.problem)
      logger.warn("OLLAMA_HOST cannot be used, so the demo model answers", { detail: found.problem });
    if (before !== undefined && before.reference !== found.reference)
      logger.info("The default model has changed", { from: before.reference, to: found.reference, reason: found.reason });
    return found;
  };
  return async () => {
    const isSettled = found !== undefined && (found.provider.id !== "demo" || clock.monotonic() - foundAtMs < RECHECK_MS);
    return found !== undefined && isSettled ? found : (pending ??= find().finally(() => (pending = undefined)));
  };
}
