import type { Outbound } from "@factotum/channel-contract";
import type { OutboxRecord } from "@factotum/store";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { Rejection } from "./account-gates.ts";

/** What the handlers of `message_sending` leave of a message: the same, one with another text, or a rejection. */
export async function lookedAt(outbound: Outbound, { sessionKey, target }: OutboxRecord, hooks: HookRunner): Promise<Outbound | Rejection> {
  const text = textOf(outbound);
  if (text === undefined || !hooks.has("message_sending")) return outbound;
  const verdict = await hooks.messageSending({ sessionKey, channel: target.channel, conversation: target.conversation.id, text });
  switch (verdict.type) {
    case "send":
      return verdict.text === text ? outbound : withText(outbound, verdict.text);
    case "cancel":
      return { type: "rejected", code: "rejected", retry: { type: "never" }, message: verdict.reason };
    case "failed":
      // Sent once the plugin works again, or is switched off.
      return { type: "rejected", code: "unreachable", retry: { type: "backoff" }, message: verdict.reason };
  }
}

/** The words of a message; `undefined` for one without. */
function textOf(outbound: Outbound): string | undefined {
  switch (outbound.type) {
    case "text":
    case "edit":
    case "stream":
      return outbound.text;
    case "media":
    case "album":
      return outbound.caption;
    case "card":
    case "edit-card":
      return [outbound.card.title ?? "", outbound.card.body].filter((part) => part !== "").join("\n");
    case "poll":
      return [outbound.poll.question, ...outbound.poll.options].join("\n");
    case "delete":
    case "reaction":
    case "typing":
      return undefined;
  }
}

/** A card or a poll whose words are changed becomes a text. */
function withText(outbound: Outbound, text: string): Outbound {
  switch (outbound.type) {
    case "text":
    case "edit":
      return { ...outbound, text };
    case "stream":
      // The platform adds up the steps, which a changed text does not continue: the answer is completed by an edit.
      return outbound.targetId === undefined ? { type: "text", text } : { type: "edit", targetId: outbound.targetId, text };
    case "media":
    case "album":
      return { ...outbound, caption: text };
    case "edit-card":
      return { type: "edit", targetId: outbound.targetId, text };
    case "card":
    case "poll":
      return { type: "text", text };
    case "delete":
    case "reaction":
    case "typing":
      return outbound;
  }
}
