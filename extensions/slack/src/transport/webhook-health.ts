import type { ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import type { VerifiedWebhook } from "./verify-webhook.ts";

/** The health of the webhook. Requests that anyone can send are not a problem: they are a hint until the platform has sent one valid request. */
export class WebhookHealth {
  readonly #host: ChannelHost;
  #evidenceAtMs: number | undefined;
  #trouble: string | undefined;
  /** Unverified requests since the last verified one; reported in one log line. */
  #unproven = 0;
  #unprovenReason = "";

  constructor(host: ChannelHost) {
    this.#host = host;
  }

  /** The platform has proved itself. */
  recordVerified(): void {
    this.#evidenceAtMs = this.#host.clock.now();
    this.#unproven = 0;
  }

  recordRefused({ status, reason, signed }: Extract<VerifiedWebhook, { type: "refused" }>): void {
    if (signed) this.#trouble = `a request was refused: ${reason}`;
    else {
      this.#unproven += 1;
      this.#unprovenReason = reason;
    }
    if (signed || this.#unproven === 1) this.#host.logger.warn("slack webhook refused", { status, reason });
  }

  /** Sets the current problem; undefined if there is none any more. */
  setTrouble(trouble: string | undefined): void {
    this.#trouble = trouble;
  }

  read(): ChannelHealth {
    const evidenceAtMs = this.#evidenceAtMs;
    const hint = this.#unproven === 0 ? "check the Request URL in the app settings" : `${this.#unproven} refused: ${this.#unprovenReason}`;
    const detail = this.#trouble ?? (evidenceAtMs === undefined ? `no verified request yet; ${hint}` : undefined);
    return {
      state: this.#trouble !== undefined ? "degraded" : evidenceAtMs === undefined ? "starting" : "connected",
      ...(evidenceAtMs !== undefined && { evidenceAtMs }),
      ...(detail !== undefined && { detail }),
    };
  }
}
