import type { Card, CardButton } from "@factotum/channel-contract";
import { flattenMarkdown } from "@factotum/channel-kit";
import type { Piece } from "@factotum/channel-kit";
import { BUTTON_LIMITS } from "../capabilities.ts";
import { renderHtml } from "./render-text.ts";

/** A card as the platform shows it, or the limit that it exceeds. */
export type RenderedCard = { readonly type: "html"; readonly html: string } | { readonly type: "over-limit"; readonly limit: string };

/** Characters of labels in one row, and buttons: clients cut labels that do not fit. */
const ROW_CHARACTERS = 30;
const ROW_BUTTONS = 3;

const EXIT: Piece = { type: "exit" };
const NEXT_PARAGRAPH: Piece = { type: "break", kind: "paragraph" };
const NEXT_LINE: Piece = { type: "break", kind: "line" };

/** Renders a card as one message: title, body and fields, one below the other. */
export function renderCard({ title, body, fields = [], buttons = [] }: Card): RenderedCard {
  if (buttons.length > BUTTON_LIMITS.perCard) return { type: "over-limit", limit: `more than ${BUTTON_LIMITS.perCard} buttons` };
  const rows = fields.flatMap(({ label, value }, index): Piece[] => [
    ...(index === 0 ? [] : [NEXT_LINE]),
    ...strong(`${label}:`),
    { type: "text", text: ` ${value}` },
  ]);
  const blocks: readonly (readonly Piece[])[] = [
    title === undefined || title.trim() === "" ? [] : paragraph(strong(title)),
    flattenMarkdown(body, { tables: "code" }),
    rows.length === 0 ? [] : paragraph(rows),
  ];
  const pieces = blocks.filter(({ length }) => length > 0).flatMap((block, index) => (index === 0 ? block : [NEXT_PARAGRAPH, ...block]));
  const [html, ...more] = renderHtml(pieces);
  if (more.length > 0) return { type: "over-limit", limit: "the card does not fit into one message" };
  // A message has a text.
  return { type: "html", html: html ?? "…" };
}

/** The keyboard below a card; `data` are what the presses say. */
export function renderKeyboard(buttons: readonly CardButton[], data: readonly string[]): object {
  const rows: { readonly buttons: object[]; characters: number }[] = [];
  for (const [index, { label, style }] of buttons.entries()) {
    const button = {
      text: label.slice(0, BUTTON_LIMITS.labelLength).toWellFormed(),
      callback_data: data[index] ?? "",
      ...(style !== "default" && { style }),
    };
    const row = rows.at(-1);
    if (row !== undefined && row.buttons.length < ROW_BUTTONS && row.characters + label.length <= ROW_CHARACTERS) {
      row.buttons.push(button);
      row.characters += label.length;
    } else rows.push({ buttons: [button], characters: label.length });
  }
  return { inline_keyboard: rows.map((row) => row.buttons) };
}

function strong(text: string): Piece[] {
  return [{ type: "enter", span: { type: "strong" } }, { type: "text", text: text.trim().replaceAll(/\s+/g, " ") }, EXIT];
}

function paragraph(pieces: readonly Piece[]): Piece[] {
  return [{ type: "enter", span: { type: "paragraph" } }, ...pieces, EXIT];
}
