import { NO_WORDS } from "./issues.ts";

/**
 * Parse options of a configuration. `jitless`: compiling a schema pays off only for frequent parsing, and would add about 15 ms to a start. `error`: only
 * messages of the schema itself are kept; for all others the allowed forms are listed.
 */
export const PARSE_ONCE: { readonly jitless: true; readonly error: () => string } = { jitless: true, error: () => NO_WORDS };
