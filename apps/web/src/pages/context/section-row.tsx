import type { ContextChange, ContextSection } from "@factotum/protocol";
import { Icon } from "../../ui/icon.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { bytes, count } from "./context-words.ts";
import { SizeBar } from "./size-bar.tsx";

const CHANGE_WORDS: Readonly<Record<ContextChange["type"], string>> = { added: "New", changed: "Changed", removed: "Gone" };

interface SectionRowProps {
  readonly section: ContextSection;
  /** Tokens of the largest section that it is compared with. */
  readonly ofTokens: number;
  readonly change: ContextChange["type"] | undefined;
}

/** One section, collapsed: its name, size and change. Expanded: its text. */
export function SectionRow({ section, ofTokens, change }: SectionRowProps): React.JSX.Element {
  const { title, half, tokens, truncation, ofOthers, text, omittedChars } = section;
  return (
    <details className={change === undefined ? "context-section" : "context-section changed"}>
      <summary>
        <Icon name="chevron" />
        <span className="context-title">
          {title}
          {change === undefined ? null : <span className="badge">{CHANGE_WORDS[change]}</span>}
          {truncation === undefined ? null : <span className="badge">Cut</span>}
          {ofOthers === true ? <span className="badge">From others</span> : null}
        </span>
        <span className="context-size">
          {count(tokens)} tokens · {bytes(section.bytes)}
        </span>
        <SizeBar share={ofTokens === 0 ? 0 : tokens / ofTokens} />
      </summary>
      <div className="context-body">
        {half === undefined ? null : (
          <p className="context-hint">{half === "stable" ? "The same for all sessions of the agent" : "Fixed for this session"}</p>
        )}
        {truncation === undefined ? null : (
          <p className="context-hint">
            The model got {count(truncation.keptChars)} of {count(truncation.totalChars)} characters.
          </p>
        )}
        {ofOthers === true ? (
          <p className="context-hint">
            Part of a message with words or files of others: while the model has it, actions outside wait for you.
          </p>
        ) : null}
        <ScrollBox className="context-text" label={`Text of ${title}`}>
          <pre>{text === undefined || text === "" ? "(nothing)" : text}</pre>
        </ScrollBox>
        {omittedChars === undefined ? null : (
          <p className="context-hint">{count(omittedChars)} characters more were sent and are not shown here.</p>
        )}
      </div>
    </details>
  );
}
