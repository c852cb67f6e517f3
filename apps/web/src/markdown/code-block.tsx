import { memo, useRef, useState } from "react";
import { CopyButton } from "../ui/copy-button.tsx";
import { ScrollBox } from "../ui/scroll-box.tsx";
import type { CodeToken } from "./highlight/code-token.ts";
import { diffTokens, isDiff } from "./highlight/diff-tokens.ts";
import { useHighlight } from "./highlight/use-highlight.ts";
import { t } from "../i18n/t.ts";

/** Code with more lines than this can be folded. */
const LONG_LINES = 40;

interface CodeBlockProps {
  /** Whole lines; joined they are the code. */
  readonly chunks: readonly string[];
  readonly language?: string | undefined;
  /** True if the code is complete. */
  readonly complete: boolean;
}

/** A block of code with its language and buttons to wrap, fold and copy it. It is highlighted once it is complete and visible. */
export function CodeBlock({ chunks, language, complete }: CodeBlockProps): React.JSX.Element {
  const figure = useRef<HTMLElement>(null);
  const [wrapped, setWrapped] = useState(false);
  const [folded, setFolded] = useState(false);
  const tokens = useHighlight(figure, { chunks, language, complete });
  const isLong = complete && countLines(chunks) > LONG_LINES;
  const classes = ["code", wrapped ? "wrapped" : "", folded ? "folded" : ""].filter((name) => name !== "").join(" ");
  return (
    <figure className={classes} ref={figure} dir="ltr">
      <figcaption className="code-bar">
        <span className="code-language">{language ?? t("text")}</span>
        {isLong ? (
          <button type="button" className="text-button" aria-expanded={!folded} onClick={() => setFolded(!folded)}>
            {folded ? t("Show all {count} lines", { count: countLines(chunks) }) : t("Fold")}
          </button>
        ) : null}
        <button type="button" className="text-button" aria-pressed={wrapped} onClick={() => setWrapped(!wrapped)}>
          {t("Wrap")}
          <span className="sr-only"> {t("lines")}</span>
        </button>
        <CopyButton text={() => chunks.join("")} what={t("code")} />
      </figcaption>
      <ScrollBox className="code-scroll shows-more" label={language === undefined ? t("Code") : t("Code, {language}", { language })}>
        <pre>
          <code>
            {chunks.map((chunk, index) => (
              <CodeChunk key={index} text={chunk} tokens={isDiff(language) ? undefined : tokens?.[index]} diff={isDiff(language)} />
            ))}
          </code>
        </pre>
      </ScrollBox>
    </figure>
  );
}

function countLines(chunks: readonly string[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.split("\n").length - 1, 1);
}

interface CodeChunkProps {
  readonly text: string;
  readonly tokens: readonly CodeToken[] | undefined;
  readonly diff: boolean;
}

/** Some lines, rendered again only when they change. */
const CodeChunk: React.NamedExoticComponent<CodeChunkProps> = memo(function CodeChunk({ text, tokens, diff }: CodeChunkProps) {
  const parts = diff ? diffTokens(text) : tokens;
  return (
    <span className="code-chunk">
      {parts === undefined
        ? text
        : parts.map(({ text: part, kind }, index) =>
            kind === undefined ? (
              part
            ) : (
              <span key={index} className={`token-${kind}`}>
                {part}
              </span>
            ),
          )}
    </span>
  );
});
