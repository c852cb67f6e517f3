import type { IncomingMessage } from "node:http";
import type { Clock } from "@factotum/agent-contract";
import type { Secret, WebhooksConfig } from "@factotum/config";
import type { Hono } from "hono";
import type { Engine } from "../../engine/engine.ts";
import { BadTokens } from "../../webhooks/bad-tokens.ts";
import { WebhookIntake } from "../../webhooks/webhook-intake.ts";
import type { AdmissionOptions, HttpEnv } from "../admit-request.ts";
import type { WebhookHandler, WebhookRequests } from "../webhook-requests.ts";
import { refuseHook } from "./hook-answer.ts";
import { handleHook } from "./hook-route.ts";
import type { HookTarget } from "./hook-route.ts";
import { HookSecrets } from "./hook-secrets.ts";

/** Names of the query that look like a credential. */
const CREDENTIAL = /token|secret|key|auth|signature/i;

/** Dependencies of the routes. */
export interface HookRoutesOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly admission: AdmissionOptions;
  readonly requests: WebhookRequests;
  readonly readSecret: (secret: Secret) => Promise<string | undefined>;
}

/** Adds the addresses below `hooks.path`, which the running configuration names. Without `hooks.enabled` there are none. Add them after the gateway's own routes. */
export function addHookRoutes(app: Hono<HttpEnv>, { engine, clock, admission, requests, readSecret }: HookRoutesOptions): void {
  const { running, store, random, logger, storage } = engine.parts;
  const { schedule } = engine;
  const intake = new WebhookIntake({
    intake: { submit: async (message, input) => engine.submit(message, input) },
    store,
    running,
    schedule,
    clock,
    random,
    logger,
  });
  const secrets = new HookSecrets(readSecret, clock);
  const badTokens = new BadTokens(clock);
  app.all("/*", async (context, next) => {
    const { hooks } = running.config;
    const name = nameOf(new URL(context.req.url).pathname, hooks);
    if (name === undefined) return next();
    const target = targetOf(name, hooks);
    if (target === undefined) return refuseHook(404, "There is no such webhook.");
    if (context.req.method !== "POST") return refuseHook(405, "Use POST.", { headers: { allow: "POST" } });
    if (Object.keys(context.req.query()).some((key) => CREDENTIAL.test(key)))
      return refuseHook(400, "Credentials belong into a header: addresses are logged on their way.", { field: "query" });
    const incoming = context.env.incoming as IncomingMessage;
    const client = admission.findClient(incoming, admission.gatewayConfig().trustedProxies);
    const options = { config: hooks, target, client, secrets, badTokens, intake, clock };
    const handler: WebhookHandler = { handleWebhook: async (request, { signal }) => handleHook(request, options, { signal }) };
    try {
      return await requests.handle(handler, context.req.raw, incoming, name);
    } catch (error) {
      if (!storage.recordFailure(error)) throw error;
      return refuseHook(503, "Nothing can be stored now. Send it again.", { headers: { "retry-after": "30" } });
    }
  });
}

/** The last part of an address below the path; `undefined` for any other address, and if webhooks are off. */
function nameOf(pathname: string, { enabled, path }: WebhooksConfig): string | undefined {
  if (!enabled || (pathname !== path && !pathname.startsWith(`${path}/`))) return undefined;
  return pathname.slice(path.length + 1);
}

function targetOf(name: string, { mappings }: WebhooksConfig): HookTarget | undefined {
  if (name === "wake" || name === "agent") return { type: name };
  const mapping = mappings.find((one) => one.name === name);
  return mapping === undefined ? undefined : { type: "mapping", mapping };
}
