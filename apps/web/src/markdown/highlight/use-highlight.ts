import { type RefObject, useEffect, useState } from "react";
import type { CodeToken } from "./code-token.ts";
import { isDiff } from "./diff-tokens.ts";
import { grammarOf } from "./languages.ts";

/** Longer code, in characters, is not highlighted: tens of thousands of elements would slow the whole page down. */
const MAX_LENGTH = 100_000;
/** How far outside of the view a block is highlighted already. */
const MARGIN = "600px";

interface Code {
  readonly chunks: readonly string[];
  readonly language: string | undefined;
  readonly complete: boolean;
}

/**
 * The tokens of code, chunk by chunk as they become known: after the code is complete and the element is near the view, with pauses, so that highlighting never
 * blocks the page. `undefined` for unknown languages.
 */
export function useHighlight(
  element: RefObject<HTMLElement | null>,
  { chunks, language, complete }: Code,
): readonly (readonly CodeToken[])[] | undefined {
  const [result, setResult] = useState<{ readonly chunks: readonly string[]; readonly tokens: readonly (readonly CodeToken[])[] }>();
  const grammar = language === undefined || isDiff(language) ? undefined : grammarOf(language);
  useEffect(() => {
    const { current } = element;
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (!complete || grammar === undefined || current === null || length > MAX_LENGTH) return;
    const ending = new AbortController();
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        void colour(chunks, grammar, { signal: ending.signal, onTokens: (tokens) => setResult({ chunks, tokens }) });
      },
      { rootMargin: MARGIN },
    );
    observer.observe(current);
    return () => {
      observer.disconnect();
      ending.abort();
    };
  }, [element, chunks, grammar, complete]);
  return result?.chunks === chunks ? result.tokens : undefined;
}

async function colour(
  chunks: readonly string[],
  grammar: string,
  options: { readonly signal: AbortSignal; readonly onTokens: (tokens: readonly (readonly CodeToken[])[]) => void },
): Promise<void> {
  const tokens: (readonly CodeToken[])[] = [];
  try {
    const { tokenizeChunks } = await import("./tokenize.ts");
    for await (const chunk of tokenizeChunks(chunks, grammar)) {
      if (options.signal.aborted) return;
      tokens.push(chunk);
      options.onTokens([...tokens]);
      // Yield to the page between chunks.
      await new Promise((resolve) => setTimeout(resolve));
    }
  } catch (error) {
    // Without a connection there is no highlighting; any other error is a bug.
    if (!(error instanceof TypeError)) throw error;
  }
}
