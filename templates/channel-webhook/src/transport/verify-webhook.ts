import { createHmac } from "node:crypto";
import { constantTimeEqual, parseJson, verifyTimestamp } from "@factotum/channel-kit";
import type { RefusedRequest, VerifiedRequest } from "@factotum/channel-kit";

/** Header names of the platform. */
export const SIGNATURE_HEADER = "x-sample-chat-signature";
export const TIMESTAMP_HEADER = "x-sample-chat-timestamp";

/** The signature of a body that was sent at `timestamp`, in seconds. */
export function signBody(body: Uint8Array, timestamp: string, secret: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
}

/** A request without signature headers. */
export const SIGNATURE_MISSING: RefusedRequest = { status: 401, reason: "the signature is missing", signed: false };

export function hasSignature(headers: Headers): boolean {
  return headers.has(TIMESTAMP_HEADER) && headers.has(SIGNATURE_HEADER);
}

/** Verifies the raw bytes before anything is parsed. */
export function verifyWebhook(
  body: Uint8Array,
  headers: Headers,
  facts: { readonly signingSecret: string; readonly nowMs: number },
): VerifiedRequest<unknown> {
  const refuse = (reason: string): VerifiedRequest<unknown> => ({ type: "refused", status: 401, reason, signed: false });
  const timestamp = headers.get(TIMESTAMP_HEADER) ?? "";
  const signature = headers.get(SIGNATURE_HEADER) ?? "";
  if (!constantTimeEqual(signature, signBody(body, timestamp, facts.signingSecret))) return refuse("the signature is wrong");
  if (!verifyTimestamp(timestamp, { nowMs: facts.nowMs })) return refuse("the signature is not fresh");
  return { type: "event", event: parseJson(body) };
}
