import type { ShownMessage } from "@factotum/channel-conformance";

interface Element {
  readonly type: string;
  readonly action_id?: string;
  readonly value?: string;
  readonly text?: { readonly text: string };
}

interface Block {
  readonly type: string;
  readonly block_id?: string;
  readonly text?: { readonly text: string };
  readonly fields?: readonly { readonly text: string }[];
  readonly elements?: readonly Element[];
  readonly element?: Element;
}

const INPUT_PREFIX = /^i\d+:/;

/** The card of a message as people see it; a long text is sections alone. */
export function shownCard(blocks: readonly unknown[]): Pick<ShownMessage, "card"> {
  if (blocks.length === 0) return {};
  const all = blocks as readonly Block[];
  const texts = all.flatMap(({ type, text, fields = [] }) =>
    type === "input" ? [] : [text?.text ?? "", ...fields.map((field) => field.text)],
  );
  return {
    card: {
      text: texts.join("\n"),
      buttons: buttonsOf(blocks).map(({ text }) => text?.text ?? ""),
      inputs: all.flatMap(({ type, block_id: id = "" }) => (type === "input" ? [id.replace(INPUT_PREFIX, "")] : [])),
    },
  };
}

/** A button of a message by its label, as the platform names it in a press. */
export function pressedButton(
  blocks: readonly unknown[],
  label: string,
): { readonly actionId: string; readonly label: string; readonly value?: string } {
  const button = buttonsOf(blocks).find(({ text }) => text?.text === label);
  if (button === undefined) throw new Error(`there is no button "${label}"`);
  return { actionId: button.action_id ?? "", label, ...(button.value !== undefined && { value: button.value }) };
}

/** The state of the inputs of a message, as the platform passes it with a press. */
export function inputState(
  blocks: readonly unknown[],
  inputs: Readonly<Record<string, string>>,
): Readonly<Record<string, Readonly<Record<string, object>>>> {
  const state: Record<string, Record<string, object>> = {};
  for (const { type, block_id: id = "", element } of blocks as readonly Block[]) {
    const value = inputs[id.replace(INPUT_PREFIX, "")];
    if (type !== "input" || value === undefined) continue;
    state[id] = {
      [element?.action_id ?? ""]:
        element?.type === "static_select" ? { type: element.type, selected_option: { value } } : { type: element?.type ?? "", value },
    };
  }
  return state;
}

function buttonsOf(blocks: readonly unknown[]): readonly Element[] {
  return (blocks as readonly Block[]).flatMap(({ type, elements = [] }) =>
    type === "actions" ? elements.filter((element) => element.type === "button") : [],
  );
}
