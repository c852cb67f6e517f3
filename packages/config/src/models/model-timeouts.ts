import type { ModelsConfig } from "../schema/models.ts";

/** The limits of a model request that are configured, in milliseconds. What is absent depends on where the provider is. */
export interface ConfiguredTimeouts {
  readonly connectMs?: number;
  readonly firstEventMs?: number;
  readonly idleMs?: number;
}

/** The configured limits for one provider: its own, else those of `models.timeouts`. */
export function configuredTimeouts(models: ModelsConfig, provider: string): ConfiguredTimeouts {
  const own = Object.hasOwn(models.providers, provider) ? models.providers[provider]?.timeouts : undefined;
  const connect = own?.connectSeconds ?? models.timeouts.connectSeconds;
  const firstEvent = own?.firstEventSeconds ?? models.timeouts.firstEventSeconds;
  const idle = own?.idleSeconds ?? models.timeouts.idleSeconds;
  return {
    ...(connect === undefined ? {} : { connectMs: connect * 1000 }),
    ...(firstEvent === undefined ? {} : { firstEventMs: firstEvent * 1000 }),
    ...(idle === undefined ? {} : { idleMs: idle * 1000 }),
  };
}
