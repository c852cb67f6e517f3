import { createHmac } from "node:crypto";
import { constantTimeEqual, parseJsonObject, verifyTimestamp } from "@factotum/channel-kit";
import type { RefusedRequest, VerifiedRequest } from "@factotum/channel-kit";
import type { Delivery } from "../inbound/accept-interaction.ts";

/** The result of verifying a request. */
type VerifiedWebhook = VerifiedRequest<Delivery>;

const SIGNATURE = "x-slack-signature";
const TIMESTAMP = "x-slack-request-timestamp";

/** The answer to a request without a signature: the platform signs everything. */
export const SIGNATURE_MISSING: RefusedRequest = { status: 401, reason: "the signature is missing", signed: false };

/** True for a request with signature headers; the signature itself is verified on the complete body. */
export function hasSignature(headers: Headers): boolean {
  return headers.has(SIGNATURE) && headers.has(TIMESTAMP);
}

/** Verifies one request on its raw bytes, in constant time, then its age, and only then parses it. */
export function verifyWebhook(
  body: Uint8Array,
  headers: Headers,
  options: { readonly signingSecret: string; readonly nowMs: number },
): VerifiedWebhook {
  const signature = headers.get(SIGNATURE);
  const timestamp = headers.get(TIMESTAMP);
  if (signature === null || timestamp === null) return { type: "refused", ...SIGNATURE_MISSING };
  const expected = `v0=${createHmac("sha256", options.signingSecret).update(`v0:${timestamp}:`).update(body).digest("hex")}`;
  if (!constantTimeEqual(signature, expected))
    return refused(401, "the signature does not match; compare the Signing Secret with the app settings", { signed: false });
  if (!verifyTimestamp(timestamp, { nowMs: options.nowMs }))
    return refused(401, "the request is older than five minutes; check this machine's clock", { signed: true });
  const text = Buffer.from(body).toString("utf8");
  return headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") === true ? parseForm(text) : parseEvent(text);
}

function parseEvent(text: string): VerifiedWebhook {
  const payload = parseJsonObject(text);
  if (payload === undefined) return refused(400, "the body cannot be read", { signed: true });
  const { type, challenge } = payload;
  if (type === "url_verification")
    return typeof challenge === "string"
      ? { type: "answer", response: Response.json({ challenge }) }
      : refused(400, "the check of the address has no challenge", { signed: true });
  return { type: "event", event: { type: "event", payload } };
}

/** Interactions are JSON in the field `payload`; the fields of a slash command stand alone. */
function parseForm(text: string): VerifiedWebhook {
  const form = new URLSearchParams(text);
  // The platform checks that the address has a valid certificate.
  if (form.get("ssl_check") === "1") return { type: "answer", response: new Response(null, { status: 200 }) };
  const json = form.get("payload");
  if (json === null) return { type: "event", event: { type: "command", payload: Object.fromEntries(form) } };
  const payload = parseJsonObject(json);
  if (payload === undefined) return refused(400, "the payload cannot be read", { signed: true });
  return { type: "event", event: { type: "interaction", payload } };
}

function refused(status: 400 | 401, reason: string, { signed }: { readonly signed: boolean }): VerifiedWebhook {
  return { type: "refused", status, reason, signed };
}
