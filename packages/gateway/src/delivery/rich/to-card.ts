import type { MessageCard } from "@factotum/agent-contract";
import type { Card, CardInput } from "@factotum/channel-contract";
import { withoutUndefined } from "@factotum/agent-contract";

/** A model's card for a channel, or the reason why it is refused. `isCommand`: the gateway would run this value of a button. */
export function toCard(card: MessageCard, isCommand: (value: string) => boolean): Card | { readonly refusal: string } {
  const { title, body, fields, inputs = [], buttons = [] } = card;
  if (cardIsEmpty(card)) return { refusal: "The card is empty." };
  const command = buttons.map(({ label, value = label }) => value).find(isCommand);
  if (command !== undefined)
    return { refusal: `A button must not be a command, as ${JSON.stringify(command)} is. Give it another value or label.` };
  const ids = inputs.map(({ id }) => id);
  if (new Set(ids).size < ids.length) return { refusal: "Two inputs of the card have the same id." };
  if (inputs.length > 0 && buttons.length === 0) return { refusal: "A card with inputs needs a button that submits them." };
  const open = inputs.find(({ type, options = [] }) => type === "choice" && options.length === 0);
  if (open !== undefined) return { refusal: `The choice ${JSON.stringify(open.id)} has no options.` };
  return {
    body,
    ...withoutUndefined({ title, fields }),
    ...(inputs.length === 0 ? {} : { inputs: inputs.map(toInput) }),
    ...(buttons.length === 0
      ? {}
      : {
          buttons: buttons.map(({ label, value = label, style = "default" }, index) => ({
            actionId: `button-${index + 1}`,
            label,
            value,
            style,
          })),
        }),
  };
}

function toInput({ type, id, label, options = [] }: NonNullable<MessageCard["inputs"]>[number]): CardInput {
  return type === "text" ? { type, id, label } : { type, id, label, options: options.map((option) => ({ value: option, label: option })) };
}

function cardIsEmpty({ title = "", body, fields = [], buttons = [] }: MessageCard): boolean {
  return title.trim() === "" && body.trim() === "" && fields.length === 0 && buttons.length === 0;
}
