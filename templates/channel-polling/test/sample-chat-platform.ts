import type { ConformanceGateway, DeliveryAnswer, DeliveryFault, TestEvent } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import type { SampleChatConfig } from "../src/index.ts";
import { FakeSampleChatEvents } from "./fake-sample-chat-events.ts";
import { SampleChatDriver } from "./sample-chat-driver.ts";

/** Sample Chat for the conformance suite. It is polled for its events: the next poll is the answer to one. */
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

  async deliver(_channel: Channel, event: TestEvent, { fault }: { readonly fault?: DeliveryFault } = {}): Promise<DeliveryAnswer> {
    // An event that was not stored is asked for again only after a while.
    const failed = this.#gateway?.passedOn(event.expected.eventId).then(async (answer) => (answer === "failed" ? false : taken));
    const taken = this.fake.add(this.payloadOf(event, fault));
    return (await Promise.race([taken, failed ?? taken])) ? "acknowledged" : "unacknowledged";
  }

  async deliverBytes(_channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer> {
    return (await this.fake.add(Buffer.from(bytes).toString("latin1"))) ? "acknowledged" : "unacknowledged";
  }

  disconnect(): void {
    this.fake.disconnect();
  }

  connected(count: number): Promise<void> {
    return this.fake.connected(count);
  }
}
