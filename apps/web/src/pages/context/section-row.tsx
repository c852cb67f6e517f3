import type { ContextChange, ContextSection } from "@factotum/protocol";
import { Icon } from "../../ui/icon.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { count, sizeOf } from "./context-words.ts";
import { SizeBar } from "./size-bar.tsx";
import { msg, t } from "../../i18n/t.ts";

const CHANGE_WORDS: Readonly<Record<ContextChange["type"], string>> = { added: msg("New"), changed: msg("Changed"), removed: msg("Gone") };

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
          {change === undefined ? null : <span className="badge">{t(CHANGE_WORDS[change])}</span>}
          {truncation === undefined ? null : <span className="badge">{t("Cut")}</span>}
          {ofOthers === true ? <span className="badge">{t("From others")}</span> : null}
        </span>
        <span className="context-size">{sizeOf(tokens, section.bytes)}</span>
        <SizeBar share={ofTokens === 0 ? 0 : tokens / ofTokens} />
      </summary>
      <div className="context-body">
        {half === undefined ? null : (
          <p className="context-hint">{half === "stable" ? t("The same for all sessions of the agent") : t("Fixed for this session")}</p>
        )}
        {truncation === undefined ? null : (
          <p className="context-hint">
            {t("The model got {kept} of {total} characters.", {
              kept: count(truncation.keptChars),
              total: count(truncation.totalChars),
            })}
          </p>
        )}
        {ofOthers === true ? (
          <p className="context-hint">
            {t("Part of a message with words or files of others: while the model has it, actions outside wait for you.")}
          </p>
        ) : null}
        <ScrollBox className="context-text" label={t("Text of {title}", { title })}>
          <pre>{text === undefined || text === "" ? t("(nothing)") : text}</pre>
        </ScrollBox>
        {omittedChars === undefined ? null : (
          <p className="context-hint">{t("{count} characters more were sent and are not shown here.", { count: count(omittedChars) })}</p>
        )}
      </div>
    </details>
  );
}
