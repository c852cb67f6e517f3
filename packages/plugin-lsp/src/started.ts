import type { RunningServer } from "./running-server.ts";

/** A server that can be used, or why not. */
export type Started = { readonly type: "running"; readonly server: RunningServer } | { readonly type: "down"; readonly message: string };
