import type { ConformanceGateway, DeliveryAnswer, DeliveryFault, TestEvent } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import type { SampleChatConfig } from "../src/index.ts";
import { FakeSampleChatEvents } from "./fake-sample-chat-events.ts";
import { SampleChatDriver } from "./sample-chat-driver.ts";

/** Sample Chat for the conformance suite. It sends its events once over a connection, so the driver asks the gateway when one was passed on. */
export class SampleChatPlatform extends SampleChatDriver<FakeSampleChatEvents> {
  readonly transport = "connection";
  #gateway: ConformanceGateway | undefined;

  static async start(): Promise<SampleChatPlatform> {
    return new SampleChatPlatform(await FakeSampleChatEvents.start());
  }

  settings(credential: "right" | "wrong"): SampleChatConfig {
    return { token: credential === "right" ? this.fake.token : "a-wrong-token", baseUrl: this.fake.baseUrl };
  }

  observe(gateway: ConformanceGateway): void {
    this.#gateway = gateway;
  }

  get openConnections(): number {
    return this.fake.open;
  }

  deliver(_channel: Channel, event: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    const isPassedOn = fault === undefined && !this.isOwn(event);
    return this.#send(frameOf(this.payloadOf(event, fault)), isPassedOn ? event : undefined);
  }

  deliverBytes(_channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    return this.#send(Buffer.from(bytes).toString("utf8"), undefined);
  }

  disconnect(): void {
    this.fake.disconnect();
  }

  connected(count: number): Promise<void> {
    return this.fake.connected(count);
  }

  /** Sends a frame, and waits for its event, or for one behind it if it has none that is passed on. */
  async #send(frame: string, event: TestEvent | undefined): Promise<DeliveryAnswer> {
    const marker = event ?? this.event({ text: "behind it", conversation: "direct", sender: "person" });
    if (event === undefined) this.#gateway?.disregard(marker.expected.eventId);
    const passedOn = this.#gateway?.passedOn(marker.expected.eventId);
    this.fake.send(frame);
    if (event === undefined) this.fake.send(frameOf(marker.raw));
    if (this.fake.open > 0) await passedOn;
    return "acknowledged";
  }
}

function frameOf(payload: unknown): string {
  return JSON.stringify({ type: "event", payload });
}
