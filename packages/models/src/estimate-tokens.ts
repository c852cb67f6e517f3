/** What one image costs in a prompt, roughly, at the size that the media stage sends. */
export const IMAGE_TOKENS = 1_600;

const NOT_ASCII = /\P{ASCII}/gu;

/** A guess without a tokenizer: four ASCII characters a token, one token for every other character (Chinese, emoji). */
export function estimateTokens(text: string): number {
  // In UTF-8 only ASCII takes one byte a character: most texts are settled here, without looking at each.
  if (Buffer.byteLength(text) === text.length) return Math.ceil(text.length / 4);
  const wide = text.match(NOT_ASCII)?.length ?? 0;
  return Math.ceil((text.length - wide) / 4) + wide;
}
