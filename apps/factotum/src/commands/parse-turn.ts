/** A turn as users name it: its number in the conversation, or its id. */
export function parseTurn(text: string): number | string {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : text;
}
