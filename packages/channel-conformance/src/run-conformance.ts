import type { Channel } from "@factotum/channel-contract";
import { providedNeeds } from "./case.ts";
import type { ConformanceCase, ConformanceRequirement, Need, World } from "./case.ts";
import { ACKNOWLEDGEMENT_CASES } from "./cases/acknowledgement.ts";
import { createCapabilityCases } from "./cases/capabilities.ts";
import { CONTEXT_CASES } from "./cases/context.ts";
import { EVENT_CASES } from "./cases/events.ts";
import { GUARANTEE_CASES } from "./cases/guarantee.ts";
import { INBOUND_CASES } from "./cases/inbound.ts";
import { LIFECYCLE_CASES } from "./cases/lifecycle.ts";
import { ONCE_CASES } from "./cases/once.ts";
import { OUTBOUND_CASES } from "./cases/outbound/outbound.ts";
import { ACTION_CASES } from "./cases/rich/actions.ts";
import { CARD_CASES } from "./cases/rich/cards.ts";
import { COMMAND_CASES } from "./cases/rich/commands.ts";
import { OPTIONAL_CASES } from "./cases/rich/optional.ts";
import { SEND_CASES, STREAM_CASES } from "./cases/rich/sends.ts";
import { WEBHOOK_CASES } from "./cases/webhook.ts";
import type { ConformanceOptions } from "./platform.ts";
import { TestHost } from "./test-host.ts";

const CASES: readonly ConformanceCase[] = [
  ...INBOUND_CASES,
  ...EVENT_CASES,
  ...GUARANTEE_CASES,
  ...COMMAND_CASES,
  ...CONTEXT_CASES,
  ...ACKNOWLEDGEMENT_CASES,
  ...ONCE_CASES,
  ...WEBHOOK_CASES,
  ...OUTBOUND_CASES,
  ...CARD_CASES,
  ...SEND_CASES,
  ...STREAM_CASES,
  ...ACTION_CASES,
  ...OPTIONAL_CASES,
  ...LIFECYCLE_CASES,
  ...createCapabilityCases(() => CONFORMANCE_REQUIREMENTS),
];

/** Every requirement, in the order in which they run. */
export const CONFORMANCE_REQUIREMENTS: readonly ConformanceRequirement[] = CASES.map(({ id, needs, behaviour }) => ({
  id,
  needs,
  behaviour,
}));

/** The outcome of one requirement. */
export type ConformanceOutcome =
  | { readonly type: "passed" }
  | { readonly type: "not-needed"; readonly missing: readonly Need[] }
  | { readonly type: "failed"; readonly error: unknown };

/** Tests one requirement on an adapter, in a fresh environment. Never rejects. */
export async function proveRequirement(
  id: string,
  options: ConformanceOptions,
  settings: { readonly timeoutMs: number },
): Promise<ConformanceOutcome> {
  const found = CASES.find((one) => one.id === id);
  if (found === undefined) return { type: "failed", error: new Error(`there is no requirement ${id}`) };
  const channels: Channel[] = [];
  try {
    await using platform = await options.platform();
    const host = new TestHost();
    platform.observe?.(host);
    const make: World["another"] = ({ credential } = { credential: "right" }) => {
      const channel = options.create({ platform, host, credential });
      channels.push(channel);
      return channel;
    };
    const channel = make();
    const provided = providedNeeds(platform, channel.capabilities);
    const missing = found.needs.filter((need) => !provided.has(need));
    if (missing.length > 0) return { type: "not-needed", missing };
    const world = createWorld({ platform, host, channel, options, another: make });
    try {
      await within(settings.timeoutMs, async () => {
        await channel.start({ signal: AbortSignal.timeout(settings.timeoutMs) });
        await found.prove(world);
      });
    } finally {
      platform.release();
      await within(settings.timeoutMs, () => Promise.allSettled(channels.map((one) => one.stop({ signal: AbortSignal.abort() }))));
    }
    return { type: "passed" };
  } catch (error) {
    return { type: "failed", error };
  }
}

function createWorld(parts: Pick<World, "platform" | "host" | "channel" | "options" | "another">): World {
  const { platform, host, channel, options } = parts;
  let sends = 0;
  const address: World["address"] = (kind) => ({
    channel: options.channel,
    accountId: host.accountId,
    conversation: platform.target(kind),
  });
  return {
    ...parts,
    address,
    event: (message = {}) => platform.event({ text: "Hello", conversation: "direct", sender: "person", ...message }),
    send: (outbound = { type: "text", text: "Hello" }, { to = "direct", ...more } = {}) => {
      sends += 1;
      return channel.send(address(to), outbound, { signal: AbortSignal.timeout(60_000), idempotencyKey: `send-${sends}`, ...more });
    },
  };
}

/** A faulty adapter may hang: then its case fails. */
async function within<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nothing happened within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
