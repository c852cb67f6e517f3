import { useId } from "react";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../badge.tsx";
import { Button } from "../button.tsx";
import { type ControlProps, useProblems } from "./form-facts.ts";
import { keyText } from "./key-text.ts";
import { descriptionOf } from "./schema-node.ts";
import { SettingText } from "./setting-text.tsx";
import styles from "./schema-form.module.css";

interface SettingFieldProps extends ControlProps {
  /** What is wrong with what was typed. */
  readonly error?: string | undefined;
  /** Its control comes before its name, on one line. */
  readonly isSwitch?: boolean;
  readonly children: (control: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": true | undefined;
  }) => React.ReactNode;
}

/** A control with the name, the description and the notes of its key, what is wrong with its value, and a button that removes the value. */
export function SettingField(props: SettingFieldProps): React.JSX.Element {
  const { node, path, label, value, onChange, isRequired = false, error, isSwitch = false, children } = props;
  const id = useId();
  const problems = useProblems(path, { isDeep: true }).map(({ message }) => gatewayText(message));
  const errors = error === undefined ? problems : [error, ...problems];
  const description = descriptionOf(node);
  const described = [description === "" ? undefined : `${id}-hint`, errors.length === 0 ? undefined : `${id}-error`];
  const name = (
    <span className={styles["name"]}>
      <label htmlFor={id} dir="auto">
        {label}
      </label>
      <SettingNotes node={node} isRequired={isRequired} />
      {value === undefined ? null : (
        <Button variant="text" aria-label={t("Remove the value of {name}", { name: label })} onClick={() => onChange(undefined)}>
          {node.default === undefined ? t("Remove") : t("Reset")}
        </Button>
      )}
    </span>
  );
  const control = children({
    id,
    "aria-describedby": described.filter((one) => one !== undefined).join(" ") || undefined,
    "aria-invalid": errors.length === 0 ? undefined : true,
  });
  return (
    <div className={`field ${styles["setting"]}`} data-key={keyText(path)} data-set={value !== undefined || undefined}>
      {isSwitch ? (
        <span className={styles["switch"]}>
          {control}
          {name}
        </span>
      ) : (
        <>
          {name}
          {control}
        </>
      )}
      {description === "" ? null : <SettingText id={`${id}-hint`} text={description} />}
      {errors.length === 0 ? null : (
        <p id={`${id}-error`} className="field-error" role="alert" dir="auto">
          {errors.join("\n")}
        </p>
      )}
    </div>
  );
}

/** What a person should know of a key before changing it. */
export function SettingNotes({ node, isRequired = false }: Pick<ControlProps, "node" | "isRequired">): React.JSX.Element {
  return (
    <>
      {isRequired ? <Badge>{t("Required")}</Badge> : null}
      {node["x-restart"] === true ? <Badge tone="warning">{t("After a restart")}</Badge> : null}
      {node["x-inactive"] === true ? <Badge>{t("Without effect in this version")}</Badge> : null}
    </>
  );
}
