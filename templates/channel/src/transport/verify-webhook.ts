import { createHmac } from "node:crypto";
import { constantTimeEqual, verifyTimestamp } from "@factotum/channel-kit";

/** Header names of the platform. */
export const SIGNATURE_HEADER = "x-sample-chat-signature";
export const TIMESTAMP_HEADER = "x-sample-chat-timestamp";

/** The signature of a body that was sent at `timestamp`, in seconds. */
export function signBody(body: Uint8Array, timestamp: string, secret: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
}

/** Why a request is not authentic; `undefined` if it is. Verifies the raw bytes before anything is parsed. */
export function refusalOf(
  body: Uint8Array,
  headers: Headers,
  facts: { readonly signingSecret: string; readonly nowMs: number },
): string | undefined {
  const timestamp = headers.get(TIMESTAMP_HEADER);
  const signature = headers.get(SIGNATURE_HEADER);
  if (timestamp === null || signature === null) return "the signature is missing";
  if (!constantTimeEqual(signature, signBody(body, timestamp, facts.signingSecret))) return "the signature is wrong";
  return verifyTimestamp(timestamp, { nowMs: facts.nowMs }) ? undefined : "the signature is not fresh";
}
