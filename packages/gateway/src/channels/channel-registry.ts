import type { Clock, Logger, Random } from "@factotum/agent-contract";
import { ChannelError } from "@factotum/channel-contract";
import type { Channel, ChannelHealth, ChannelHost, MsgContext, Origin } from "@factotum/channel-contract";
import { backoffDelay } from "@factotum/channel-kit";
import type { AccountConfig } from "@factotum/config";
import type { ChannelStatus } from "@factotum/protocol";

/** One account that the configuration names, and how to make its channel. */
export interface ChannelAccount {
  readonly channel: string;
  readonly accountId: string;
  readonly config: AccountConfig;
  /** Loads the extension and makes the instance; rejects when a secret does not resolve or the package is not installed, saying what to do. */
  readonly create: (host: ChannelHost) => Promise<Channel>;
}

/** What the registry needs of the rest. */
export interface ChannelRegistryOptions {
  readonly accounts: readonly ChannelAccount[];
  readonly receive: (message: MsgContext, options: { readonly cursor?: string }) => Promise<"accepted" | "duplicate">;
  readonly readCursor: (channel: string, accountId: string) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fetch: typeof fetch;
}

interface Entry {
  readonly account: ChannelAccount;
  channel: Channel | undefined;
  failure: string | undefined;
  retry: Disposable | undefined;
  starting: Promise<void>;
}

/** How long a channel has to stop before it is left behind. */
const STOP_TIMEOUT_MS = 10_000;

/** The channels of this gateway: started, tried again with backoff when that fails, and stopped, each account for itself. */
export class ChannelRegistry {
  readonly #options: ChannelRegistryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new AbortController();

  constructor(options: ChannelRegistryOptions) {
    this.#options = options;
    for (const account of options.accounts) {
      this.#entries.set(entryKey(account.channel, account.accountId), {
        account,
        channel: undefined,
        failure: undefined,
        retry: undefined,
        starting: Promise.resolve(),
      });
    }
  }

  /** Makes the instances, without connecting: from here on addresses have capabilities. A failure is tried again by `start`. */
  async prepare(): Promise<void> {
    await Promise.all(
      [...this.#entries.values()].map(async (entry) => {
        if (!entry.account.config.enabled) return;
        try {
          entry.channel = await entry.account.create(this.#host(entry.account));
        } catch (error) {
          entry.failure = error instanceof Error ? error.message : "it failed for an unknown reason";
        }
      }),
    );
  }

  /** Starts every enabled account. Resolves when each has started or failed for the first time; a failed one goes on trying by itself. */
  async start(): Promise<void> {
    await Promise.all(
      [...this.#entries.values()].map(async (entry) => {
        if (!entry.account.config.enabled) return;
        entry.starting = this.#startEntry(entry, 0);
        await entry.starting;
      }),
    );
  }

  /** The channel of an address, while it exists. */
  channelFor(origin: Pick<Origin, "channel" | "accountId">): Channel | undefined {
    return this.#entries.get(entryKey(origin.channel, origin.accountId))?.channel;
  }

  accountFor(origin: Pick<Origin, "channel" | "accountId">): AccountConfig | undefined {
    return this.#entries.get(entryKey(origin.channel, origin.accountId))?.account.config;
  }

  status(): readonly ChannelStatus[] {
    return [...this.#entries.values()].map((entry) => {
      const { channel, accountId, config } = entry.account;
      const base = { channel, accountId };
      if (!config.enabled) return { ...base, state: "disabled" };
      if (entry.failure !== undefined) return { ...base, state: "failed", detail: entry.failure };
      const health: ChannelHealth = entry.channel?.health() ?? { state: "starting" };
      return {
        ...base,
        state: health.state,
        ...(health.detail === undefined ? {} : { detail: health.detail }),
        ...(health.evidenceAtMs === undefined ? {} : { evidenceAtMs: health.evidenceAtMs }),
      };
    });
  }

  /** Stops every channel and waits, for a bounded time. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await Promise.all(
      [...this.#entries.values()].map(async (entry) => {
        entry.retry?.[Symbol.dispose]();
        await entry.starting;
        const { channel } = entry;
        if (channel === undefined) return;
        const limit = new AbortController();
        using _timer = this.#options.clock.schedule(STOP_TIMEOUT_MS, () => limit.abort());
        try {
          await channel.stop({ signal: limit.signal });
        } catch (error) {
          this.#options.logger.warn("A channel did not stop cleanly", { channel: entry.account.channel, error });
        }
      }),
    );
  }

  async #startEntry(entry: Entry, attempt: number): Promise<void> {
    const { channel: id, accountId } = entry.account;
    if (this.#closing.signal.aborted) return;
    try {
      entry.channel ??= await entry.account.create(this.#host(entry.account));
      await entry.channel.start({ signal: this.#closing.signal });
      entry.failure = undefined;
      this.#options.logger.info("Channel started", { channel: id, accountId });
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      entry.failure = error instanceof Error ? error.message : "it failed for an unknown reason";
      const final = ChannelError.isInstance(error) && error.retry.type === "never";
      this.#options.logger.error("Channel did not start", { channel: id, accountId, error, again: !final });
      if (final) return;
      const delayMs =
        ChannelError.isInstance(error) && error.retry.type === "after"
          ? error.retry.delayMs
          : 1000 + backoffDelay(attempt, { baseMs: 2000, random: this.#options.random });
      entry.retry = this.#options.clock.schedule(delayMs, () => {
        entry.starting = this.#startEntry(entry, attempt + 1);
      });
    }
  }

  #host(account: ChannelAccount): ChannelHost {
    const { clock, random, logger, fetch, receive, readCursor } = this.#options;
    return {
      accountId: account.accountId,
      receive: async (message, options) => {
        if (message.origin.channel !== account.channel || message.origin.accountId !== account.accountId) {
          throw new Error(
            `a message of ${message.origin.channel}:${message.origin.accountId} came from the channel ${account.channel}:${account.accountId}`,
          );
        }
        return receive(message, options?.cursor === undefined ? {} : { cursor: options.cursor });
      },
      cursor: async () => readCursor(account.channel, account.accountId),
      clock,
      random,
      fetch,
      logger: logger.child({ channel: account.channel, accountId: account.accountId }),
    };
  }
}

function entryKey(channel: string, accountId: string): string {
  return JSON.stringify([channel, accountId]);
}
