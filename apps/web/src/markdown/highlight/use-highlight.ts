import { type RefObject, useEffect, useState } from "react";
import type { CodeToken } from "./code-token.ts";
import { isDiff } from "./diff-tokens.ts";
import { grammarOf } from "./languages.ts";
import { tokenizeCode } from "./tokenize-code.ts";
import { whenNear } from "./when-near.ts";

/** Longer code, in characters, is not highlighted: tens of thousands of elements would slow the whole page down. */
const MAX_LENGTH = 100_000;

interface Code {
  readonly chunks: readonly string[];
  readonly language: string | undefined;
  readonly complete: boolean;
}

/**
 * The tokens of code, chunk by chunk, as they become known: once the code is complete and the element is near the viewport, in a worker, so that highlighting
 * blocks nothing. `undefined` for unknown languages.
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
    const tokens: (readonly CodeToken[])[] = [];
    const onChunk = (chunk: readonly CodeToken[]): void => {
      tokens.push(chunk);
      setResult({ chunks, tokens: [...tokens] });
    };
    let end = whenNear(current, () => {
      end = tokenizeCode({ chunks, grammar }, onChunk);
    });
    return () => end();
  }, [element, chunks, grammar, complete]);
  return result?.chunks === chunks ? result.tokens : undefined;
}
