/** A web file, or why it was not fetched. */
export type RemoteFile =
  | { readonly type: "file"; readonly bytes: Uint8Array; /** After redirects. */ readonly url: string }
  | { readonly type: "refused"; readonly reason: "not-allowed" | "too-large" | "unavailable"; readonly message: string };

/** Fetches files from public addresses only (R22). Provided by the composition. */
export interface RemoteFiles {
  /** A whole file of at most `maxBytes`. Never rejects. */
  fetch(url: string, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<RemoteFile>;
}
