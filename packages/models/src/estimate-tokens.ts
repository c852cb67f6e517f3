/** Approximate prompt tokens of one image, at the size that the media stage sends. */
export const IMAGE_TOKENS = 1_600;

/** A guess without a tokenizer: four ASCII characters a token, one token for every other character (Chinese, emoji). */
export function estimateTokens(text: string): number {
  // In UTF-8 only ASCII takes one byte per character: most texts are done here, without a look at each character.
  if (Buffer.byteLength(text) === text.length) return Math.ceil(text.length / 4);
  let ascii = 0;
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) ascii += 1;
    // The second half of a pair belongs to a character that is counted.
    else if (unit < 0xdc00 || unit > 0xdfff) wide += 1;
  }
  return Math.ceil(ascii / 4) + wide;
}
