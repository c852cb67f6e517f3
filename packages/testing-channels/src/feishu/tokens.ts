import { randomBytes } from "node:crypto";
import type { FakeFeishuApp } from "./app.ts";

/** Tenant access tokens: one at a time, valid until it expires or is revoked. */
export class TenantTokens {
  issued = 0;
  readonly #app: FakeFeishuApp;
  #current: { value: string; expiresAtMs: number } | undefined;

  constructor(app: FakeFeishuApp) {
    this.#app = app;
  }

  issue(): { value: string; expireSeconds: number } {
    const expireSeconds = this.#app.tokenLifetimeSeconds;
    // Like the platform: a token with more than half an hour left is issued again.
    if (this.#current === undefined || this.#current.expiresAtMs - this.#app.now() < 30 * 60_000) {
      this.#current = { value: `t-${randomBytes(12).toString("hex")}`, expiresAtMs: this.#app.now() + expireSeconds * 1_000 };
    }
    this.issued += 1;
    return { value: this.#current.value, expireSeconds: Math.floor((this.#current.expiresAtMs - this.#app.now()) / 1_000) };
  }

  accepts(authorization: string): boolean {
    return this.#current !== undefined && authorization === `Bearer ${this.#current.value}` && this.#app.now() < this.#current.expiresAtMs;
  }

  revoke(): void {
    this.#current = undefined;
  }
}
