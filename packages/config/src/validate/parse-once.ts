import { NO_WORDS } from "./issues.ts";

/**
 * How a configuration is parsed. `jitless`: compiling a schema pays for what is parsed often, and would cost a start about 15 ms of the processor.
 * `error`: only messages that a schema states itself are kept; for all others the allowed forms are named.
 */
export const PARSE_ONCE: { readonly jitless: true; readonly error: () => string } = { jitless: true, error: () => NO_WORDS };
