import { createDecipheriv, createHash } from "node:crypto";
import { constantTimeEqual, parseJsonObject, verifyTimestamp } from "@factotum/channel-kit";
import type { RefusedRequest, VerifiedRequest } from "@factotum/channel-kit";

/** The account's secrets of the console's Encryption Strategy. */
export interface WebhookSecrets {
  readonly encryptKey: string;
  readonly verificationToken: string;
}

/** The result of verifying a request. */
export type VerifiedWebhook = VerifiedRequest<Readonly<Record<string, unknown>>>;

const SIGNATURE_HEADERS = ["x-lark-signature", "x-lark-request-timestamp", "x-lark-request-nonce"] as const;

/** True for a request with signature headers; the signature itself is verified on the complete body. */
export function hasSignature(headers: Headers): boolean {
  return SIGNATURE_HEADERS.every((name) => headers.has(name));
}

/**
 * Verifies one request on its raw bytes, then parses it. The order is security-relevant: signature, freshness, decryption, token. The platform does not sign
 * its request to verify the address, so only that one may be unsigned; it is answered only with the right token. The timestamp is that of the push, not of the
 * event: redeliveries hours later are fresh.
 */
export function verifyWebhook(body: Uint8Array, headers: Headers, options: WebhookSecrets & { readonly nowMs: number }): VerifiedWebhook {
  const signature = headers.get("x-lark-signature");
  if (signature !== null) {
    const timestamp = headers.get("x-lark-request-timestamp");
    if (!isSigned({ body, signature, timestamp, nonce: headers.get("x-lark-request-nonce"), encryptKey: options.encryptKey })) {
      return { type: "refused", ...unproven("the signature does not match; compare the Encrypt Key with the console's") };
    }
    if (!verifyTimestamp(timestamp, { nowMs: options.nowMs }))
      return refused(401, "the push is older than five minutes; check this machine's clock");
  }
  // From here on every unsigned request gets the same refusal, so that it cannot probe the decryption.
  const unsigned: VerifiedWebhook | undefined = signature === null ? { type: "refused", ...SIGNATURE_MISSING } : undefined;
  const payload = readPayload(body, options.encryptKey);
  if (payload === undefined) return unsigned ?? refused(400, "the body cannot be read");

  const hasToken = constantTimeEqual(tokenOf(payload), options.verificationToken);
  if (payload["type"] === "url_verification") {
    const { challenge } = payload;
    if (hasToken && typeof challenge === "string") return { type: "answer", response: Response.json({ challenge }) };
    return unsigned ?? refused(401, "the verification token does not match the console's");
  }
  if (unsigned !== undefined) return unsigned;
  return hasToken ? { type: "event", event: payload } : refused(401, "the verification token does not match the console's");
}

function isSigned(input: {
  body: Uint8Array;
  signature: string;
  timestamp: string | null;
  nonce: string | null;
  encryptKey: string;
}): boolean {
  const expected = createHash("sha256")
    .update(`${input.timestamp ?? ""}${input.nonce ?? ""}${input.encryptKey}`)
    .update(input.body)
    .digest("hex");
  return constantTimeEqual(input.signature, expected);
}

function readPayload(body: Uint8Array, encryptKey: string): Record<string, unknown> | undefined {
  const outer = parseJsonObject(Buffer.from(body).toString("utf8"));
  if (outer === undefined || typeof outer["encrypt"] !== "string") return outer;
  const plain = decrypt(outer["encrypt"], encryptKey);
  return plain === undefined ? undefined : parseJsonObject(plain);
}

/** AES-256-CBC; the key is the hash of the Encrypt Key, the first block is the start vector. */
function decrypt(encrypted: string, encryptKey: string): string | undefined {
  const bytes = Buffer.from(encrypted, "base64");
  if (bytes.length < 32 || bytes.length % 16 !== 0) return undefined;
  const decipher = createDecipheriv("aes-256-cbc", createHash("sha256").update(encryptKey).digest(), bytes.subarray(0, 16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString("utf8");
  } catch (cause) {
    // Wrong padding: another key, or noise.
    if (cause instanceof Error && "code" in cause) return undefined;
    throw cause;
  }
}

/** Events of schema 2.0 have the token in their header, older ones and the challenge at the top. */
function tokenOf(payload: Readonly<Record<string, unknown>>): string {
  const header = payload["header"];
  const token = typeof header === "object" && header !== null && "token" in header ? header.token : payload["token"];
  return typeof token === "string" ? token : "";
}

function refused(status: 400 | 401, reason: string): VerifiedWebhook {
  return { type: "refused", status, reason, signed: true };
}

function unproven(reason: string): RefusedRequest {
  return { status: 401, reason, signed: false };
}

/** The answer to every request without a signature, except the platform's check of the address. */
export const SIGNATURE_MISSING: RefusedRequest = unproven("the signature is missing; set an Encrypt Key in the console");
