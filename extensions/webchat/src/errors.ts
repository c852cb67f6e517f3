import { ChannelError, type SendReceipt } from "@factotum/channel-contract";

/** The receipt of a failed delivery. The socket is in this process: a failure means that the entry was not stored; after an abort that is unknown. */
export function toReceipt(error: unknown, signal: AbortSignal): SendReceipt {
  if (ChannelError.isInstance(error)) return { type: "rejected", code: error.code, retry: error.retry, message: error.message };
  if (signal.aborted) return { type: "ambiguous", cause: "The send was aborted before the entry was confirmed." };
  // A bug fails the same way each time; a store that fails now may work later.
  if (error instanceof TypeError || error instanceof ReferenceError)
    return { type: "rejected", code: "rejected", retry: { type: "never" }, message: error.message };
  const detail = error instanceof Error ? error.message : "unknown failure";
  return { type: "rejected", code: "unreachable", retry: { type: "backoff" }, message: `The entry could not be stored: ${detail}` };
}

/** The error of a call that WebChat does not support. */
export function toUnsupportedError(what: string): ChannelError {
  return new ChannelError("rejected", `WebChat has no ${what}; its capabilities do not declare it.`, { retry: { type: "never" } });
}
