import type { TokenizeAnswer, TokenizeRequest } from "./tokenize-code.ts";
import { tokenizeChunks } from "./tokenize.ts";

/** Tokenizes code in a worker: the first line of code compiles the hundreds of expressions of a grammar, which would block the page. */
addEventListener("message", ({ data }: MessageEvent<TokenizeRequest>) => void answer(data));

async function answer({ id, chunks, grammar }: TokenizeRequest): Promise<void> {
  try {
    for await (const tokens of tokenizeChunks(chunks, grammar)) postMessage({ id, tokens } satisfies TokenizeAnswer);
  } catch (error) {
    // Without a connection there is no highlighting; any other error is a bug.
    if (!(error instanceof TypeError)) throw error;
  }
}
