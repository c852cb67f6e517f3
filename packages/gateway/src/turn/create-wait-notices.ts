import { isSuppressed } from "../delivery/is-suppressed.ts";
import { WaitNotices } from "../delivery/wait-notices.ts";
import type { WaitNoticesOptions } from "../delivery/wait-notices.ts";
import { sendNotice } from "./send-notice.ts";
import type { TurnServices } from "./turn-services.ts";

/** The notices of messages that wait, each sent to the chat of its message. */
export function createWaitNotices(services: TurnServices, reasonFor: WaitNoticesOptions["reasonFor"]): WaitNotices {
  const { clock, logger, store, typing } = services;
  return new WaitNotices({
    reasonFor,
    showTyping: (sessionKey, target) => typing.begin(sessionKey, target),
    send: async (sessionKey, inputId, text) => {
      const input = await store.readInput(inputId);
      if (input === undefined) return;
      const { message } = input;
      const suppressed = await isSuppressed({ sessionKey, origin: message.origin }, services);
      // Its turn may have begun meanwhile.
      if (reasonFor(sessionKey, message.origin) === undefined) return;
      await sendNotice(services, sessionKey, message, { about: "wait", text, isEntry: false, suppressed });
    },
    clock,
    logger,
  });
}
