/** How a configuration is parsed: compiling a schema pays for what is parsed often, and would cost a start about 15 ms of the processor. */
export const PARSE_ONCE: { readonly jitless: true } = { jitless: true };
