import { createHmac } from "node:crypto";
import type { WebhookScheme } from "@factotum/config";
import { standardKey } from "./verify-request.ts";

/** The headers that a platform sends with a body: for trying a webhook. `id` is the id of the delivery. Pure. */
export function signRequest(
  body: Uint8Array,
  { scheme, secret, id, nowMs }: { readonly scheme: WebhookScheme; readonly secret: string; readonly id: string; readonly nowMs: number },
): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(nowMs / 1000));
  const hex = (prefix: string): string => createHmac("sha256", secret).update(prefix).update(body).digest("hex");
  switch (scheme) {
    case "bearer":
      return { authorization: `Bearer ${secret}`, "idempotency-key": id };
    case "github":
      return { "x-hub-signature-256": `sha256=${hex("")}`, "x-github-delivery": id };
    case "gitlab":
      return { "x-gitlab-token": secret, "idempotency-key": id };
    case "stripe":
      return { "stripe-signature": `t=${seconds},v1=${hex(`${seconds}.`)}` };
    case "slack":
      return { "x-slack-request-timestamp": seconds, "x-slack-signature": `v0=${hex(`v0:${seconds}:`)}` };
    case "standard-webhooks": {
      const signature = createHmac("sha256", standardKey(secret)).update(`${id}.${seconds}.`).update(body).digest("base64");
      return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
    }
  }
}
