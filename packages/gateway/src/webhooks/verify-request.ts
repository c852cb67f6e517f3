import { createHash, createHmac } from "node:crypto";
import { constantTimeEqual, verifyTimestamp } from "@factotum/channel-kit";
import type { WebhookScheme } from "@factotum/config";

/** A request as it came in. Names of headers are in lower case. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/**
 * The outcome of a check. `deliveryId` is the sender's id of the event, the same when it is sent again. `challenge`: the platform only asks whether the address is
 * the owner's; the answer returns it.
 */
export type Verification =
  | { readonly type: "verified"; readonly deliveryId?: string; readonly challenge?: string }
  /** Wrong or missing; `reason` names the header, never a value. */
  | { readonly type: "refused"; readonly reason: string };

type Check = (request: SignedRequest, secret: string, nowMs: number) => Verification;

/** Distance of a signed time from now that is accepted, in either direction. */
export const REPLAY_WINDOW_MS = 300_000;

const CHECKS: Readonly<Record<WebhookScheme, Check>> = {
  bearer: checkBearer,
  github: checkGithub,
  gitlab: checkGitlab,
  stripe: checkStripe,
  slack: checkSlack,
  "standard-webhooks": checkStandard,
};

/** Checks where a request comes from, on its raw bytes and in constant time. A time that the sender has signed must be within five minutes. Pure. */
export function verifyRequest(
  request: SignedRequest,
  { scheme, secret, nowMs }: { readonly scheme: WebhookScheme; readonly secret: string; readonly nowMs: number },
): Verification {
  return CHECKS[scheme](request, secret, nowMs);
}

function checkBearer({ headers }: SignedRequest, secret: string): Verification {
  const token = /^Bearer\s+(\S+)\s*$/i.exec(headers["authorization"] ?? "")?.[1];
  if (token === undefined) return refused("Authorization: Bearer is missing");
  return constantTimeEqual(token, secret) ? verified(headers["idempotency-key"]) : refused("the token is wrong");
}

/** The id of a delivery is not signed, so that a copy could come with another one: the bytes themselves are the id. */
function checkGithub({ headers, body }: SignedRequest, secret: string): Verification {
  const given = headers["x-hub-signature-256"];
  if (given === undefined) return refused("X-Hub-Signature-256 is missing");
  const expected = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  if (!constantTimeEqual(given, expected)) return refused("X-Hub-Signature-256 is wrong");
  if (headers["x-github-delivery"] === undefined) return refused("X-GitHub-Delivery is missing");
  return verified(`${headers["x-github-event"] ?? ""}:${createHash("sha256").update(body).digest("hex")}`);
}

function checkGitlab({ headers }: SignedRequest, secret: string): Verification {
  const given = headers["x-gitlab-token"];
  if (given === undefined) return refused("X-Gitlab-Token is missing");
  if (!constantTimeEqual(given, secret)) return refused("X-Gitlab-Token is wrong");
  const { "idempotency-key": key, "x-gitlab-event-uuid": event } = headers;
  // What one event has caused shares its id.
  const deliveryId = key ?? (event === undefined ? undefined : `${headers["x-gitlab-event"] ?? ""}:${event}`);
  return deliveryId === undefined ? refused("Idempotency-Key and X-Gitlab-Event-UUID are missing") : verified(deliveryId);
}

function checkStripe({ headers, body }: SignedRequest, secret: string, nowMs: number): Verification {
  const header = headers["stripe-signature"];
  if (header === undefined) return refused("Stripe-Signature is missing");
  const parts = header.split(",").map((part) => part.trim().split("=", 2) as [string, string?]);
  const timestamp = parts.find(([key]) => key === "t")?.[1];
  if (!isFresh(timestamp, nowMs)) return refused("the time in Stripe-Signature is not within five minutes");
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
  if (
    !anyEqual(
      parts.flatMap(([key, value]) => (key === "v1" && value !== undefined ? [value] : [])),
      expected,
    )
  )
    return refused("Stripe-Signature is wrong");
  return verified(textInBody(body, "id"));
}

function checkSlack({ headers, body }: SignedRequest, secret: string, nowMs: number): Verification {
  const { "x-slack-signature": given, "x-slack-request-timestamp": timestamp } = headers;
  if (given === undefined || timestamp === undefined) return refused("X-Slack-Signature or X-Slack-Request-Timestamp is missing");
  if (!isFresh(timestamp, nowMs)) return refused("X-Slack-Request-Timestamp is not within five minutes");
  const expected = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex")}`;
  if (!constantTimeEqual(given, expected)) return refused("X-Slack-Signature is wrong");
  const challenge = textInBody(body, "type") === "url_verification" ? textInBody(body, "challenge") : undefined;
  if (challenge !== undefined) return { type: "verified", challenge };
  return verified(textInBody(body, "event_id") ?? createHash("sha256").update(given).digest("hex"));
}

/** As https://www.standardwebhooks.com: a secret with the prefix `whsec_` is Base64. */
function checkStandard({ headers, body }: SignedRequest, secret: string, nowMs: number): Verification {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined)
    return refused("webhook-id, webhook-timestamp or webhook-signature is missing");
  if (!isFresh(timestamp, nowMs)) return refused("webhook-timestamp is not within five minutes");
  const expected = `v1,${createHmac("sha256", standardKey(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  return anyEqual(signatures.split(" "), expected) ? verified(id) : refused("webhook-signature is wrong");
}

/** The key of Standard Webhooks. */
export function standardKey(secret: string): Uint8Array {
  return secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
}

function anyEqual(given: readonly string[], expected: string): boolean {
  // All are compared: the time says nothing about which one was right.
  return given.reduce((found, one) => constantTimeEqual(one, expected) || found, false);
}

function isFresh(timestamp: string | undefined, nowMs: number): boolean {
  return verifyTimestamp(timestamp, { nowMs, toleranceMs: REPLAY_WINDOW_MS });
}

/** A text in a body whose signature was right; `undefined` if the body is no JSON object with it. */
function textInBody(body: Uint8Array, key: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    const text = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
    return typeof text === "string" && text !== "" ? text : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function verified(deliveryId: string | undefined): Verification {
  return deliveryId === undefined || deliveryId === "" ? { type: "verified" } : { type: "verified", deliveryId };
}

function refused(reason: string): Verification {
  return { type: "refused", reason };
}
