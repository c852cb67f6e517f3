import type { ChannelHealth, ChannelHost } from "@factotum/channel-contract";

/** A request that a webhook refuses. */
export interface RefusedRequest {
  readonly status: 400 | 401;
  readonly reason: string;
  /** True if the platform signed it, so the setup is wrong; otherwise anyone may have sent it. */
  readonly signed: boolean;
}

/** The health of a webhook. Requests that anyone can send are not a problem: they are a hint until the platform has sent one valid request. */
export interface WebhookHealth {
  /** The platform has proved itself. */
  recordVerified(): void;
  /** Logs a signed request each time, others once until the next verified one. */
  recordRefused(request: RefusedRequest): void;
  /** Sets the current problem; undefined if there is none any more. */
  setTrouble(trouble: string | undefined): void;
  read(): ChannelHealth;
}

/** Creates the health of a webhook without requests. `hint`: what people should check while no verified request has arrived. */
export function createWebhookHealth(host: Pick<ChannelHost, "clock" | "logger">, { hint }: { readonly hint: string }): WebhookHealth {
  let evidenceAtMs: number | undefined;
  let trouble: string | undefined;
  /** Unverified requests since the last verified one. */
  let unproven = 0;
  let unprovenReason = "";

  return {
    recordVerified() {
      evidenceAtMs = host.clock.now();
      unproven = 0;
    },
    recordRefused({ status, reason, signed }) {
      if (signed) trouble = `a request was refused: ${reason}`;
      else {
        unproven += 1;
        unprovenReason = reason;
      }
      if (signed || unproven === 1) host.logger.warn("webhook request refused", { status, reason });
    },
    setTrouble(next) {
      trouble = next;
    },
    read() {
      const missing = `no verified request since the start; ${unproven === 0 ? hint : `${unproven} refused: ${unprovenReason}`}`;
      const detail = trouble ?? (evidenceAtMs === undefined ? missing : undefined);
      return {
        state: trouble !== undefined ? "degraded" : evidenceAtMs === undefined ? "starting" : "connected",
        ...(evidenceAtMs !== undefined && { evidenceAtMs }),
        ...(detail !== undefined && { detail }),
      };
    },
  };
}
