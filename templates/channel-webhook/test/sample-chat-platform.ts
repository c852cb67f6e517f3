import type { DeliveryAnswer, DeliveryFault, TestEvent } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import type { SampleChatConfig } from "../src/index.ts";
import { signBody, SIGNATURE_HEADER, TIMESTAMP_HEADER } from "../src/transport/verify-webhook.ts";
import { FakeSampleChat } from "./fake-sample-chat.ts";
import { SampleChatDriver } from "./sample-chat-driver.ts";

const DAY_SECONDS = 24 * 60 * 60;
const SIGNING_SECRET = "sample-chat-signing-secret";

/** Sample Chat for the conformance suite. It posts its events. */
export class SampleChatPlatform extends SampleChatDriver<FakeSampleChat> {
  readonly transport = "webhook";
  readonly openConnections = 0;

  static async start(): Promise<SampleChatPlatform> {
    return new SampleChatPlatform(await FakeSampleChat.start());
  }

  override get secrets(): readonly string[] {
    return [this.fake.token, SIGNING_SECRET];
  }

  settings(credential: "right" | "wrong"): SampleChatConfig {
    return { token: credential === "right" ? this.fake.token : "a-wrong-token", signingSecret: SIGNING_SECRET, baseUrl: this.fake.baseUrl };
  }

  deliver(channel: Channel, event: TestEvent, options: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const { fault } = options;
    const body = Buffer.from(JSON.stringify(this.payloadOf(event, fault)));
    const skewSeconds = { stale: -DAY_SECONDS, early: DAY_SECONDS }[String(fault)] ?? 0;
    const timestamp = String(Math.floor(Date.now() / 1_000) + skewSeconds);
    const secret = fault === "signature-wrong" ? "another-secret" : SIGNING_SECRET;
    const headers = { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: signBody(body, timestamp, secret) };
    const sentBody = fault === "tampered" ? Buffer.from(body.toString("utf8").replace("message", "massage")) : body;
    return this.#post(channel, sentBody, fault === "signature-missing" ? {} : headers);
  }

  deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = signBody(bytes, timestamp, SIGNING_SECRET);
    return this.#post(channel, bytes, { [TIMESTAMP_HEADER]: timestamp, [SIGNATURE_HEADER]: signature });
  }

  disconnect(): void {
    throw new Error("Sample Chat keeps no connection");
  }

  connected(): Promise<void> {
    return Promise.reject(new Error("Sample Chat keeps no connection"));
  }

  async #post(channel: Channel, body: Uint8Array, headers: Record<string, string>): Promise<DeliveryAnswer> {
    const request = new Request("http://127.0.0.1/channels/sample-chat/second", { method: "POST", body: Buffer.from(body), headers });
    const { status } = await channel.handleWebhook(request, { signal: AbortSignal.timeout(10_000) });
    if (status === 200) return "acknowledged";
    return status >= 500 ? "unacknowledged" : "refused";
  }
}
