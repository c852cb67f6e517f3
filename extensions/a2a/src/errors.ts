import { ChannelError } from "@factotum/channel-contract";
import type { SendReceipt } from "@factotum/channel-contract";
import { isLocalError, reasonOf, rejectedReceipt } from "@factotum/channel-kit";

/** The receipt of a text that could not be kept for its peer. The store is this machine's: a failure means that it was not stored. */
export function toReceipt(error: unknown): SendReceipt {
  if (ChannelError.isInstance(error)) return { type: "rejected", code: error.code, retry: error.retry, message: error.message };
  if (error instanceof GivenUp) return { type: "ambiguous", cause: "the send was ended before the text was known to be stored" };
  if (error instanceof RangeError || isLocalError(error)) return rejectedReceipt("rejected", reasonOf(error));
  return rejectedReceipt("unreachable", `the text could not be stored: ${reasonOf(error)}`, "backoff");
}

/** Thrown when a send is aborted before its text is known to be stored. */
export class GivenUp extends Error {
  override readonly name = "GivenUp";
}

/** The error of what this channel does not do. */
export function unsupported(what: string): ChannelError {
  return new ChannelError("rejected", `this channel ${what}`, { retry: { type: "never" } });
}
