import type { Card, CardButton } from "@factotum/channel-contract";
import { flattenMarkdown } from "@factotum/channel-kit";
import type { Piece } from "@factotum/channel-kit";
import { BUTTON_LIMITS, MAX_CHOICES, MAX_INPUTS } from "../capabilities.ts";
import { renderText } from "./render-text.ts";

/** A card as the platform shows it, or the limit that it exceeds. */
export type RenderedCard = { readonly type: "text"; readonly text: string } | { readonly type: "over-limit"; readonly limit: string };

const ACTION_ROW = 1;
const BUTTON = 2;
const STYLES = { primary: 1, default: 2, danger: 4 } as const;

const EXIT: Piece = { type: "exit" };
const NEXT_PARAGRAPH: Piece = { type: "break", kind: "paragraph" };
const NEXT_LINE: Piece = { type: "break", kind: "line" };

/** Renders a card as the text of one message: title, body and fields, one below the other. People can hide embeds, and would not see a question there. */
export function renderCard(card: Card): RenderedCard {
  const limit = limitOf(card);
  if (limit !== undefined) return { type: "over-limit", limit };
  const { title = "", body, fields = [] } = card;
  const rows = fields.flatMap(({ label, value }, index): Piece[] => [
    ...(index === 0 ? [] : [NEXT_LINE]),
    ...strong(`${label}:`),
    { type: "text", text: ` ${value}` },
  ]);
  const blocks: readonly (readonly Piece[])[] = [
    title.trim() === "" ? [] : paragraph(strong(title)),
    flattenMarkdown(body, { tables: "code" }),
    rows.length === 0 ? [] : paragraph(rows),
  ];
  const pieces = blocks.filter(({ length }) => length > 0).flatMap((block, index) => (index === 0 ? block : [NEXT_PARAGRAPH, ...block]));
  const [text, ...more] = renderText(pieces).messages;
  if (more.length > 0) return { type: "over-limit", limit: "the card does not fit into one message" };
  // A message has a text.
  return { type: "text", text: text ?? "…" };
}

/** The rows of buttons below a card; `customIds` are what the presses say. */
export function renderButtons(buttons: readonly CardButton[], customIds: readonly string[]): readonly object[] {
  const rendered = buttons.map(({ label, style }, index) => ({
    type: BUTTON,
    style: STYLES[style],
    label: label.slice(0, BUTTON_LIMITS.labelLength).toWellFormed(),
    custom_id: customIds[index] ?? "",
  }));
  const { perRow } = BUTTON_LIMITS;
  return Array.from({ length: Math.ceil(rendered.length / perRow) }, (_, row) => ({
    type: ACTION_ROW,
    components: rendered.slice(row * perRow, (row + 1) * perRow),
  }));
}

function limitOf({ buttons = [], inputs = [] }: Card): string | undefined {
  if (buttons.length > BUTTON_LIMITS.perCard) return `more than ${BUTTON_LIMITS.perCard} buttons`;
  if (inputs.length > MAX_INPUTS) return `more than ${MAX_INPUTS} inputs`;
  if (inputs.length > 0 && buttons.length === 0) return "a form has at least one button, which opens it";
  return inputs.some((input) => input.type === "choice" && input.options.length > MAX_CHOICES)
    ? `more than ${MAX_CHOICES} options of a choice`
    : undefined;
}

function strong(text: string): Piece[] {
  return [{ type: "enter", span: { type: "strong" } }, { type: "text", text: text.trim().replaceAll(/\s+/g, " ") }, EXIT];
}

function paragraph(pieces: readonly Piece[]): Piece[] {
  return [{ type: "enter", span: { type: "paragraph" } }, ...pieces, EXIT];
}
