import { elementsOf } from "./card-rules.ts";
import type { Card, CardElement } from "./card-rules.ts";
import { chatIdOf } from "./app.ts";
import type { FakeFeishuApp } from "./app.ts";
import { envelope } from "./events.ts";
import type { FeishuEnvelope } from "./events.ts";
import { checkContent, invalid } from "./message-rules.ts";
import type { MessageStore, SentMessage } from "./message-store.ts";
import { FeishuRefusal } from "./refusal.ts";
import type { Route } from "./route.ts";

/** Cards for one person, and changes of cards that were sent. */
export function cardRoutes(app: FakeFeishuApp, messages: MessageStore): Route[] {
  return [
    [
      "POST",
      /^\/open-apis\/ephemeral\/v1\/send$/,
      ({ body, bytes }) => {
        const { chat_id: chatId, open_id: openId, msg_type: type, card } = (body ?? {}) as Readonly<Record<string, unknown>>;
        if (typeof chatId !== "string" || typeof openId !== "string" || type !== "interactive")
          throw invalid("chat_id or open_id is empty");
        if (!app.chats.has(chatId) || app.directChats.has(chatId)) throw new FeishuRefusal(230002, "The bot can not be outside the group.");
        if (!app.people.has(openId)) throw new FeishuRefusal(230013, "Bot has NO availability to this user.");
        const { content } = checkContent({ msg_type: "interactive", content: JSON.stringify(card) }, bytes);
        const sent = messages.add({ receiveId: chatId, messageType: "interactive", content, replyInThread: false, onlyFor: openId });
        return { data: { message_id: sent.messageId } };
      },
    ],
    [
      "PATCH",
      /^\/open-apis\/im\/v1\/messages\/([^/]+)$/,
      ({ body, bytes }, [id = ""]) => {
        const { content } = (body ?? {}) as { readonly content?: unknown };
        const checked = checkContent({ msg_type: "interactive", content }, bytes);
        const message = messages.own(id);
        if (message.messageType !== "interactive") throw invalid("This message is NOT a card.");
        for (const card of [message.content, checked.content])
          if ((card as Card).config?.update_multi !== true)
            throw new FeishuRefusal(230099, "Failed to create card content, ext=update_multi");
        messages.replace(id, { content: checked.content });
        return { data: {} };
      },
    ],
  ];
}

/** A press of a button on a card of the bot. */
export interface FeishuPress {
  /** The text on the button. */
  readonly label: string;
  readonly openId?: string;
  /** The values of a form by the names of its components. */
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
  /** The chat of the message; for messages that were sent to a person, whose chat has an id of its own. */
  readonly chatId?: string;
  readonly eventId?: string;
}

/** The callback for a press. Throws if there is no such button, or if one in a form gets values that the form has no components for. */
export function pressEvent(app: FakeFeishuApp, message: SentMessage, press: FeishuPress): FeishuEnvelope {
  if (message.messageType !== "interactive") throw new Error("the message is not a card");
  const card = message.content as Card;
  const button = elementsOf(card).find(({ tag, text }) => tag === "button" && text?.content === press.label);
  if (button === undefined) throw new Error(`the card has no button ${press.label}`);
  const openId = press.openId ?? "ou_alice";
  const action = {
    tag: "button",
    timezone: "Asia/Shanghai",
    value: button.behaviors?.find(({ type }) => type === "callback")?.value,
    ...(button.form_action_type === "submit" && { name: button.name, form_value: formValue(card, button, press.form ?? {}) }),
  };
  const payload = envelope(app, {
    eventType: "card.action.trigger",
    ...(press.eventId !== undefined && { eventId: press.eventId }),
    event: {
      operator: { tenant_key: app.tenantKey, open_id: openId, union_id: openId.replace(/^ou_/, "on_") },
      token: "c-0000000000000000000000000000000000000000",
      action,
      host: "im_message",
      context: { open_message_id: message.messageId, open_chat_id: press.chatId ?? chatIdOf(message.receiveId) },
    },
  });
  // Callbacks have microseconds where events have milliseconds.
  return { ...payload, header: { ...payload.header, create_time: `${payload.header.create_time}000` } };
}

function formValue(card: Card, button: CardElement, given: NonNullable<FeishuPress["form"]>): NonNullable<FeishuPress["form"]> {
  const form = card.body.elements.find((element) => elementsOf({ ...card, body: { elements: [element] } }).includes(button));
  const names = new Set(elementsOf({ ...card, body: { elements: form?.elements ?? [] } }).flatMap(({ name }) => name ?? []));
  for (const name of Object.keys(given)) if (!names.has(name)) throw new Error(`the form has no component ${name}`);
  return given;
}
