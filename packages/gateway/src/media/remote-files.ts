/** A file of the web, or why it was not fetched. */
export type RemoteFile =
  | { readonly type: "file"; readonly bytes: Uint8Array; /** After redirects. */ readonly url: string }
  | { readonly type: "refused"; readonly reason: "not-allowed" | "too-large" | "unavailable"; readonly message: string };

/** Fetches files of the open internet, and reaches nothing inside (R22). Given by the composition. */
export interface RemoteFiles {
  /** A whole file of at most `maxBytes`. Never rejects. */
  fetch(url: string, options: { readonly maxBytes: number; readonly signal: AbortSignal }): Promise<RemoteFile>;
}
