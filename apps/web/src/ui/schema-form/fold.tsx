import { useState } from "react";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { type ControlProps, useFormFacts, useProblems } from "./form-facts.ts";
import { isAt, keyText } from "./key-text.ts";
import { descriptionOf } from "./schema-node.ts";
import { SettingNotes } from "./setting-field.tsx";
import { SettingText } from "./setting-text.tsx";
import styles from "./schema-form.module.css";

interface FoldProps extends ControlProps {
  /** How many values it has; nothing is said of none. */
  readonly count: number;
  readonly children: React.ReactNode;
}

/** A group of settings that is opened: by the person, by what was searched for, or by a problem in it. Closed ones are not drawn. */
export function Fold({ node, path, label, value, isRequired = false, count, children }: FoldProps): React.JSX.Element {
  const { shown, opensEverything } = useFormFacts();
  const key = keyText(path);
  const own = useProblems(path, { isDeep: false });
  const hasProblem = useProblems(path, { isDeep: true }).length > 0;
  const [chosen, setChosen] = useState<{ readonly isOpen: boolean; readonly reason: string }>();
  const isWanted = opensEverything || hasProblem || (shown !== undefined && isAt(shown, key));
  // What is searched for next, and the next problem, opens it again.
  const reason = `${shown ?? ""} ${hasProblem}`;
  const isOpen = chosen?.reason === reason ? chosen.isOpen : isWanted || (chosen?.isOpen ?? false);
  const description = descriptionOf(node);
  return (
    <details
      className={styles["fold"]}
      data-key={key}
      data-set={value !== undefined || undefined}
      open={isOpen}
      onToggle={({ currentTarget, target }) => {
        if (currentTarget === target && currentTarget.open !== isOpen) setChosen({ isOpen: currentTarget.open, reason });
      }}
    >
      <summary>
        <bdi>{label}</bdi>
        <SettingNotes node={node} isRequired={isRequired} />
        {count === 0 ? null : <small>{t("{count, plural, one {# set} other {# set}}", { count })}</small>}
      </summary>
      {isOpen ? (
        <div className={styles["inside"]}>
          {description === "" ? null : <SettingText text={description} />}
          {own.map(({ message }) => (
            <p key={message} className="field-error" role="alert" dir="auto">
              {gatewayText(message)}
            </p>
          ))}
          {children}
        </div>
      ) : null}
    </details>
  );
}
