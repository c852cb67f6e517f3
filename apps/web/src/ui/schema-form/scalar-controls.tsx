import { useId } from "react";
import { t } from "../../i18n/t.ts";
import { type ControlProps, useFormFacts } from "./form-facts.ts";
import { type Choice, textOf } from "./schema-node.ts";
import { SettingField } from "./setting-field.tsx";
import { unitOf } from "./unit-of.ts";
import { useTyped } from "./use-typed.ts";
import styles from "./schema-form.module.css";

/** What stands in an empty control: the value that holds. */
function usePlaceholder({ node, path }: Pick<ControlProps, "node" | "path">): string {
  const inherited = useFormFacts().inherited(path) ?? node.default;
  return typeof inherited === "string" || typeof inherited === "number" ? String(inherited) : "";
}

/** A text, with the words that are suggested. */
export function TextControl({ suggestions, ...props }: ControlProps & { readonly suggestions: readonly string[] }): React.JSX.Element {
  const listId = useId();
  const placeholder = usePlaceholder(props);
  const { value, onChange } = props;
  return (
    <SettingField {...props}>
      {(control) => (
        <>
          <input
            {...control}
            type="text"
            dir="auto"
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            value={textOf(value)}
            list={suggestions.length === 0 ? undefined : listId}
            onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
          />
          {suggestions.length === 0 ? null : (
            <datalist id={listId}>
              {suggestions.map((suggestion) => (
                <option key={suggestion} value={suggestion}>
                  {suggestion}
                </option>
              ))}
            </datalist>
          )}
        </>
      )}
    </SettingField>
  );
}

const NUMBER = {
  format: textOf,
  parse: (text: string): unknown => {
    const number = Number(text);
    return text.trim() === "" ? undefined : Number.isFinite(number) ? number : text;
  },
};

/** A number with its unit. */
export function NumberControl(props: ControlProps): React.JSX.Element {
  const { path, value, onChange } = props;
  const [text, type] = useTyped(value, onChange, NUMBER);
  const placeholder = usePlaceholder(props);
  const unit = unitOf(String(path.at(-1)));
  return (
    <SettingField {...props} error={value === undefined || typeof value === "number" ? undefined : t("This is no number.")}>
      {(control) => (
        <span className={styles["number"]}>
          <input
            {...control}
            type="text"
            inputMode="decimal"
            autoComplete="off"
            placeholder={placeholder}
            value={text}
            onChange={({ target }) => type(target.value)}
          />
          {unit === undefined ? null : <span>{t(unit)}</span>}
        </span>
      )}
    </SettingField>
  );
}

/** Yes or no. Without a value it shows the one that holds. */
export function SwitchControl(props: ControlProps): React.JSX.Element {
  const { node, path, value, onChange } = props;
  const inherited = useFormFacts().inherited(path) ?? node.default;
  return (
    <SettingField {...props} isSwitch>
      {(control) => (
        <input {...control} type="checkbox" checked={(value ?? inherited) === true} onChange={({ target }) => onChange(target.checked)} />
      )}
    </SettingField>
  );
}

/** One of a few values. */
export function ChoiceControl({ choices, ...props }: ControlProps & { readonly choices: readonly Choice[] }): React.JSX.Element {
  const { node, path, value, onChange } = props;
  const inherited = useFormFacts().inherited(path) ?? node.default;
  const isKnown = value === undefined || choices.some((choice) => choice === value);
  return (
    <SettingField {...props}>
      {(control) => (
        <select
          {...control}
          value={isKnown ? String(choices.findIndex((choice) => choice === value)) : "other"}
          onChange={({ target }) => onChange(choices[Number(target.value)])}
        >
          <option value="-1">{isShown(inherited) ? t("Default: {value}", { value: choiceText(inherited) }) : t("Not set")}</option>
          {isKnown ? null : <option value="other">{JSON.stringify(value)}</option>}
          {choices.map((choice, index) => (
            <option key={String(choice)} value={index}>
              {choiceText(choice)}
            </option>
          ))}
        </select>
      )}
    </SettingField>
  );
}

function isShown(value: unknown): value is Choice {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** A value of the configuration, as people read it. */
export function choiceText(choice: Choice): string {
  if (typeof choice === "boolean") return choice ? t("Yes") : t("No");
  return String(choice);
}
