import type { Clock, JsonValue } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import { readBodyCapped } from "@factotum/channel-kit";
import type { CappedBody } from "@factotum/channel-kit";
import type { Secret, WebhookMapping, WebhookScheme, WebhooksConfig } from "@factotum/config";
import { authorize, OWN } from "../../access/authorize.ts";
import type { ClientAddress } from "../../access/client-address.ts";
import type { BadTokens } from "../../webhooks/bad-tokens.ts";
import { parseBody } from "../../webhooks/parse-body.ts";
import { matchesAll } from "../../webhooks/render-template.ts";
import { verifyRequest } from "../../webhooks/verify-request.ts";
import type { WebhookIntake } from "../../webhooks/webhook-intake.ts";
import { mappedWork, parseAgent, parseWake } from "../../webhooks/webhook-work.ts";
import type { ParsedWork } from "../../webhooks/webhook-work.ts";
import { answerHook, refuseHook } from "./hook-answer.ts";
import type { HookSecrets } from "./hook-secrets.ts";

/** One address below the path of webhooks. */
export type HookTarget = { readonly type: "wake" | "agent" } | { readonly type: "mapping"; readonly mapping: WebhookMapping };

/** Dependencies of a route. */
export interface HookRouteOptions {
  readonly config: WebhooksConfig;
  readonly target: HookTarget;
  readonly client: ClientAddress;
  readonly secrets: HookSecrets;
  readonly badTokens: BadTokens;
  readonly intake: WebhookIntake;
  readonly clock: Pick<Clock, "now">;
}

/** Answers one request: reads its bytes, checks where it comes from, and only then looks at what it says. */
export async function handleHook(
  request: Request,
  options: HookRouteOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<Response> {
  const { config, client, badTokens } = options;
  const delayMs = badTokens.delayMs(client);
  // Several clients may share the address: the right token of one of them is still taken.
  if (delayMs > 0 && !client.isShared) return tooMany(delayMs);
  const body = await readBody(request, { maxBytes: config.maxBodyBytes, signal });
  if (body.type === "incomplete") return refuseHook(408, "The body did not arrive.", { headers: { connection: "close" } });
  if (body.type === "too-large")
    return refuseHook(413, `The body is larger than ${config.maxBodyBytes} bytes.`, { headers: { connection: "close" } });
  const { scheme, secret } = proofOf(options);
  const value = secret === undefined ? undefined : await options.secrets.valueOf(secret);
  const headers = Object.fromEntries(request.headers);
  const checked =
    value === undefined
      ? ({ type: "refused", reason: "the gateway has no secret for this address" } as const)
      : verifyRequest({ headers, body: body.bytes }, { scheme, secret: value, nowMs: options.clock.now() });
  const principal = checked.type === "verified" ? "platform" : "anonymous";
  if (checked.type === "refused" || authorize({ type: principal }, { type: "http", route: "POST /hooks" }, OWN).type !== "allow") {
    if (delayMs > 0) return tooMany(delayMs);
    badTokens.record(client);
    const reason = checked.type === "refused" ? checked.reason : "this is not allowed";
    return refuseHook(401, `Not accepted: ${reason}.`, scheme === "bearer" ? { headers: { "www-authenticate": "Bearer" } } : {});
  }
  if (checked.challenge !== undefined) return answerHook(200, { challenge: checked.challenge });
  const parsed = parseBody(body.bytes, headers["content-type"] ?? "");
  if (parsed.type === "refused") return refuseHook(400, parsed.message, { field: "body" });
  const delivery = { bytes: body.bytes, value: parsed.value, headers, ...withoutUndefined({ deliveryId: checked.deliveryId }) };
  return answer(delivery, options);
}

/** The body; `incomplete` if it did not arrive in time, or the client has left. */
async function readBody(
  request: Request,
  options: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<CappedBody | { readonly type: "incomplete" }> {
  try {
    return await readBodyCapped(request, options);
  } catch (error) {
    if (options.signal.aborted || request.signal.aborted) return { type: "incomplete" };
    throw error;
  }
}

interface Delivery {
  readonly bytes: Uint8Array;
  readonly value: JsonValue;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly deliveryId?: string;
}

async function answer({ bytes, value, headers, deliveryId }: Delivery, { config, target, intake }: HookRouteOptions): Promise<Response> {
  if (target.type === "mapping") {
    if (!matchesAll(target.mapping.match, { body: value, headers })) return answerHook(200, { ignored: true });
  }
  const parsed = workOf(target, { value, headers }, config);
  if (parsed.type === "refused") return refuseHook(400, parsed.message, { field: parsed.field });
  const work = { ...withoutUndefined({ idempotencyKey: deliveryId }), ...parsed.work };
  const scope = target.type === "mapping" ? `mapping:${target.mapping.name}` : target.type;
  const outcome = await intake.accept(work, { scope, body: bytes });
  switch (outcome.type) {
    case "accepted": {
      const { runId, sessionKey, note } = outcome;
      return answerHook(202, { runId, sessionKey, ...withoutUndefined({ note }) });
    }
    case "conflict":
      return refuseHook(409, "This idempotency key was used with another body.", { field: "idempotencyKey" });
    case "busy":
      return refuseHook(503, outcome.message, { headers: { "retry-after": "60" } });
    case "refused":
      return refuseHook(400, outcome.message, { field: outcome.field });
  }
}

function workOf(target: HookTarget, { value, headers }: Pick<Delivery, "value" | "headers">, config: WebhooksConfig): ParsedWork {
  switch (target.type) {
    case "wake":
      return parseWake(value);
    case "agent":
      return parseAgent(value, config);
    case "mapping":
      return mappedWork(target.mapping, { body: value, headers });
  }
}

function proofOf({ target, config }: HookRouteOptions): { readonly scheme: WebhookScheme; readonly secret: Secret | undefined } {
  if (target.type !== "mapping") return { scheme: "bearer", secret: config.token };
  const { scheme, secret = scheme === "bearer" ? config.token : undefined } = target.mapping;
  return { scheme, secret };
}

function tooMany(delayMs: number): Response {
  const seconds = Math.ceil(delayMs / 1000);
  return refuseHook(429, `Too many wrong tokens came from this address. Try again in ${seconds} s.`, {
    headers: { "retry-after": String(seconds), connection: "close" },
  });
}
