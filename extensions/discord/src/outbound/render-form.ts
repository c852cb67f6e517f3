import type { StoredButton } from "@factotum/channel-kit";
import type { APIModalInteractionResponseCallbackData } from "@discordjs/core/http-only";
import type { CardInput } from "@factotum/channel-contract";

const TEXT_INPUT = 4;
const STRING_SELECT = 3;
const LABEL = 18;
const MAX_LABEL = 45;
const MAX_OPTION = 100;
const MAX_PLACEHOLDER = 100;
const MAX_VALUE = 4_000;

/** The dialog that a press of a form's button opens. Inputs are numbered, since their ids can be longer than the platform's. */
export function renderForm({ card, button }: StoredButton, customId: string): APIModalInteractionResponseCallbackData {
  const form = {
    custom_id: customId,
    title: cut(card.title ?? button.label, MAX_LABEL),
    components: (card.inputs ?? []).map((input, index) => ({
      type: LABEL,
      label: cut(input.label, MAX_LABEL),
      component: renderInput(input, index),
    })),
  };
  return form as unknown as APIModalInteractionResponseCallbackData;
}

function renderInput(input: CardInput, index: number): object {
  const common = { custom_id: String(index), required: false };
  if (input.type === "text") {
    const { multiline = false, placeholder, initial } = input;
    return {
      ...common,
      type: TEXT_INPUT,
      style: multiline ? 2 : 1,
      max_length: MAX_VALUE,
      ...(placeholder !== undefined && { placeholder: cut(placeholder, MAX_PLACEHOLDER) }),
      ...(initial !== undefined && initial !== "" && { value: cut(initial, MAX_VALUE) }),
    };
  }
  return {
    ...common,
    type: STRING_SELECT,
    min_values: 0,
    max_values: input.multiple === true ? input.options.length : 1,
    options: input.options.map(({ label }, option) => ({ label: cut(label, MAX_OPTION), value: String(option) })),
  };
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}
