import type { Card, CardButton, CardInput } from "@factotum/channel-contract";
import { BUTTON_LIMITS } from "../capabilities.ts";
import { actionIdOf, inputBlockId } from "./card-ids.ts";
import { MAX_SECTION_LENGTH, renderMrkdwn, section } from "./render-text.ts";
import type { MessageBody } from "./render-text.ts";

const MAX_BLOCKS = 50;
const MAX_HEADER = 150;
const MAX_FIELD = 2_000;
const FIELDS_PER_SECTION = 10;
const MAX_OPTIONS = 100;
const MAX_OPTION_LABEL = 75;
const MAX_OPTION_VALUE = 150;
const MAX_ID = 255;
const MAX_PLACEHOLDER = 150;

/** A rendered card, or the limit that it exceeds. */
export type RenderedCard = { readonly type: "body"; readonly body: MessageBody } | { readonly type: "over-limit"; readonly limit: string };

/** Renders a card as blocks: a header, sections, inputs, and rows of buttons. */
export function renderCard(card: Card): RenderedCard {
  const limit = exceededLimit(card);
  if (limit !== undefined) return { type: "over-limit", limit };
  const title = card.title?.trim() ?? "";
  const body = renderMrkdwn(card.body, { maxLength: MAX_SECTION_LENGTH });
  const blocks = [
    ...(title === "" ? [] : [titleBlock(title)]),
    ...body.map(section),
    ...fieldBlocks(card.fields ?? []),
    ...(card.inputs ?? []).map(inputBlock),
    ...buttonRows(card.buttons ?? []),
  ];
  if (blocks.length === 0) return { type: "over-limit", limit: "the card is empty" };
  if (blocks.length > MAX_BLOCKS) return { type: "over-limit", limit: `the card has more than ${MAX_BLOCKS} blocks` };
  const text = [...renderMrkdwn(title), ...body].join("\n").slice(0, MAX_SECTION_LENGTH).toWellFormed();
  return { type: "body", body: { text: text === "" ? "\u2026" : text, blocks } };
}

function exceededLimit({ buttons = [], inputs = [] }: Card): string | undefined {
  const { perCard, labelLength, valueBytes } = BUTTON_LIMITS;
  if (buttons.length > perCard) return `the card has more than ${perCard} buttons`;
  for (const { label, value = "", actionId } of buttons) {
    if (label.trim() === "" || label.length > labelLength) return `a button's label has not 1 to ${labelLength} characters`;
    if (Buffer.byteLength(value) > valueBytes) return `a button's value has more than ${valueBytes} bytes`;
    if (actionId.length > MAX_ID - 5) return `a button's id has more than ${MAX_ID - 5} characters`;
  }
  for (const input of inputs) {
    if (input.id === "" || input.id.length > MAX_ID - 5) return `an input's id has not 1 to ${MAX_ID - 5} characters`;
    if (input.label.trim() === "" || input.label.length > MAX_FIELD) return `an input's label has not 1 to ${MAX_FIELD} characters`;
    if (input.type === "text") continue;
    if (input.options.length === 0 || input.options.length > MAX_OPTIONS) return `a choice has not 1 to ${MAX_OPTIONS} options`;
    if (input.options.some(({ label, value }) => label.trim() === "" || label.length > MAX_OPTION_LABEL || value.length > MAX_OPTION_VALUE))
      return `an option is longer than ${MAX_OPTION_LABEL} characters, or its value than ${MAX_OPTION_VALUE}`;
  }
  return undefined;
}

function titleBlock(title: string): object {
  if (title.length <= MAX_HEADER) return { type: "header", text: plain(title) };
  return section(renderMrkdwn(`**${title}**`, { maxLength: MAX_SECTION_LENGTH })[0] ?? "");
}

/** Short fields in two columns; a longer one as text of its own. */
function fieldBlocks(fields: NonNullable<Card["fields"]>): object[] {
  const blocks: object[] = [];
  let columns: object[] = [];
  const flush = (): void => {
    if (columns.length > 0) blocks.push({ type: "section", fields: columns });
    columns = [];
  };
  for (const { label, value } of fields) {
    const [text = "", ...more] = renderMrkdwn(`**${label}**\n${value}`, { maxLength: MAX_SECTION_LENGTH });
    if (more.length > 0 || text.length > MAX_FIELD) {
      flush();
      blocks.push(...[text, ...more].map(section));
    } else if (text !== "") {
      columns.push({ type: "mrkdwn", text });
      if (columns.length === FIELDS_PER_SECTION) flush();
    }
  }
  flush();
  return blocks;
}

function inputBlock(input: CardInput, index: number): object {
  return {
    type: "input",
    block_id: inputBlockId(input.id, index),
    optional: true,
    label: plain(input.label),
    element: inputElement(input),
  };
}

function inputElement(input: CardInput): object {
  if (input.type === "text")
    return {
      type: "plain_text_input",
      action_id: "value",
      multiline: input.multiline === true,
      ...(input.placeholder ? { placeholder: plain(input.placeholder.slice(0, MAX_PLACEHOLDER).toWellFormed()) } : {}),
      ...(input.initial ? { initial_value: input.initial } : {}),
    };
  return {
    type: input.multiple === true ? "multi_static_select" : "static_select",
    action_id: "value",
    options: input.options.map(({ value, label }) => ({ text: plain(label), value })),
  };
}

function buttonRows(buttons: readonly CardButton[]): object[] {
  const rows: object[] = [];
  for (let start = 0; start < buttons.length; start += BUTTON_LIMITS.perRow) {
    const row = buttons.slice(start, start + BUTTON_LIMITS.perRow);
    rows.push({ type: "actions", elements: row.map((button, index) => buttonElement(button, start + index)) });
  }
  return rows;
}

function buttonElement({ actionId, label, value, style }: CardButton, index: number): object {
  return {
    type: "button",
    action_id: actionIdOf(actionId, index),
    text: plain(label),
    ...(value !== undefined && value !== "" && { value }),
    ...(style !== "default" && { style }),
  };
}

function plain(text: string): object {
  return { type: "plain_text", text, emoji: true };
}
