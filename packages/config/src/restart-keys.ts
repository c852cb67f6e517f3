/** The keys that decide where the gateway listens: they hold from its start to its end. Every other change is taken up while it runs. */
export const RESTART_KEYS: readonly string[] = ["gateway.port", "gateway.bind"];
