import { createHmac } from "node:crypto";
import type { Clock, JobDelivery, JobReceipt } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { JobRecord, OccurrenceRecord, OutboxStore, SessionStore, TranscriptStore } from "@factotum/store";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import { planChatMessage } from "../delivery/plan-message.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { SessionEvents } from "../events/session-events.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import { jobText } from "../kernel/sent-text.ts";

const POST_MS = 30_000;

/** Dependencies of the announcer. */
export interface JobAnnouncerOptions {
  readonly store: OutboxStore & SessionStore & TranscriptStore;
  readonly channels: ChannelRegistry;
  readonly dispatcher: Dispatcher;
  readonly events: SessionEvents;
  readonly cache: SessionCache;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/** Where a job's outcome goes: without a setting it is announced in the conversation in which the job was made. */
export function deliveryOf({ spec }: Pick<JobRecord, "spec">): JobDelivery {
  return spec.delivery ?? { type: "announce" };
}

/** What became of a post to a webhook. */
export interface PostResult {
  readonly receipt?: JobReceipt;
  /** What was wrong, if the webhook did not take it. */
  readonly problem?: string;
}

/** Brings what jobs say to where it belongs. */
export class JobAnnouncer {
  readonly #options: JobAnnouncerOptions;

  constructor(options: JobAnnouncerOptions) {
    this.#options = options;
  }

  /**
   * Delivers a text that no model has written. A repeated call for the same occurrence sends nothing again to a chat.
   */
  async deliver(job: JobRecord, occurrence: OccurrenceRecord, text: string): Promise<PostResult> {
    const delivery = deliveryOf(job);
    if (text.trim() === "" || delivery.type === "none") return {};
    if (delivery.type === "webhook") return this.post(job, occurrence, text);
    await this.#announce(job, occurrence, text);
    return {};
  }

  /** Posts an outcome to the job's webhook, signed if it has a secret. */
  async post(job: JobRecord, { slotMs, attempt }: OccurrenceRecord, text: string): Promise<PostResult> {
    const delivery = deliveryOf(job);
    if (delivery.type !== "webhook") return {};
    const body = JSON.stringify({ jobId: job.id, name: job.spec.name, scheduledFor: new Date(slotMs).toISOString(), attempt, text });
    const signature = delivery.secret === undefined ? undefined : createHmac("sha256", delivery.secret).update(body).digest("hex");
    try {
      const response = await this.#options.fetch(delivery.url, {
        method: "POST",
        redirect: "error",
        body,
        headers: {
          "content-type": "application/json",
          ...(signature === undefined ? {} : { "x-factotum-signature-256": `sha256=${signature}` }),
        },
        signal: AbortSignal.timeout(POST_MS),
      });
      await response.body?.cancel();
      if (response.ok) return { receipt: "delivered" };
      return { receipt: "undelivered", problem: `the webhook answered with status ${response.status}` };
    } catch (error) {
      // It may have arrived before the connection broke.
      const reason = error instanceof Error ? error.message : String(error);
      return { receipt: "ambiguous", problem: `the webhook could not be reached: ${reason}` };
    }
  }

  async #announce(job: JobRecord, { slotMs }: OccurrenceRecord, text: string): Promise<void> {
    const { store, channels, dispatcher, cache, clock } = this.#options;
    const target: Origin = job.target ?? job.authority.origin;
    const { sessionKey } = job.authority;
    const planned = planChatMessage(
      { sessionKey, target, text, purpose: "reply", identity: ["job", job.id, slotMs], nowMs: clock.now(), suppressed: false },
      channels,
    );
    const rows = planned.map((row) => ({ ...row, slot: { jobId: job.id, slotMs } }));
    const session = await store.readSession(sessionKey);
    const key = sendKey("job", job.id, slotMs);
    const body = {
      type: "notice",
      level: "info",
      ...jobText(job.spec.name, text),
      key,
      tellsModel: true,
    } as const;
    const notice = session === undefined ? undefined : { sessionId: session.sessionId, body };
    if (rows.length > 0) dispatcher.dispatch(await store.addOutbound(rows, notice === undefined ? {} : { notice }));
    else if (notice !== undefined) await store.appendEntry(notice.sessionId, body, { timestampMs: clock.now() });
    if (notice !== undefined) cache.forgetModelNotes(notice.sessionId);
    const entry = notice === undefined ? undefined : await store.findNotice(key);
    if (entry !== undefined) publishEntry(this.#options, sessionKey, entry, undefined);
  }
}
