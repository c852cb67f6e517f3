/** Ids must be unique in a message on the platform, and need not be in a card: they get a number in front. */
const ACTION = /^b\d+:([\s\S]*)$/;
const INPUT = /^i\d+:([\s\S]+)$/;

/** The platform's id of a button. */
export function actionIdOf(actionId: string, index: number): string {
  return `b${index}:${actionId}`;
}

/** The id that the card gave the button. */
export function parseActionId(id: string): string {
  return ACTION.exec(id)?.[1] ?? id;
}

/** The platform's id of an input's block. */
export function inputBlockId(id: string, index: number): string {
  return `i${index}:${id}`;
}

/** The id that the card gave the input; `undefined` for a block of another kind. */
export function parseInputId(blockId: string): string | undefined {
  return INPUT.exec(blockId)?.[1];
}
