import { EventEmitter } from "node:events";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { ChannelErrorCode, Origin, SendReceipt } from "@factotum/channel-contract";
import { backoffDelay } from "@factotum/channel-kit";
import { rejectionReason } from "@factotum/store";
import { isAccountWide } from "./retry-policy.ts";
import { wait } from "./wait.ts";

/** Identifies an account. */
export type AccountAddress = Pick<Origin, "channel" | "accountId">;

/** Dependencies of the account gates. */
export interface AccountGatesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Events of the account gates. */
interface AccountGateEvents {
  /** The platform accepted a message of the account: the first in this process, or the first after a failure of account or connection. */
  readonly "account-works": [account: AccountAddress];
}

/** Options of a wait. */
export interface EnterOptions {
  /** Maximum milliseconds to wait. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Called at the start of each wait. */
  readonly onWait: (reason: string, nextTryInMs: number) => void;
}

/** Permission for one send attempt. Dispose it when the attempt is over, whatever its result. */
export interface SendPermit extends Disposable {
  report(receipt: SendReceipt): void;
}

/** A send that the platform rejected. */
export type Rejection = Extract<SendReceipt, { type: "rejected" }>;

interface Block {
  readonly refusal: Rejection;
  readonly attempts: number;
  /** Monotonic time. */
  readonly nextTryMs: number;
  isProbing: boolean;
  /** Fires when this block is replaced, when its probe is over, and when the account works again. */
  readonly changed: AbortController;
}

/** Errors that concern one message or conversation: the platform has accepted the account's credential. */
const PROVES_CREDENTIAL: ReadonlySet<ChannelErrorCode> = new Set(["forbidden", "not-found", "too-long", "rejected"]);

/**
 * Holds the messages of accounts whose credential the platform rejects, like a circuit breaker: one of the waiting messages is sent as a probe, with backoff,
 * until the platform accepts it; then all are sent.
 */
export class AccountGates {
  readonly events: EventEmitter<AccountGateEvents> = new EventEmitter();
  readonly #options: AccountGatesOptions;
  readonly #blocks = new Map<string, Block>();
  /** Accounts whose last send was accepted. */
  readonly #working = new Set<string>();

  constructor(options: AccountGatesOptions) {
    this.#options = options;
  }

  /** Why the platform rejects the account; `undefined` if it does not. */
  problemOf(account: AccountAddress): string | undefined {
    const refusal = this.refusalOf(account);
    return refusal === undefined ? undefined : rejectionReason(refusal);
  }

  /** The rejection that blocks the account: the receipt of rows that are not sent because of it. */
  refusalOf(account: AccountAddress): Rejection | undefined {
    return this.#blocks.get(accountKey(account))?.refusal;
  }

  /** True from an accepted message until the next failure of account or connection. */
  isWorking(account: AccountAddress): boolean {
    return this.#working.has(accountKey(account));
  }

  /** Resolves with the permit for one attempt, or with `undefined` when the limit or the signal ends the wait. */
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

  /** Call this when the account may work again: its credential was changed, or its channel has started. */
  retryNow(account: AccountAddress): void {
    const block = this.#blocks.get(accountKey(account));
    if (block !== undefined)
      this.#replace(account, block, { refusal: block.refusal, attempts: 0, nextTryMs: this.#options.clock.monotonic() });
  }

  #permit(account: AccountAddress, probe: Block | undefined): SendPermit {
    return {
      report: (receipt) => this.#report(account, receipt, probe),
      [Symbol.dispose]: () => {
        // An attempt without a result passes the probe to the next row.
        if (probe?.isProbing === true && this.#blocks.get(accountKey(account)) === probe) this.#replace(account, probe, probe);
      },
    };
  }

  #report(account: AccountAddress, receipt: SendReceipt, probe: Block | undefined): void {
    const key = accountKey(account);
    const block = this.#blocks.get(key);
    if (receipt.type === "rejected" && isAccountWide(receipt)) {
      this.#working.delete(key);
      // A message sent before the account was blocked brings no new information.
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
