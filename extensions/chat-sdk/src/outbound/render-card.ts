import type { Card } from "@factotum/channel-contract";
import type { CardElement } from "chat";

/** Buttons in one row. */
const ROW_BUTTONS = 3;
const STYLES = { default: "default", primary: "primary", danger: "danger" } as const;

/** A card of the SDK; `ids` are those of its buttons. */
export function renderCard({ body, buttons = [], fields = [], title }: Card, ids: readonly string[], labelLength: number): CardElement {
  const elements = buttons.map(({ label, style }, index) => ({
    type: "button" as const,
    id: ids[index] ?? "",
    label: label.slice(0, labelLength).toWellFormed(),
    style: STYLES[style],
  }));
  const rows = Array.from({ length: Math.ceil(elements.length / ROW_BUTTONS) }, (_, row) => ({
    type: "actions" as const,
    children: elements.slice(row * ROW_BUTTONS, (row + 1) * ROW_BUTTONS),
  }));
  return {
    type: "card",
    ...(title !== undefined && title.trim() !== "" && { title: title.trim() }),
    children: [
      { type: "text", content: body },
      ...(fields.length > 0 ? [{ type: "fields" as const, children: fields.map((field) => ({ type: "field" as const, ...field })) }] : []),
      ...rows,
    ],
  };
}

/** The text of a card as adapters without cards show it, for its length. */
export function cardText({ body, fields = [], title }: Card): string {
  return [...(title === undefined ? [] : [`**${title}**`]), body, ...fields.map(({ label, value }) => `${label}: ${value}`)].join("\n");
}
