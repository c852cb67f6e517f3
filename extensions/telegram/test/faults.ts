import type { DeliveryFault, SendFault } from "@factotum/channel-conformance";
import type { TelegramFault, TelegramUpdate } from "@factotum/testing-channels";

/** True if the request has the secret of another bot. */
export function isForeign(fault: DeliveryFault | undefined): boolean {
  return fault === "signature-wrong" || fault === "other-account";
}

/** The update as the fault changes it. */
export function withFault(update: TelegramUpdate, fault: DeliveryFault | undefined): TelegramUpdate {
  return fault === "unknown-kind" ? { update_id: update.update_id, something_new: { odd: true } } : update;
}

/** The fault of the fake server. */
export function faultOf(fault: SendFault): TelegramFault {
  switch (fault.type) {
    case "rate-limited":
      return { type: "rate-limit", seconds: fault.delayMs / 1_000 };
    case "server-error":
      return { type: "http", status: 502 };
    case "forbidden":
      return { type: "refuse", code: 403, description: "Forbidden: bot was blocked by the user" };
    case "answer-lost":
      return { type: "accept-then-drop" };
    case "answer-unreadable":
      return { type: "accept-then-garbage" };
    case "held":
      return { type: "hold" };
  }
}
