import * as z from "zod";
import { defineMethods, type MethodTable } from "./define-methods.ts";

/** A request of another system that was taken. Refused ones are not kept. */
export interface WebhookDelivery {
  /** Where it was sent to: `wake`, `agent`, or the name of a mapping. */
  readonly webhook: string;
  readonly receivedAtMs: number;
  /** `waiting` and `running`: there is no outcome yet. `shown`: it was an event, and a turn has read it. `silent`: the assistant had nothing to say. `failed`: for `reason`. */
  readonly state: "waiting" | "running" | "answered" | "shown" | "silent" | "failed";
  readonly reason?: string;
  /** The beginning of what it sent: text of others, at most 300 UTF-16 units. */
  readonly sent?: string;
  /** The beginning of the answer, as long, if it is among the newest entries of its conversation. */
  readonly answer?: string;
  /** Its conversation, while there is one: that of a single request is kept for a day. */
  readonly sessionKey?: string;
  /** The turn that worked on it. */
  readonly turnId?: string;
}

/** Methods of the requests of other systems; their addresses are in the configuration. */
export interface WebhookMethods {
  /** The newest deliveries among the newest 300 messages of all kinds, newest first. `limit` 20 by default. */
  "webhooks.deliveries": { params: { readonly limit?: number }; result: { readonly deliveries: readonly WebhookDelivery[] } };
}

const delivery = z.lazy(() =>
  z.strictObject({
    webhook: z.string(),
    receivedAtMs: z.number(),
    state: z.enum(["waiting", "running", "answered", "shown", "silent", "failed"]),
    reason: z.string().optional(),
    sent: z.string().optional(),
    answer: z.string().optional(),
    sessionKey: z.string().optional(),
    turnId: z.string().optional(),
  }),
);

/** Rows of the webhook methods. */
export const WEBHOOK_METHODS: MethodTable<WebhookMethods> = defineMethods<WebhookMethods>()({
  "webhooks.deliveries": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ limit: z.number().int().min(1).max(100).optional() }),
    result: () => z.strictObject({ deliveries: z.array(delivery) }),
  },
});
