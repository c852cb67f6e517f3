import { checkCard, elementsOf } from "./card-rules.ts";
import type { Card } from "./card-rules.ts";
import type { MessageStore } from "./message-store.ts";
import { FeishuRefusal } from "./refusal.ts";
import type { Route } from "./route.ts";

interface Entity {
  card: Card;
  sequence: number;
  messageId?: string;
}

/** Cards that are changed by their own id: streamed answers. */
export class CardEntities {
  readonly #entities = new Map<string, Entity>();
  readonly #messages: MessageStore;

  constructor(messages: MessageStore) {
    this.#messages = messages;
  }

  /** The card of a message that names one; any other content as it is. A card can be sent once. */
  resolve(content: unknown): { readonly content: unknown; readonly sentAs?: (messageId: string) => void } {
    const { type, data } = content as { readonly type?: unknown; readonly data?: { readonly card_id?: string } };
    if (type !== "card") return { content };
    const entity = this.#find(data?.card_id ?? "");
    if (entity.messageId !== undefined) throw new FeishuRefusal(230099, "Failed to create card content, ext=the card was sent before");
    return { content: entity.card, sentAs: (messageId) => (entity.messageId = messageId) };
  }

  routes(): Route[] {
    return [
      [
        "POST",
        /^\/open-apis\/cardkit\/v1\/cards$/,
        ({ body }) => {
          const { type, data } = (body ?? {}) as { readonly type?: unknown; readonly data?: unknown };
          if (type !== "card_json" || typeof data !== "string")
            throw new FeishuRefusal(10002, "Your request contains an invalid request parameter.");
          const id = `7355372766134${String(this.#entities.size).padStart(6, "0")}`;
          this.#entities.set(id, { card: checkCard(JSON.parse(data) as Record<string, unknown>), sequence: 0 });
          return { data: { card_id: id } };
        },
      ],
      [
        "PUT",
        /^\/open-apis\/cardkit\/v1\/cards\/([^/]+)\/elements\/([^/]+)\/content$/,
        ({ body }, [id = "", element = ""]) => {
          const entity = this.#operate(id, body);
          if (entity.card.config?.streaming_mode !== true) throw new FeishuRefusal(300309, "Card streaming closed");
          const { content } = body as { readonly content?: unknown };
          if (typeof content !== "string" || content === "")
            throw new FeishuRefusal(10002, "Your request contains an invalid request parameter.");
          if (!elementsOf(entity.card).some((one) => one.element_id === element))
            throw new FeishuRefusal(300313, "Failed to update element properties");
          const elements = entity.card.body.elements.map((one) => (one.element_id === element ? { ...one, content } : one));
          return this.#replace(entity, { ...entity.card, body: { elements } });
        },
      ],
      [
        "PATCH",
        /^\/open-apis\/cardkit\/v1\/cards\/([^/]+)\/settings$/,
        ({ body }, [id = ""]) => {
          const entity = this.#operate(id, body);
          const { config } = JSON.parse(String((body as { readonly settings?: unknown }).settings)) as {
            readonly config: NonNullable<Card["config"]>;
          };
          return this.#replace(entity, { ...entity.card, config: { ...entity.card.config, ...config } });
        },
      ],
    ];
  }

  #replace(entity: Entity, card: Card): { readonly data: object } {
    entity.card = card;
    if (entity.messageId !== undefined) this.#messages.replace(entity.messageId, { content: card });
    return { data: {} };
  }

  #operate(id: string, body: unknown): Entity {
    const entity = this.#find(id);
    const { sequence } = (body ?? {}) as { readonly sequence?: unknown };
    if (!Number.isInteger(sequence) || (sequence as number) <= entity.sequence || (sequence as number) > 2 ** 31 - 1)
      throw new FeishuRefusal(300317, "The sequence number for operating on the card did not increment consecutively");
    entity.sequence = sequence as number;
    return entity;
  }

  #find(id: string): Entity {
    const entity = this.#entities.get(id);
    if (entity === undefined) throw new FeishuRefusal(200740, "The card entity does not exist");
    return entity;
  }
}
