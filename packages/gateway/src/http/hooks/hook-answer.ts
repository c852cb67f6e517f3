/** The answer to a request that was refused. `field`: the part of the body that is wrong. Never says what would have been right. */
export function refuseHook(
  status: 400 | 401 | 404 | 405 | 408 | 409 | 413 | 429 | 503,
  message: string,
  { field, headers = {} }: { readonly field?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  return Response.json(
    { error: { message, ...(field === undefined ? {} : { field }) } },
    { status, headers: { ...headers, "cache-control": "no-store" } },
  );
}

/** The answer to a request that was taken, or needed no work. */
export function answerHook(status: 200 | 202, body: Readonly<Record<string, unknown>>): Response {
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}
