import { EventEmitter } from "node:events";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { ChannelErrorCode, Origin, SendReceipt } from "@factotum/channel-contract";
import { backoffDelay } from "@factotum/channel-kit";
import { rejectionReason } from "@factotum/store";
import { isAccountWide } from "./retry-policy.ts";
import { wait } from "./wait.ts";

/** What names an account. */
export type AccountAddress = Pick<Origin, "channel" | "accountId">;

/** What the gates work with. */
export interface AccountGatesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What the gates tell. */
interface AccountGateEvents {
  /** The platform took a message of the account: the first one of this process, or the first one after a failure of account or connection. */
  readonly "account-works": [account: AccountAddress];
}

/** How a row waits. */
export interface EnterOptions {
  /** How long the row may wait. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Called each time that it begins to wait. */
  readonly onWait: (reason: string, nextTryInMs: number) => void;
}

/** Leave to make one try. Dispose it when the try is over, whatever came of it. */
export interface SendPermit extends Disposable {
  report(receipt: SendReceipt): void;
}

/** A send that the platform refused. */
export type Rejection = Extract<SendReceipt, { type: "rejected" }>;

interface Block {
  readonly refusal: Rejection;
  readonly attempts: number;
  /** On the monotonic clock. */
  readonly nextTryMs: number;
  isProbing: boolean;
  /** Fires when another block takes the place of this one, when its probe is over, and when the account works. */
  readonly changed: AbortController;
}

/** Refusals of one message or conversation: the platform has accepted the account's credential. */
const PROVES_CREDENTIAL: ReadonlySet<ChannelErrorCode> = new Set(["forbidden", "not-found", "too-long", "rejected"]);

/**
 * Holds the messages of accounts whose credential the platform refuses. Of all that wait one is sent as a probe, with backoff, until the platform takes it;
 * then everything goes on.
 */
export class AccountGates {
  readonly events: EventEmitter<AccountGateEvents> = new EventEmitter();
  readonly #options: AccountGatesOptions;
  readonly #blocks = new Map<string, Block>();
  /** Accounts of which the last thing known is that a message was taken. */
  readonly #working = new Set<string>();

  constructor(options: AccountGatesOptions) {
    this.#options = options;
  }

  /** Why the platform refuses the account; `undefined` while nothing is known against it. */
  problemOf(account: AccountAddress): string | undefined {
    const refusal = this.refusalOf(account);
    return refusal === undefined ? undefined : rejectionReason(refusal);
  }

  /** The refusal for which the account is blocked: the receipt of a row that is not sent because of it. */
  refusalOf(account: AccountAddress): Rejection | undefined {
    return this.#blocks.get(accountKey(account))?.refusal;
  }

  /** True from a message that was taken until the next failure of account or connection. */
  isWorking(account: AccountAddress): boolean {
    return this.#working.has(accountKey(account));
  }

  /** Resolves with the permit for one try; with `undefined` when the limit or the signal ends the wait. */
  async enter(account: AccountAddress, { limitMs, signal, onWait }: EnterOptions): Promise<SendPermit | undefined> {
    const { clock } = this.#options;
    const key = accountKey(account);
    const endMs = clock.monotonic() + limitMs;
    for (let block = this.#blocks.get(key); block !== undefined; block = this.#blocks.get(key)) {
      const nowMs = clock.monotonic();
      if (signal.aborted || nowMs >= endMs) return undefined;
      if (!block.isProbing && nowMs >= block.nextTryMs) {
        block.isProbing = true;
        return this.#permit(account, block);
      }
      onWait(rejectionReason(block.refusal), Math.max(0, block.nextTryMs - nowMs));
      const untilMs = block.isProbing ? endMs : Math.min(endMs, block.nextTryMs);
      await wait(untilMs - nowMs, { clock, signal: AbortSignal.any([signal, block.changed.signal]) });
    }
    return this.#permit(account, undefined);
  }

  /** The account may work again: its credential was changed, or its channel has started. */
  retryNow(account: AccountAddress): void {
    const block = this.#blocks.get(accountKey(account));
    if (block !== undefined)
      this.#replace(account, block, { refusal: block.refusal, attempts: 0, nextTryMs: this.#options.clock.monotonic() });
  }

  #permit(account: AccountAddress, probe: Block | undefined): SendPermit {
    return {
      report: (receipt) => this.#report(account, receipt, probe),
      [Symbol.dispose]: () => {
        // A try that came to nothing leaves the probe to the next row.
        if (probe?.isProbing === true && this.#blocks.get(accountKey(account)) === probe) this.#replace(account, probe, probe);
      },
    };
  }

  #report(account: AccountAddress, receipt: SendReceipt, probe: Block | undefined): void {
    const key = accountKey(account);
    const block = this.#blocks.get(key);
    if (receipt.type === "rejected" && isAccountWide(receipt)) {
      this.#working.delete(key);
      // What left before the account was known to be refused says nothing new.
      if (block !== undefined && block !== probe) return;
      const attempts = probe === undefined ? 0 : probe.attempts + 1;
      if (block === undefined)
        this.#options.logger.error("The platform refuses an account; its messages wait", { ...account, reason: rejectionReason(receipt) });
      this.#replace(account, block, { refusal: receipt, attempts, nextTryMs: this.#nextTryMs(attempts) });
      return;
    }
    if (receipt.type === "accepted" || (receipt.type === "rejected" && PROVES_CREDENTIAL.has(receipt.code))) {
      if (this.#blocks.delete(key)) this.#options.logger.info("The platform accepts an account again", { ...account });
      block?.changed.abort();
    } else if (block !== undefined && block === probe) {
      this.#replace(account, block, { ...block, nextTryMs: this.#nextTryMs(block.attempts) });
    }
    if (receipt.type === "rejected" && receipt.code === "unreachable") this.#working.delete(key);
    if (receipt.type !== "accepted" || this.#working.has(key)) return;
    this.#working.add(key);
    this.events.emit("account-works", account);
  }

  #nextTryMs(attempts: number): number {
    const { clock, random } = this.#options;
    return clock.monotonic() + 500 + backoffDelay(attempts, { baseMs: 1_000, maxMs: 300_000, random });
  }

  #replace(account: AccountAddress, old: Block | undefined, next: Pick<Block, "refusal" | "attempts" | "nextTryMs">): void {
    const { refusal, attempts, nextTryMs } = next;
    this.#blocks.set(accountKey(account), { refusal, attempts, nextTryMs, isProbing: false, changed: new AbortController() });
    old?.changed.abort();
  }
}

function accountKey({ channel, accountId }: AccountAddress): string {
  return JSON.stringify([channel, accountId]);
}
