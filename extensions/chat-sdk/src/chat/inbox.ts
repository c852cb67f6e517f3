import { MsgContextSchema } from "@factotum/channel-contract";
import type { CallOptions, ChannelHealth, ChannelHost, MsgContext } from "@factotum/channel-contract";
import { createReceiveQueue, createUnreadableEvents } from "@factotum/channel-kit";
import type { EventOutcome } from "@factotum/channel-kit";
import type { Deliveries } from "./delivery.ts";

/** A message of the contract, or why there is none. */
export type ParsedEvent = MsgContext | { readonly type: "ignored" | "unreadable"; readonly reason: string };

/** Takes the adapter's events and passes them to the gateway. */
export interface Inbox {
  /**
   * Resolves once an event is stored, or given up: the request that brought it then fails. An event without a request is passed on again until it is stored. Never
   * rejects, because adapters leave the result of these calls alone.
   */
  take(parse: () => Promise<ParsedEvent>): Promise<void>;
  addTo(health: ChannelHealth): ChannelHealth;
  /** Waits for the events that are not stored yet, until the signal fires. */
  stop(options: CallOptions): Promise<void>;
}

/** `retries`: an event whose request failed is kept in memory, because the platform may not deliver it again. */
export function createInbox(
  host: ChannelHost,
  { deliveries, retries }: { readonly deliveries: Deliveries; readonly retries: boolean },
): Inbox {
  const unreadable = createUnreadableEvents(host);
  const stored = new Map<MsgContext, () => void>();
  const settle = (message: MsgContext): void => {
    stored.get(message)?.();
    stored.delete(message);
  };
  const queue = createReceiveQueue({
    ...pick(host),
    receive: async (message, progress) => {
      try {
        const answer = await host.receive(message, progress);
        settle(message);
        return answer;
      } catch (error) {
        if (error instanceof RangeError) settle(message);
        throw error;
      }
    },
  });
  const passAgain = async (message: MsgContext): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    stored.set(message, resolve);
    queue.add(message);
    return promise;
  };
  const read = async (parse: () => Promise<ParsedEvent>): Promise<ParsedEvent> => {
    let parsed: ParsedEvent;
    try {
      parsed = await parse();
    } catch (error) {
      parsed = { type: "unreadable", reason: error instanceof Error ? error.name : "unknown" };
    }
    if ("type" in parsed) return parsed;
    const checked = MsgContextSchema.safeParse(parsed);
    if (checked.success) return parsed;
    return { type: "unreadable", reason: `the adapter gave no valid ${checked.error.issues[0]?.path.join(".") ?? "message"}` };
  };
  const note = ({ type, reason }: Exclude<ParsedEvent, MsgContext>): EventOutcome => {
    if (type === "unreadable") unreadable.record(reason);
    else host.logger.debug("event ignored", { reason });
    return { type, reason };
  };

  return {
    async take(parse) {
      const delivery = deliveries.current();
      if (delivery === undefined) {
        const parsed = await read(parse);
        if ("type" in parsed) note(parsed);
        else await passAgain(parsed);
        return;
      }
      await delivery.take(async (progress) => {
        const parsed = await read(parse);
        if ("type" in parsed) return note(parsed);
        try {
          return { type: await host.receive(parsed, progress) };
        } catch (error) {
          if (retries) void passAgain(parsed);
          throw error;
        }
      });
    },
    addTo: (health) => unreadable.addTo(queue.addTo(health)),
    async stop(options) {
      await queue.stop(options);
      for (const message of stored.keys()) settle(message);
    },
  };
}

function pick({ clock, random, logger }: ChannelHost): Pick<ChannelHost, "clock" | "random" | "logger"> {
  return { clock, random, logger };
}
