import { FeishuRefusal } from "./refusal.ts";

/** One component of a card. */
export interface CardElement {
  readonly tag: string;
  readonly name?: string;
  readonly content?: string;
  readonly element_id?: string;
  readonly text?: { readonly tag: string; readonly content: string };
  readonly type?: string;
  readonly behaviors?: readonly { readonly type: string; readonly value?: unknown }[];
  readonly form_action_type?: string;
  readonly elements?: readonly CardElement[];
  readonly columns?: readonly CardElement[];
  readonly options?: readonly { readonly text: { readonly content: string }; readonly value: string }[];
}

/** A card of schema 2.0. */
export interface Card {
  readonly schema: "2.0";
  readonly config?: { readonly update_multi?: boolean; readonly streaming_mode?: boolean };
  readonly header?: { readonly title: { readonly content: string } };
  readonly body: { readonly elements: readonly CardElement[] };
}

const INPUTS: ReadonlySet<string> = new Set(["input", "select_static", "multi_select_static"]);
const TAGS: ReadonlySet<string> = new Set(["markdown", "div", "hr", "column_set", "column", "button", "form", ...INPUTS]);
const BUTTON_TYPES: ReadonlySet<string> = new Set(["default", "primary", "danger"]);
const MAX_ELEMENTS = 200;

/** All components of a card, those inside others too. */
export function elementsOf({ body }: Card): CardElement[] {
  const nested = (element: CardElement): CardElement[] => [
    element,
    ...[...(element.elements ?? []), ...(element.columns ?? [])].flatMap((one) => nested(one)),
  ];
  return body.elements.flatMap((element) => nested(element));
}

/** Validates a card. Throws the refusal that the platform would answer. */
export function checkCard(content: Readonly<Record<string, unknown>>): Card {
  const card = content as unknown as Card;
  if (content["schema"] !== "2.0") throw cardRefusal("schema is not 2.0");
  if (!Array.isArray((content["body"] as { elements?: unknown } | undefined)?.elements)) throw cardRefusal("the body has no elements");
  if (card.header !== undefined && typeof card.header.title.content !== "string") throw cardRefusal("the title is empty");
  const elements = elementsOf(card);
  const texts = elements.filter(({ text }) => text !== undefined).length;
  if (elements.length + texts > MAX_ELEMENTS) throw cardRefusal("card element exceeds the limit", 11310);
  for (const element of elements) checkElement(element);
  const forms = card.body.elements.filter(({ tag }) => tag === "form");
  if (elements.filter(({ tag }) => tag === "form").length !== forms.length) throw cardRefusal("a form is only allowed at the root");
  for (const form of forms) checkForm(form);
  const names = elements.flatMap(({ name }) => name ?? []);
  if (new Set(names).size !== names.length) throw cardRefusal("duplicate name");
  return card;
}

function checkElement(element: CardElement): void {
  const { tag, content, text, options } = element;
  if (!TAGS.has(tag)) throw cardRefusal(`unknown tag ${tag}`);
  if (tag === "markdown" && (typeof content !== "string" || content === "")) throw cardRefusal("markdown is empty");
  // An image needs the key of an uploaded file: an address is refused.
  if (tag === "markdown" && /!\[[^\]]*\]\(https?:/.test(content ?? "")) throw cardRefusal("invalid image keys");
  if (tag === "button") {
    if (text?.tag !== "plain_text" || text.content === "" || text.content.length > 100) throw cardRefusal("the text of a button");
    if (!BUTTON_TYPES.has(element.type ?? "default")) throw cardRefusal("the type of a button");
    for (const { type, value } of element.behaviors ?? [])
      if (type === "callback" && (typeof value !== "object" || value === null)) throw cardRefusal("the value of a callback is no object");
  }
  if (options !== undefined && new Set(options.map(({ value }) => value)).size !== options.length) throw cardRefusal("duplicate option");
}

function checkForm(form: CardElement): void {
  const inside = elementsOf({ schema: "2.0", body: { elements: form.elements ?? [] } });
  if (form.name === undefined) throw cardRefusal("a form has no name");
  if (inside.some(({ tag, name }) => (INPUTS.has(tag) || tag === "button") && name === undefined))
    throw cardRefusal("a component of a form has no name");
  if (!inside.some(({ tag, form_action_type: type }) => tag === "button" && type === "submit"))
    throw cardRefusal("a form has no button that submits it");
}

function cardRefusal(detail: string, code = 200621): FeishuRefusal {
  return new FeishuRefusal(230099, `Failed to create card content, ext=ErrCode: ${code}; ErrMsg: ${detail}; `);
}
