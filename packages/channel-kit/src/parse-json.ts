/** The value of a JSON text, or of its bytes as UTF-8; `undefined` for anything else, and for what is nested too deeply. */
export function parseJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === "string" ? json : new TextDecoder().decode(json));
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** The same for an object alone. */
export function parseJsonObject(json: string | Uint8Array): Record<string, unknown> | undefined {
  const value = parseJson(json);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

/**
 * What a channel itself wrote as JSON, such as the data of a reply context, the reference of a file, or a cursor. `undefined` for none, and for a text that the
 * schema, such as one of zod, refuses: it comes from another channel or an earlier version.
 */
export function parseOwn<Value>(
  json: string | undefined,
  schema: { safeParse(value: unknown): { readonly data?: Value | undefined } },
): Value | undefined {
  return json === undefined ? undefined : schema.safeParse(parseJson(json)).data;
}
