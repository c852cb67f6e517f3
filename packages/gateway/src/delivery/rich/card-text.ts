import type { Card, Poll } from "@factotum/channel-contract";

/** What a card says, for a chat without cards: its choices are a numbered list. */
export function cardText({ title, body, fields = [], inputs = [], buttons = [] }: Card): string {
  const parts = [
    title === undefined ? "" : `**${title}**`,
    body,
    fields.map(({ label, value }) => `${label}: ${value}`).join("\n"),
    inputs
      .map((input) =>
        input.type === "choice" ? `${input.label}:\n${input.options.map(({ label }) => `- ${label}`).join("\n")}` : `${input.label}:`,
      )
      .join("\n\n"),
    numbered(buttons.map(({ label }) => label)),
  ];
  return parts.filter((part) => part.trim() !== "").join("\n\n");
}

/** What a poll says, for a chat without polls. */
export function pollText({ question, options }: Poll): string {
  return `${question}\n\n${numbered(options)}`;
}

function numbered(lines: readonly string[]): string {
  return lines.map((line, index) => `${index + 1}. ${line}`).join("\n");
}
