import type { TokenizeAnswer, TokenizeRequest } from "./tokenize-code.ts";
import { tokenizeChunks } from "./tokenize.ts";

/** Reads code in a thread of its own: a grammar of hundreds of expressions is compiled with its first line, for which the page would stand still. */
addEventListener("message", ({ data }: MessageEvent<TokenizeRequest>) => void answer(data));

async function answer({ id, chunks, grammar }: TokenizeRequest): Promise<void> {
  try {
    for await (const tokens of tokenizeChunks(chunks, grammar)) postMessage({ id, tokens } satisfies TokenizeAnswer);
  } catch (error) {
    // Without a connection there are no colours; anything else is a mistake.
    if (!(error instanceof TypeError)) throw error;
  }
}
