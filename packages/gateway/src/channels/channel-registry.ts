import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { Channel, ChannelCapabilities, ChannelHost, HostCommands, Origin } from "@factotum/channel-contract";
import type { AccountConfig } from "@factotum/config";
import type { ChannelStatus } from "@factotum/protocol";
import type { AccountStore } from "@factotum/store";
import { createAccountHost } from "./account-host.ts";
import type { MessageIntake } from "./account-host.ts";
import { ChannelSupervisor } from "./channel-supervisor.ts";
import type { ChannelAccount } from "./channel-account.ts";
import { ConversationMoves } from "./conversation-moves.ts";

/** Dependencies of the channel registry. */
export interface ChannelRegistryOptions {
  readonly accounts: readonly ChannelAccount[];
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fetch: typeof fetch;
  readonly fetchPublic: ChannelHost["fetchPublic"];
  readonly commands: HostCommands;
  /** The public address of an account's webhook, if there is one. */
  readonly webhookUrlOf: (account: ChannelAccount) => string | undefined;
  /** Why the platform refuses an account's sends; `undefined` while it does not. */
  readonly problemOf: (account: ChannelAccount) => string | undefined;
  readonly onStarted: (account: ChannelAccount) => void;
}

/** The channels of this gateway, one per account. */
export class ChannelRegistry {
  /** Loaded by `prepare`. */
  readonly moves: ConversationMoves = new ConversationMoves();
  readonly #options: ChannelRegistryOptions;
  readonly #slots = new Map<string, ChannelSupervisor>();
  /** Accounts that were removed from the configuration, while their channels stop. */
  readonly #leaving = new Map<string, Promise<void>>();
  #isStopping = false;
  #intake: MessageIntake | undefined;

  constructor(options: ChannelRegistryOptions) {
    this.#options = options;
    for (const account of options.accounts) this.#add(account);
  }

  /** Sets the receiver of events. Call it once, before `prepare`. */
  deliverTo(intake: MessageIntake): void {
    this.#intake = intake;
  }

