import type { Channel } from "@factotum/channel-contract";
import { describe, test } from "vitest";
import { WRONG_ONCE_ADAPTERS, createOnceChannel } from "../test/once-channel.ts";
import type { OnceDefect } from "../test/once-channel.ts";
import { BOT_ID, ReferencePlatform } from "../test/reference-platform.ts";
import type { ReferenceEvent } from "../test/reference-platform.ts";
import { CONFORMANCE_REQUIREMENTS, channelConformance, proveRequirement } from "./index.ts";
import type { ConformanceGateway, ConformanceOptions, DeliveryAnswer, TestEvent } from "./index.ts";

const optionsOf = (defect?: OnceDefect): ConformanceOptions<ReferencePlatform> => ({
  channel: "reference",
  platform: () => Promise.resolve(new ReferencePlatform("connection")),
  create: ({ platform, host, credential }) => createOnceChannel({ platform, host, credential, defect }),
});

/** A driver that cannot see when its channel, which looks names up first, has passed an event on: it waits for the gateway, and never for time. */
class LatePlatform extends ReferencePlatform {
  #gateway: ConformanceGateway | undefined;

  observe(gateway: ConformanceGateway): void {
    this.#gateway = gateway;
  }

  override async deliver(...[channel, event, options = {}]: Parameters<ReferencePlatform["deliver"]>): Promise<DeliveryAnswer> {
    const { message } = event.raw as ReferenceEvent;
    const isPassedOn = options.fault === undefined && message.sender !== BOT_ID;
    return this.#settled(isPassedOn ? event : undefined, channel, () => super.deliver(channel, event, options));
  }

  override async deliverBytes(...[channel, bytes]: Parameters<ReferencePlatform["deliverBytes"]>): Promise<DeliveryAnswer> {
    return this.#settled(undefined, channel, () => super.deliverBytes(channel, bytes));
  }

  async #settled(event: TestEvent | undefined, channel: Channel, deliver: () => Promise<DeliveryAnswer>): Promise<DeliveryAnswer> {
    const marker = event ?? this.event({ text: "behind it", conversation: "direct", sender: "person" });
    const { eventId } = marker.expected;
    if (event === undefined) this.#gateway?.disregard(eventId);
    const passedOn = this.#gateway?.passedOn(eventId);
    const answer = await deliver();
    if (event === undefined) await super.deliver(channel, marker);
    if (this.openConnections > 0) await passedOn;
    return answer;
  }
}

describe("a correct adapter passes", () => {
  channelConformance("of a platform that delivers once", optionsOf());
  channelConformance("that looks something up before it passes an event on", {
    channel: "reference",
    platform: () => Promise.resolve(new LatePlatform("connection")),
    create: ({ platform, host, credential }) => createOnceChannel({ platform, host, credential, isLate: true }),
  });
});

describe("a faulty adapter fails exactly the requirements that it violates", () => {
  test.concurrent.for(Object.entries(WRONG_ONCE_ADAPTERS))("%s", { timeout: 600_000 }, async ([defect, fails], { expect }) => {
    const options = optionsOf(defect as OnceDefect) as unknown as ConformanceOptions;
    const failed: string[] = [];
    for (const { id } of CONFORMANCE_REQUIREMENTS) {
      const timeoutMs = fails.includes(id) ? 1_500 : 60_000;
      if ((await proveRequirement(id, options, { timeoutMs })).type === "failed") failed.push(id);
    }
    expect(failed).toEqual(fails);
  });
});
