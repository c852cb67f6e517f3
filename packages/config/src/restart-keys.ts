/** The keys of the listening address, fixed from the start to the end. All other changes are applied at run time. */
export const RESTART_KEYS: readonly string[] = ["gateway.port", "gateway.bind"];
