import { createHmac } from "node:crypto";
import { constantTimeEqual, verifyTimestamp } from "@factotum/channel-kit";

/** The headers of Standard Webhooks 1.0.0 (standardwebhooks.com), in both directions. */
export const ID_HEADER = "webhook-id";
export const TIMESTAMP_HEADER = "webhook-timestamp";
export const SIGNATURE_HEADER = "webhook-signature";

/** The headers of a signed request. */
export function signRequest(
  body: Uint8Array,
  signed: { readonly id: string; readonly nowMs: number; readonly secret: string },
): Record<string, string> {
  const { id, nowMs, secret } = signed;
  const timestamp = String(Math.floor(nowMs / 1_000));
  return { [ID_HEADER]: id, [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: sign(body, { id, timestamp }, secret) };
}

/** Why a request is not genuine; `undefined` if it is. While a secret is replaced, a service may send a signature for each. */
export function signatureFault(
  body: Uint8Array,
  headers: Headers,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): string | undefined {
  const signed = { id: headers.get(ID_HEADER) ?? "", timestamp: headers.get(TIMESTAMP_HEADER) ?? "" };
  const right = sign(body, signed, secret);
  const given = (headers.get(SIGNATURE_HEADER) ?? "").split(" ").slice(0, 8);
  if (!given.some((one) => constantTimeEqual(one, right))) return "the signature is wrong";
  return verifyTimestamp(signed.timestamp, { nowMs }) ? undefined : "the signature is not fresh";
}

function sign(body: Uint8Array, { id, timestamp }: { readonly id: string; readonly timestamp: string }, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}
