import type { Span } from "../markdown/piece.ts";
import type { Frame } from "../render/dialect.ts";

/** A list item as text: a bullet, its number, or the box of a task. `bullet` for dialects that show another one. */
export function listItem({ number, checked }: Extract<Span, { type: "item" }>, { bullet = "•" }: { readonly bullet?: string } = {}): Frame {
  const box = checked === undefined ? "" : checked ? "☑ " : "☐ ";
  const marker = number === undefined ? (box === "" ? `${bullet} ` : box) : `${number}. ${box}`;
  const prefix = number === undefined ? "  " : " ".repeat(`${number}. `.length);
  return { type: "block", open: marker, close: "", prefix, continued: { open: prefix, prefix }, eager: true, visible: true };
}
