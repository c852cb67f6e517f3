import type { Card, CardButton, CardInput, Conversation } from "@factotum/channel-contract";
import { buttonValue } from "../card-value.ts";
import { renderMarkdown } from "./render-text.ts";

/** A card of schema 2.0, as the platform accepts it. */
export type CardJson = Readonly<Record<string, unknown>>;

/** Names inside a form must be unique in the card; the prefix keeps inputs apart from buttons and the form itself. */
const INPUT_PREFIX = "in_";

const MAX_PLACEHOLDER_LENGTH = 100;

/**
 * Renders a card. Its buttons contain the conversation, since a press names only chat and message. Inputs become a form that every button submits, because a
 * form needs a submitting button.
 */
export function renderCard(card: Card, conversation: Conversation): CardJson {
  const { title = "", inputs = [], buttons = [] } = card;
  const content = [...bodyOf(card), ...fieldsOf(card)];
  const row = buttons.length === 0 ? [] : [buttonRow(buttons, { conversation, isForm: inputs.length > 0 })];
  const elements =
    inputs.length === 0
      ? [...content, ...row]
      : [...content, { tag: "form", name: "form", elements: [...inputs.flatMap(inputElements), ...row] }];
  return {
    schema: "2.0",
    // Without it the platform refuses to change the card later.
    config: { update_multi: true },
    ...(title.trim() !== "" && { header: { title: plain(title) } }),
    body: { elements },
  };
}

/** The id of an input by its name in a form. */
export function inputIdOf(name: string): string | undefined {
  return name.startsWith(INPUT_PREFIX) ? name.slice(INPUT_PREFIX.length) : undefined;
}

function bodyOf({ body }: Card): CardJson[] {
  return body.trim() === "" ? [] : [{ tag: "markdown", content: renderMarkdown(body) }];
}

function fieldsOf({ fields = [] }: Card): CardJson[] {
  if (fields.length === 0) return [];
  const lines = fields.map(({ label, value }) => `**${literal(label)}** ${literal(value)}`);
  return [{ tag: "markdown", content: lines.join("\n") }];
}

function inputElements(input: CardInput): CardJson[] {
  const common = { name: `${INPUT_PREFIX}${input.id}`, required: false, width: "fill" };
  if (input.type === "text") {
    const { label, multiline, placeholder, initial } = input;
    return [
      {
        tag: "input",
        ...common,
        label: plain(label),
        ...(multiline === true && { input_type: "multiline_text", rows: 3, auto_resize: true }),
        ...(placeholder !== undefined && { placeholder: plain(placeholder.slice(0, MAX_PLACEHOLDER_LENGTH).toWellFormed()) }),
        ...(initial !== undefined && { default_value: initial }),
      },
    ];
  }
  const options = input.options.map(({ value, label }) => ({ text: plain(label), value }));
  // A menu has no label of its own.
  return [
    { tag: "div", text: plain(input.label) },
    { tag: input.multiple === true ? "multi_select_static" : "select_static", ...common, options },
  ];
}

/** The buttons in one row; they wrap on a narrow screen. */
function buttonRow(
  buttons: readonly CardButton[],
  { conversation, isForm }: { readonly conversation: Conversation; readonly isForm: boolean },
): CardJson {
  const columns = buttons.map((button, index) => ({
    tag: "column",
    width: "auto",
    elements: [
      {
        tag: "button",
        text: plain(button.label),
        type: button.style,
        behaviors: [{ type: "callback", value: buttonValue(button, conversation) }],
        ...(isForm && { name: `button_${index}`, form_action_type: "submit" }),
      },
    ],
  }));
  return { tag: "column_set", flex_mode: "flow", horizontal_spacing: "8px", columns };
}

function plain(content: string): CardJson {
  return { tag: "plain_text", content };
}

/** Text that is no markup in a `markdown` element, on one line. */
function literal(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[*_~`#<>&[\]()!|\\$:+=-]/g, (character) => `&#${character.charCodeAt(0)};`);
}
