import type { ConfigView } from "@factotum/protocol";
import { t } from "../../../i18n/t.ts";
import { TextEditor } from "../../../ui/text-editor.tsx";
import styles from "./configuration.module.css";

interface TextFormProps {
  readonly base: ConfigView;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** The text of the file. Marks stand for its secrets. */
export function TextForm({ base, text, onChange }: TextFormProps): React.JSX.Element {
  const hasMarks = text.includes(base.mark);
  return (
    <div className={styles["text"]}>
      {base.text === undefined ? (
        <p>{t("The file cannot be read, and it may hold secrets, so its text is not shown. What you write here replaces it.")}</p>
      ) : null}
      {hasMarks ? (
        <p className="note">{t("{mark} stands for a stored secret. Leave it, or write a new one in its place.", { mark: base.mark })}</p>
      ) : null}
      <TextEditor label={t("Text of the configuration file")} value={text} onChange={onChange} />
    </div>
  );
}
