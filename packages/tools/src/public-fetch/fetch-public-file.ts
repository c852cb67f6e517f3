import { withoutUndefined } from "@factotum/agent-contract";
import type { AllowsPrivate } from "./private-places.ts";
import { createPublicRequester } from "./public-request.ts";
import type { PublicRequester, PublicRequestOptions } from "./public-request.ts";

/** A file from the internet, or why it was not fetched. */
export type PublicFile =
  | { readonly type: "file"; readonly bytes: Uint8Array; /** After redirects. */ readonly url: string }
  | { readonly type: "refused"; readonly reason: "not-allowed" | "too-large" | "unavailable"; readonly message: string };

/** One fetch. */
export interface PublicFetchRequest {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The whole fetch, redirects included. */
const TOTAL_MS = 60_000;

/** Fetches a whole file from public addresses only (R22), as `createPublicRequester` does, with no credential. Never rejects. */
export function createPublicFetch(options: PublicRequestOptions): (url: string, request: PublicFetchRequest) => Promise<PublicFile> {
  const request = createPublicRequester(options);
  return async (url, how) => fetchPublicFile(request, url, how);
}

/** The same through a requester, which may be allowed places that are not public. Never rejects. */
export async function fetchPublicFile(
  request: PublicRequester,
  url: string,
  { maxBytes, signal, allowsPrivate }: PublicFetchRequest & { readonly allowsPrivate?: AllowsPrivate },
): Promise<PublicFile> {
  const answer = await request({
    url,
    signal,
    maxBytes,
    timeoutMs: TOTAL_MS,
    ...withoutUndefined({ allowsPrivate }),
    readsBody: ({ status, sizeBytes = 0 }) => status === 200 && sizeBytes <= maxBytes,
  });
  if (answer.type === "refused") return answer;
  const { head, bytes, isCut } = answer;
  if (head.status !== 200) return { type: "refused", reason: "unavailable", message: `the server answered ${head.status}` };
  if (bytes === undefined || isCut)
    return { type: "refused", reason: "too-large", message: `it is larger than ${maxBytes.toLocaleString("en")} bytes` };
  return { type: "file", bytes, url: head.url };
}
