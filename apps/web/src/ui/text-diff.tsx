import { useMemo } from "react";
import { t } from "../i18n/t.ts";
import { type ChangedLine, diffLines } from "./diff-lines.ts";
import { ScrollBox } from "./scroll-box.tsx";
import styles from "./text-diff.module.css";

interface TextDiffProps {
  /** What has changed, for screen readers. */
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** The lines that were added and removed between two texts. */
export function TextDiff({ label, before, after }: TextDiffProps): React.JSX.Element {
  const hunks = useMemo(() => diffLines(before, after), [before, after]);
  if (hunks === undefined) return <p>{t("The texts have too little in common to be compared line by line.")}</p>;
  if (hunks.length === 0) return <p>{t("Nothing has changed.")}</p>;
  return (
    <ScrollBox className={styles["diff"] ?? ""} label={label}>
      {hunks.map((hunk) => (
        <div key={hunk.startLine} className={styles["hunk"]}>
          <p className={styles["place"]}>{t("From line {line}", { line: hunk.startLine })}</p>
          {hunk.lines.map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines are equal to others and never move
            <DiffLine key={index} line={line} />
          ))}
        </div>
      ))}
    </ScrollBox>
  );
}

function DiffLine({ line }: { readonly line: ChangedLine }): React.JSX.Element {
  const text = line.text === "" ? "\u{a0}" : line.text;
  if (line.change === "added") return <ins dir="auto">{text}</ins>;
  if (line.change === "removed") return <del dir="auto">{text}</del>;
  return (
    <span className={styles["same"]} dir="auto">
      {text}
    </span>
  );
}
