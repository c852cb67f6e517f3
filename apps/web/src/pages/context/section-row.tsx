import type { ContextSection } from "@factotum/protocol";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { count } from "./context-words.ts";
import styles from "./context.module.css";

/** Characters of a text that are looked at for its beginning on one line. */
const SNIPPET_CHARS = 300;

interface SectionRowProps {
  readonly section: ContextSection;
  /** The beginning of its text is shown: many sections have the same title. */
  readonly hasSnippet: boolean;
}

/** One section, collapsed: its name and size. Expanded: its text. */
export function SectionRow({ section, hasSnippet }: SectionRowProps): React.JSX.Element {
  const { half, tokens, truncation, ofOthers, text = "", omittedChars } = section;
  const title = gatewayText(section.title);
  return (
    <details className={styles["section"]}>
      <summary>
        <Icon name="chevron" />
        <span className={styles["title"]}>
          <bdi>{title}</bdi>
          {truncation === undefined ? null : <Badge tone="warning">{t("Cut")}</Badge>}
          {ofOthers === true ? <Badge tone="warning">{t("From others")}</Badge> : null}
          {hasSnippet ? (
            <span className={styles["snippet"]} dir="auto">
              {text.slice(0, SNIPPET_CHARS).replaceAll(/\s+/g, " ").toWellFormed()}
            </span>
          ) : null}
        </span>
        <span className={styles["size"]}>{t("{tokens} tokens", { tokens: count(tokens) })}</span>
      </summary>
      <div className={styles["body"]}>
        {half === undefined ? null : (
          <p className={styles["hint"]}>{half === "stable" ? t("The same for all sessions of the agent") : t("Fixed for this session")}</p>
        )}
        {truncation === undefined ? null : (
          <p className={styles["hint"]}>
            {t("The model got {kept} of {total} characters.", {
              kept: count(truncation.keptChars),
              total: count(truncation.totalChars),
            })}
          </p>
        )}
        {ofOthers === true ? (
          <p className={styles["hint"]}>
            {t("Part of a message with words or files of others: while the model has it, actions outside wait for you.")}
          </p>
        ) : null}
        <ScrollBox className={styles["text"] ?? ""} label={t("Text of {title}", { title })}>
          <pre dir="auto">{text === "" ? t("(nothing)") : text}</pre>
        </ScrollBox>
        {omittedChars === undefined ? null : (
          <p className={styles["hint"]}>{t("{count} characters more were sent and are not shown here.", { count: count(omittedChars) })}</p>
        )}
      </div>
    </details>
  );
}
