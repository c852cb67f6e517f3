import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { createHttpClient, parseJson, PlatformFailure, retryAfterMs } from "@factotum/channel-kit";
import type { HttpAnswer, HttpLimits } from "@factotum/channel-kit";
import * as z from "zod";
import type { WebhookConfig } from "../config.ts";
import { signRequest } from "../signature.ts";

/** A request of this channel to the service. */
type ServiceRequest =
  /** Asks whether the secret is right, and shows nothing. */
  { readonly type: "ping" } | ({ readonly type: "message" } & ServiceMessage);

/** A message for the service to show. */
export interface ServiceMessage {
  readonly conversation: { readonly kind: "direct" | "group" | "channel"; readonly id: string; readonly thread?: string };
  /** Markdown; empty only with attachments. */
  readonly text: string;
  readonly replyTo?: string;
  readonly attachments?: readonly ServiceFile[];
}

/** A file of a message; `data` is Base64. */
export interface ServiceFile {
  readonly kind: "image" | "audio" | "video" | "file";
  readonly mimeType: string;
  readonly name?: string;
  readonly voice?: true;
  readonly data: string;
}

/** The service at `outboundUrl`. Every call is signed, follows no redirect and rejects with a `PlatformFailure`. */
export interface ServiceApi {
  /** Posts a request and resolves with the id that the service gave it, if it did. Posts with the same id are the same request. */
  post(request: ServiceRequest, options: CallOptions & { readonly id: string }): Promise<string | undefined>;
  /** Fetches a file of the service's own origin. */
  fetchFile(url: string, options: HttpLimits): Promise<HttpAnswer>;
}

const Answer = z.object({ id: z.string().min(1).max(512).optional() });
const Refusal = z.object({ error: z.string(), message: z.string().optional() });
const MAX_ANSWER_BYTES = 64 * 1024;
const SEND_TIMEOUT_MS = 30_000;

/** Creates the client of one account. */
export function createServiceApi(
  { outboundUrl, secret }: WebhookConfig,
  host: Pick<ChannelHost, "fetch" | "clock" | "random">,
): ServiceApi {
  const request = createHttpClient(host, { platform: "the service" });
  const sign = (body: Uint8Array, id: string): Record<string, string> => signRequest(body, { id, nowMs: host.clock.now(), secret });
  return {
    async post(content, { id, signal }) {
      const body = Buffer.from(JSON.stringify(content));
      const headers = { "content-type": "application/json", ...sign(body, id) };
      const limits = { signal, timeoutMs: SEND_TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, dropsLargeBody: true };
      const answer = await request(outboundUrl, { method: "POST", headers, body }, limits);
      if (answer.status < 200 || answer.status > 299) throw failureOf(answer);
      const parsed = Answer.safeParse(parseJson(answer.bytes));
      return parsed.success ? parsed.data.id : undefined;
    },
    async fetchFile(url, limits) {
      const answer = await request(url, { headers: sign(new Uint8Array(), host.random.uuid()) }, limits);
      if (answer.status === 200) return answer;
      throw failureOf(answer);
    },
  };
}

function failureOf({ status, headers, bytes }: HttpAnswer): PlatformFailure {
  const delayMs = retryAfterMs(headers);
  const later = delayMs === undefined ? {} : { retryAfterMs: delayMs };
  const refusal = Refusal.safeParse(parseJson(bytes));
  if (!refusal.success) return new PlatformFailure({ type: "http", status, ...later }, `the service answered with ${status}`);
  const { error: code, message = "" } = refusal.data;
  const text = `the service answered with ${status}, ${[code, message]
    .filter((one) => one !== "")
    .join(": ")
    .slice(0, 200)}`;
  return new PlatformFailure({ type: "refused", code, status, ...later }, text);
}
