import { isDeepStrictEqual } from "node:util";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import { ChannelError } from "@factotum/channel-contract";
import type { Channel, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { backoffDelay, failureLine } from "@factotum/channel-kit";
import type { ChannelStatus } from "@factotum/protocol";
import { AccountEvidence } from "./account-evidence.ts";
import type { ChannelAccount } from "./channel-account.ts";

/** The dependencies of a supervisor. */
export interface ChannelSupervisorOptions {
  readonly host: (account: ChannelAccount) => ChannelHost;
  readonly webhookUrlOf: (account: ChannelAccount) => string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly onStarted: (account: ChannelAccount) => void;
}

/** How long a channel may take to stop before it is abandoned. */
const STOP_TIMEOUT_MS = 10_000;

/** One configured account: creates its channel, starts it, retries with backoff, stops it, and creates it again if its settings change. One operation at a time. */
export class ChannelSupervisor {
  readonly #options: ChannelSupervisorOptions;
  #account: ChannelAccount;
  #channel: Channel | undefined;
  /** That of the files that the current channel was created with. */
  #secretsDigest: string | undefined;
  /** The address that the current channel was created with. */
  #webhookUrl: string | undefined;
  /** It has been stopped, and handles the address until the next one is created: sends to it are refused as retryable. */
  #isStopped = false;
  #isStarted = false;
  #failure: string | undefined;
  #retry: Disposable | undefined;
  /** Fires when the current channel must stop. */
  #leaving = new AbortController();
  #work: Promise<void> = Promise.resolve();
  readonly #evidence = new AccountEvidence();

  constructor(account: ChannelAccount, options: ChannelSupervisorOptions) {
    this.#account = account;
    this.#options = options;
  }

  /** A message of the account was stored. */
  received(): void {
    this.#evidence.received(this.#options.clock.now());
  }

  get account(): ChannelAccount {
    return this.#account;
  }

  get channel(): Channel | undefined {
    return this.#channel;
  }

  /** True while its current channel has been started. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Creates the instance without connecting. Never rejects; `start` tries again. */
  async prepare(): Promise<void> {
    if (!this.#account.config.enabled) return;
    try {
      this.#channel = await this.#create();
    } catch (error) {
      this.#failure = failureLine(error);
    }
  }

  /** Resolves once the channel has started or failed for the first time; then it keeps retrying. Never rejects. */
  async start(): Promise<void> {
    return this.#then(async () => this.#start(0));
  }

  /**
   * Applies the account's current settings. The access policy is read for every message; only the platform's own keys, the files with its secrets, whether the
   * account is enabled, and the address of a webhook require another channel. The old one has stopped before the new one starts. Never rejects.
   */
  async change(account: ChannelAccount): Promise<void> {
    const before = this.#account.config;
    this.#account = account;
    const { enabled, settings } = account.config;
    if (before.enabled === enabled && isDeepStrictEqual(before.settings, settings) && !this.#isMoved()) {
      const { signal } = this.#leaving;
      // What makes it leave meanwhile stops it for good, or creates it with the new secret.
      if (!(await this.#hasOtherSecret()) || signal.aborted) return;
    }
    this.#leave();
    return this.#then(async () => {
      await this.#stop();
      if (!this.#account.config.enabled) this.#channel = undefined;
      this.#leaving = new AbortController();
      this.#failure = undefined;
      await this.#start(0);
    });
  }

  /** Stops the channel and starts a new instance: its login has changed. Never rejects. */
  async restart(): Promise<void> {
    this.#leave();
    return this.#then(async () => {
      await this.#stop();
      this.#leaving = new AbortController();
      this.#failure = undefined;
      await this.#start(0);
    });
  }

  /** An instance in addition to the running one, which is never started. Rejects if it cannot be created. */
  async createInstance(): Promise<Channel> {
    return this.#account.create(this.#options.host(this.#account));
  }

  /** True if the secrets on disk are not those that the channel was created with. */
  async hasOldSecret(): Promise<boolean> {
    if (this.#channel === undefined || this.#isStopped) return false;
    return this.#hasOtherSecret();
  }

  /** Stops the channel and waits, for a bounded time. Never rejects. */
  async stop(): Promise<void> {
    this.#leave();
    return this.#then(async () => this.#stop());
  }

  /** Retries a failed start now. */
  retryStart(): void {
    if (this.#retry === undefined) return;
    this.#retry[Symbol.dispose]();
    this.#retry = undefined;
    void this.#then(async () => this.#start(0));
  }

  /** `problem`: why the platform refuses the account's sends. */
  status(problem?: string): ChannelStatus {
    return this.#evidence.addTo(this.#current(problem), this.#options.clock.now());
  }

  #current(problem?: string): ChannelStatus {
    const { channel, accountId, config } = this.#account;
    const inbound = this.#channel?.capabilities.inbound;
    const base = {
      channel,
      accountId,
      ...(inbound === undefined ? {} : { inbound: { delivery: inbound.delivery, transport: inbound.transport } }),
    };
    if (!config.enabled) return { ...base, state: "disabled" };
    if (this.#failure !== undefined) return { ...base, state: "failed", detail: this.#failure };
    const health = this.#health();
    // Evidence of the inbound path proves nothing about sends.
    if (problem !== undefined && (health.state === "connected" || health.state === "starting" || health.state === "degraded"))
      return { ...base, state: "degraded", detail: `messages cannot be sent: ${problem}` };
    return {
      ...base,
      state: health.state,
      ...withoutUndefined({
        detail: health.detail === undefined ? undefined : failureLine(health.detail),
        evidenceAtMs: health.evidenceAtMs,
      }),
    };
  }

  /** Code of a package: a throw must not take the status of the others with it (R12). */
  #health(): ChannelHealth {
    try {
      return this.#channel?.health() ?? { state: "starting" };
    } catch (error) {
      return { state: "degraded", detail: `its health cannot be read: ${error instanceof Error ? error.message : "unknown failure"}` };
    }
  }

  async #then(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work);
    return this.#work;
  }

  async #create(): Promise<Channel> {
    const { host, webhookUrlOf } = this.#options;
    this.#webhookUrl = webhookUrlOf(this.#account);
    // Before they are read: a file that is replaced in between counts as changed.
    this.#secretsDigest = await this.#account.secretsDigest?.();
    return this.#account.create(host(this.#account));
  }

  /** Also of a channel that could not be created. */
  async #hasOtherSecret(): Promise<boolean> {
    const before = this.#secretsDigest;
    return before !== undefined && (await this.#account.secretsDigest?.()) !== before;
  }

  #isMoved(): boolean {
    const isWebhook = this.#channel?.capabilities.inbound.transport === "webhook";
    return isWebhook && this.#options.webhookUrlOf(this.#account) !== this.#webhookUrl;
  }

  #leave(): void {
    this.#leaving.abort();
    this.#retry?.[Symbol.dispose]();
    this.#retry = undefined;
  }

  async #start(attempt: number): Promise<void> {
    const { channel: id, accountId, config } = this.#account;
    const { signal } = this.#leaving;
    this.#retry = undefined;
    if (signal.aborted || !config.enabled) return;
    const { logger, clock, random } = this.#options;
    try {
      const channel = this.#isStopped ? undefined : this.#channel;
      const started = channel ?? (await this.#create());
      this.#channel = started;
      this.#isStopped = false;
      await started.start({ signal });
      this.#isStarted = true;
      this.#failure = undefined;
      logger.info("Channel started", { channel: id, accountId });
      this.#options.onStarted(this.#account);
    } catch (error) {
      if (signal.aborted) return;
      this.#failure = failureLine(error);
      // A credential can become valid again on the platform: the app is enabled again, or the old secret restored.
      const isUnauthorized = ChannelError.isInstance(error) && error.code === "unauthorized";
      const final = ChannelError.isInstance(error) && error.retry.type === "never" && !isUnauthorized;
      logger.error("Channel did not start", { channel: id, accountId, error, again: !final });
      if (final) return;
      const delayMs =
        ChannelError.isInstance(error) && error.retry.type === "after"
          ? error.retry.delayMs
          : isUnauthorized
            ? 60_000 + backoffDelay(attempt, { baseMs: 60_000, maxMs: 840_000, random })
            : 1000 + backoffDelay(attempt, { baseMs: 2000, random });
      this.#retry = clock.schedule(delayMs, () => void this.#then(async () => this.#start(attempt + 1)));
    }
  }

  async #stop(): Promise<void> {
    const channel = this.#channel;
    if (channel === undefined || this.#isStopped) return;
    this.#isStopped = true;
    this.#isStarted = false;
    const limit = new AbortController();
    using _timer = this.#options.clock.schedule(STOP_TIMEOUT_MS, () => limit.abort());
    try {
      await channel.stop({ signal: limit.signal });
    } catch (error) {
      this.#options.logger.warn("A channel did not stop cleanly", { channel: this.#account.channel, error });
    }
  }
}
