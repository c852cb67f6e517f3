import { t } from "../../i18n/t.ts";
import { Button } from "../button.tsx";
import { type ControlProps, useFormFacts } from "./form-facts.ts";
import { Fold } from "./fold.tsx";
import { type Choice, isRecord, type SchemaNode, textOf } from "./schema-node.ts";
import { choiceText } from "./scalar-controls.tsx";
import { emptyOf } from "./empty-of.ts";
import { SettingField } from "./setting-field.tsx";
import { useTyped } from "./use-typed.ts";
import styles from "./schema-form.module.css";

const LINES = {
  format: (value: unknown): string => listed(value).map(textOf).join("\n"),
  parse: (text: string): unknown => (text === "" ? undefined : text.replace(/\n$/, "").split("\n")),
};

/** Texts, one on each line. */
export function TextsControl(props: ControlProps): React.JSX.Element {
  const { node, path, value, onChange } = props;
  // One text is a list of one, and stays as it is written until it is changed.
  const [text, type] = useTyped(Array.isArray(value) || value === undefined ? value : [value], onChange, LINES);
  const inherited = useFormFacts().inherited(path) ?? node.default;
  return (
    <SettingField {...props}>
      {(control) => (
        <textarea
          {...control}
          rows={Math.min(8, Math.max(2, text.split("\n").length))}
          dir="auto"
          autoComplete="off"
          spellCheck={false}
          placeholder={listed(inherited).length === 0 ? t("One on each line") : LINES.format(inherited)}
          value={text}
          onChange={({ target }) => type(target.value)}
        />
      )}
    </SettingField>
  );
}

/** Some of a few values. */
export function ChoicesControl({ choices, ...props }: ControlProps & { readonly choices: readonly Choice[] }): React.JSX.Element {
  const { node, path, value, onChange } = props;
  const inherited = useFormFacts().inherited(path) ?? node.default;
  const chosen = listed(value ?? inherited);
  return (
    <SettingField {...props}>
      {({ id, ...described }) => (
        <fieldset id={id} className={styles["choices"]} aria-label={props.label} {...described}>
          {choices.map((choice) => (
            <label key={String(choice)}>
              <input
                type="checkbox"
                checked={chosen.includes(choice)}
                onChange={({ target }) => onChange(choices.filter((one) => (one === choice ? target.checked : chosen.includes(one))))}
              />
              {choiceText(choice)}
            </label>
          ))}
        </fieldset>
      )}
    </SettingField>
  );
}

/** Entries with keys of their own, in an order. */
export function ListControl({ item, ...props }: ControlProps & { readonly item: SchemaNode }): React.JSX.Element {
  const { Control } = useFormFacts();
  const { path, label, value, onChange } = props;
  const entries = listed(value);
  const replace = (index: number, ...next: readonly unknown[]): void => onChange(entries.toSpliced(index, 1, ...next));
  return (
    <Fold {...props} count={entries.length}>
      {entries.map((entry, index) => (
        <div className={styles["entry"]} key={index}>
          <Control
            node={item}
            path={[...path, index]}
            label={entryName(entry) ?? `${label} ${index + 1}`}
            value={entry}
            isEntry
            onChange={(next) => replace(index, ...(next === undefined ? [] : [next]))}
          />
          <span className={styles["entry-actions"]}>
            {index === 0 ? null : (
              <Button variant="text" onClick={() => onChange(entries.toSpliced(index - 1, 2, entry, entries[index - 1]))}>
                {t("Move up")}
              </Button>
            )}
            <Button variant="text" onClick={() => replace(index)}>
              {t("Remove")} <span className="sr-only">{entryName(entry) ?? index + 1}</span>
            </Button>
          </span>
        </div>
      ))}
      <Button onClick={() => onChange([...entries, emptyOf(item)])}>{t("Add to {name}", { name: label })}</Button>
    </Fold>
  );
}

/** How an entry calls itself. */
function entryName(entry: unknown): string | undefined {
  if (!isRecord(entry)) return undefined;
  const name = [entry["name"], entry["id"], entry["agentId"], entry["event"]].find((one) => typeof one === "string" && one !== "");
  return typeof name === "string" ? name : undefined;
}

function listed(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
