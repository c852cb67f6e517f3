import { useState } from "react";
import { t } from "../../i18n/t.ts";
import { Badge } from "../badge.tsx";
import { Button } from "../button.tsx";
import { type ControlProps, useFormFacts } from "./form-facts.ts";
import { isRecord, textOf } from "./schema-node.ts";
import { SettingField } from "./setting-field.tsx";
import { useTyped } from "./use-typed.ts";
import styles from "./schema-form.module.css";

type Place = "text" | "env" | "file" | "exec";

/** A text that can also be read from a variable, a file or a program. A hidden one is written and never shown. */
export function SecretControl(props: ControlProps): React.JSX.Element {
  const { node, value, onChange } = props;
  const { mark, keepsSecrets } = useFormFacts();
  const isHidden = node["x-secret"] === true;
  const [stored] = useState(value);
  const isStored = hasMark(value, mark);
  const place = placeOf(value);
  const names: Readonly<Record<Place, string>> = {
    text: keepsSecrets && isHidden ? t("In a private file") : isHidden ? t("In the configuration file") : t("Written here"),
    env: t("In an environment variable"),
    file: t("In a file"),
    exec: t("From a program"),
  };
  return (
    <SettingField {...props}>
      {(control) => (
        <span className={styles["secret"]}>
          {place === "text" ? (
            <input
              {...control}
              type={isHidden ? "password" : "text"}
              dir={isHidden ? undefined : "auto"}
              autoComplete="off"
              spellCheck={false}
              placeholder={isStored ? t("Stored. Type to replace it.") : t("Not set")}
              value={isStored ? "" : textOf(value)}
              onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
            />
          ) : (
            <ReferenceInput control={control} value={value} onChange={onChange} />
          )}
          <select
            aria-label={t("Where {name} is", { name: props.label })}
            value={place}
            onChange={({ target }) => onChange(emptyAt(target.value as Place))}
          >
            {Object.entries(names).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          {isStored ? <Badge tone="good">{t("Stored")}</Badge> : null}
          {!isStored && hasMark(stored, mark) ? (
            <Button variant="text" onClick={() => onChange(stored)}>
              {t("Keep the stored one")}
            </Button>
          ) : null}
        </span>
      )}
    </SettingField>
  );
}

interface ReferenceInputProps extends Pick<ControlProps, "value" | "onChange"> {
  readonly control: React.ComponentProps<"input">;
}

/** The name of the variable, the path of the file, or the program with its arguments, one on each line. */
function ReferenceInput({ control, value, onChange }: ReferenceInputProps): React.JSX.Element {
  const [key = "env", target] = Object.entries(isRecord(value) ? value : {})[0] ?? [];
  const [text, type] = useTyped(target, (next) => onChange({ [key]: next }), {
    format: (written) => (Array.isArray(written) ? written.join("\n") : typeof written === "string" ? written : ""),
    parse: (typed) => (key === "exec" ? typed.split("\n") : typed),
  });
  if (key === "exec")
    return (
      <textarea {...(control as React.ComponentProps<"textarea">)} rows={2} value={text} onChange={(event) => type(event.target.value)} />
    );
  return (
    <input {...control} type="text" autoComplete="off" spellCheck={false} value={text} onChange={(event) => type(event.target.value)} />
  );
}

function placeOf(value: unknown): Place {
  if (!isRecord(value)) return "text";
  return (["env", "file", "exec"] as const).find((key) => key in value) ?? "text";
}

function emptyAt(place: Place): unknown {
  if (place === "text") return undefined;
  return place === "exec" ? { exec: [""] } : { [place]: "" };
}

function hasMark(value: unknown, mark: string): boolean {
  return typeof value === "string" && mark !== "" && value.includes(mark);
}
