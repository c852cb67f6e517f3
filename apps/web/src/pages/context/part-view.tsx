import type { ContextPart } from "@factotum/protocol";
import { useState } from "react";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { partTitle, sizeOf } from "./context-words.ts";
import styles from "./context.module.css";
import { SectionRow } from "./section-row.tsx";

/** Messages that are shown at first: the newest are what people look for. */
const NEWEST_MESSAGES = 10;

/** One part of a request with its sections. Of many messages the newest are shown; the others on demand. */
export function PartView({ part }: { readonly part: ContextPart }): React.JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const { type, sections, tokens, bytes } = part;
  const hidden = type === "messages" && !isWhole ? Math.max(0, sections.length - NEWEST_MESSAGES) : 0;
  return (
    <section className={styles["part"]} aria-label={partTitle(type)}>
      <div className={styles["head"]}>
        <h3>{partTitle(type)}</h3>
        <span className={styles["size"]}>{sizeOf(tokens, bytes)}</span>
      </div>
      {sections.length === 0 ? <p className={styles["hint"]}>{t("Nothing")}</p> : null}
      {hidden === 0 ? null : (
        <Button variant="text" onClick={() => setWhole(true)}>
          {t("{count, plural, one {Show # earlier message} other {Show # earlier messages}}", { count: hidden })}
        </Button>
      )}
      {sections.slice(hidden).map((section) => (
        <SectionRow key={section.id} section={section} hasSnippet={type === "messages"} />
      ))}
    </section>
  );
}