  /** Makes the instances, without connecting: from here on addresses have capabilities. A failure is tried again by `start`. */
  async prepare(): Promise<void> {
    for (const move of await this.#options.store.listMoves()) this.moves.add(move);
    await this.#each((slot) => slot.prepare());
  }

  /** Starts every enabled account. Resolves once each has started or failed for the first time; a failed one keeps retrying. */
  async start(): Promise<void> {
    await this.#each((slot) => slot.start());
  }

  /**
   * Applies the accounts of another configuration: new ones start, removed ones stop, changed ones and those with a replaced secret restart. Resolves once that is done or has failed for the
   * first time. Never rejects.
   */
  async apply(accounts: readonly ChannelAccount[]): Promise<void> {
    if (this.#isStopping) return;
    const named = new Map(accounts.map((account) => [entryKey(account), account]));
    const work: Promise<void>[] = [];
    for (const [key, slot] of this.#slots) {
      const account = named.get(key);
      if (account !== undefined) work.push(slot.change(account));
      else {
        this.#slots.delete(key);
        const stopped = slot.stop().finally(() => this.#leaving.delete(key));
        this.#leaving.set(key, stopped);
        work.push(stopped);
      }
    }
    for (const [key, account] of named) if (!this.#slots.has(key)) work.push(this.#begin(key, account));
    await Promise.all(work);
  }

  /** The channel of an address, while it exists. */
  channelFor(origin: Pick<Origin, "channel" | "accountId">): Channel | undefined {
    return this.#slots.get(entryKey(origin))?.channel;
  }

  /** True while the channel of an address has been started. */
  isStarted(origin: Pick<Origin, "channel" | "accountId">): boolean {
    return this.#slots.get(entryKey(origin))?.isStarted === true;
  }

  /** The capabilities of every instance. */
  capabilities(): readonly ChannelCapabilities[] {
    return [...this.#slots.values()].flatMap(({ channel }) => (channel === undefined ? [] : [channel.capabilities]));
  }

  /** The addresses of every instance, each with its capabilities. */
  instances(): readonly (Pick<Origin, "channel" | "accountId"> & { readonly capabilities: ChannelCapabilities })[] {
    return [...this.#slots.values()].flatMap(({ account: { channel, accountId }, channel: instance }) =>
      instance === undefined ? [] : [{ channel, accountId, capabilities: instance.capabilities }],
    );
  }

  /** The accounts of a channel that exist now. */
  accountsOf(channel: string): readonly string[] {
    return [...this.#slots.values()].flatMap(({ account, channel: instance }) =>
      account.channel === channel && instance !== undefined ? [account.accountId] : [],
    );
  }

  accountFor(origin: Pick<Origin, "channel" | "accountId">): AccountConfig | undefined {
    return this.#slots.get(entryKey(origin))?.account.config;
  }

  /** Starts an account again with a new instance; a no-op for an unknown one, and once the gateway stops. */
  async restart(account: Pick<Origin, "channel" | "accountId">): Promise<void> {
    if (this.#isStopping) return;
    await this.#slots.get(entryKey(account))?.restart();
  }

  /** An instance of an account that is never started; `undefined` for an unknown account. Rejects if it cannot be created. */
  async createInstance(account: Pick<Origin, "channel" | "accountId">): Promise<Channel | undefined> {
    return this.#slots.get(entryKey(account))?.createInstance();
  }

  /** True if a secret of the account was replaced since its channel was created. */
  async hasOldSecret(account: Pick<Origin, "channel" | "accountId">): Promise<boolean> {
    return (await this.#slots.get(entryKey(account))?.hasOldSecret()) ?? false;
  }

  status(): readonly ChannelStatus[] {
    return [...this.#slots.values()].map((slot) => slot.status(this.#options.problemOf(slot.account)));
  }

  /** The platform accepts the account again: retries a failed start now. */
  retryStart(account: Pick<Origin, "channel" | "accountId">): void {
    this.#slots.get(entryKey(account))?.retryStart();
  }

  /** Stops every channel and waits, for a bounded time. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([this.#each((slot) => slot.stop()), ...this.#leaving.values()]);
  }

  /** An account that is configured again waits until its previous channel has stopped. */
  async #begin(key: string, account: ChannelAccount): Promise<void> {
    const slot = this.#add(account);
    await this.#leaving.get(key);
    await slot.start();
  }

  #add(account: ChannelAccount): ChannelSupervisor {
    const { clock, random, logger, onStarted, webhookUrlOf } = this.#options;
    const slot = new ChannelSupervisor(account, { clock, random, logger, onStarted, webhookUrlOf, host: (of) => this.#host(of) });
    this.#slots.set(entryKey(account), slot);
    return slot;
  }

  async #each(work: (slot: ChannelSupervisor) => Promise<void>): Promise<void> {
    await Promise.all([...this.#slots.values()].map(work));
  }

  /** The receiver of an account's events, which notes that one was stored. */
  #intakeOf(account: ChannelAccount): MessageIntake | undefined {
    const intake = this.#intake;
    if (intake === undefined) return undefined;
    return {
      acceptEvent: async (message, options) => {
        const accepted = await intake.acceptEvent(message, options);
        this.#slots.get(entryKey(account))?.received();
        return accepted;
      },
      admits: (message) => intake.admits(message),
    };
  }

  #host(account: ChannelAccount): ChannelHost {
    const { clock, random, logger, fetch, fetchPublic, store, commands, webhookUrlOf } = this.#options;
    const webhookUrl = webhookUrlOf(account);
    const capabilities = (): ChannelCapabilities | undefined => this.channelFor(account)?.capabilities;
    const intake = (): MessageIntake | undefined => this.#intakeOf(account);
    return createAccountHost(account, { clock, random, logger, fetch, fetchPublic, store, commands, webhookUrl, intake, capabilities });
  }
}

function entryKey({ channel, accountId }: Pick<Origin, "channel" | "accountId">): string {
  return JSON.stringify([channel, accountId]);
}
