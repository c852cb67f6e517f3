/** The result of reading. */
export type CappedBody = { readonly type: "body"; readonly bytes: Uint8Array } | { readonly type: "too-large" };

/** Reads the body of a request or a response, at most `maxBytes`. A larger one is cancelled and discarded. Rejects if the signal fires or the body breaks off. */
export async function readBodyCapped(
  message: Request | Response,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<CappedBody> {
  const { maxBytes, signal } = options;
  signal.throwIfAborted();
  const declared = Number(message.headers.get("content-length") ?? 0);
  const { body } = message;
  if (declared > maxBytes) {
    await body?.cancel();
    return { type: "too-large" };
  }
  if (body === null) return { type: "body", bytes: new Uint8Array() };

  const reader = body.getReader();
  const onAbort = (): void => {
    // The pending read rejects or ends by this; the outcome of the cancellation does not matter.
    reader.cancel(signal.reason).catch(() => undefined);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const parts: Uint8Array[] = [];
    let size = 0;
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.byteLength;
      if (size > maxBytes) {
        await reader.cancel();
        return { type: "too-large" };
      }
      parts.push(part.value);
    }
    signal.throwIfAborted();
    return { type: "body", bytes: Buffer.concat(parts) };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
