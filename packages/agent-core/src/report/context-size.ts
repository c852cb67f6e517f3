import { estimateTokens } from "../tokens/estimate-tokens.ts";
import type { ContextSize } from "./context-description.ts";

/** The sizes of a text. */
export function sizeOf(text: string): ContextSize {
  return { chars: text.length, bytes: utf8Bytes(text), tokens: estimateTokens(text) };
}

/** The sum of several sizes. */
export function sumSizes(sizes: readonly ContextSize[]): ContextSize {
  return sizes.reduce(
    (sum, { chars, bytes, tokens }) => ({ chars: sum.chars + chars, bytes: sum.bytes + bytes, tokens: sum.tokens + tokens }),
    { chars: 0, bytes: 0, tokens: 0 },
  );
}

/** UTF-8 bytes of a text; a lone surrogate counts as its replacement character. */
function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
