import type { Clock } from "@factotum/agent-contract";
import type { Secret } from "@factotum/config";

/** How long a secret without a value is not read again: requests must not each start the program that gives it. */
const RETRY_MS = 10_000;

interface Read {
  readonly value: Promise<string | undefined>;
  readonly atMs: number;
}

/** The secrets of webhooks, each read at its first request, and again after the configuration has changed. */
export class HookSecrets {
  readonly #read: (secret: Secret) => Promise<string | undefined>;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #known = new WeakMap<Secret, Read>();

  constructor(read: (secret: Secret) => Promise<string | undefined>, clock: Pick<Clock, "monotonic">) {
    this.#read = read;
    this.#clock = clock;
  }

  /** `undefined` without a value. Secrets are told apart by object: each loaded configuration has objects of its own. */
  async valueOf(secret: Secret): Promise<string | undefined> {
    const known = this.#known.get(secret);
    const nowMs = this.#clock.monotonic();
    if (known !== undefined && ((await known.value) !== undefined || nowMs - known.atMs < RETRY_MS)) return known.value;
    const value = this.#read(secret);
    this.#known.set(secret, { value, atMs: nowMs });
    return value;
  }
}
