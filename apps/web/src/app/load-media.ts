/** A file of a message; `undefined` if the gateway does not keep it any more, or is unreachable. */
export async function loadMedia(
  { sessionKey, id }: { readonly sessionKey: string; readonly id: string },
  { base, token, fetch }: { readonly base: string; readonly token: string; readonly fetch: typeof globalThis.fetch },
): Promise<Blob | undefined> {
  const address = new URL(`media/${encodeURIComponent(id)}?session=${encodeURIComponent(sessionKey)}`, base);
  try {
    const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    return response.ok ? await response.blob() : undefined;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
