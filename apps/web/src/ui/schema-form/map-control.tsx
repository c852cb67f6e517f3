import { useId, useState } from "react";
import { t } from "../../i18n/t.ts";
import { Button } from "../button.tsx";
import { emptyOf } from "./empty-of.ts";
import { Fold } from "./fold.tsx";
import { type ControlProps, useFormFacts } from "./form-facts.ts";
import { isRecord, type SchemaNode, shapeOf } from "./schema-node.ts";
import styles from "./schema-form.module.css";

interface EntriesProps extends Pick<ControlProps, "path" | "label" | "value" | "onChange"> {
  readonly entry: SchemaNode;
  readonly names: SchemaNode | undefined;
  /** Keys of the object that are no entries. */
  readonly except?: readonly string[];
}

/** Entries by names that the person chooses. */
export function MapControl({ entry, names, ...props }: ControlProps & Pick<EntriesProps, "entry" | "names">): React.JSX.Element {
  const { path, label, value, onChange } = props;
  return (
    <Fold {...props} count={Object.keys(isRecord(value) ? value : {}).length}>
      <Entries path={path} label={label} value={value} onChange={onChange} entry={entry} names={names} />
    </Fold>
  );
}

/** The entries themselves, with a way to add one. */
export function Entries({ path, label, value, onChange, entry, names, except = [] }: EntriesProps): React.JSX.Element {
  const { Control } = useFormFacts();
  const entries = isRecord(value) ? value : {};
  const set = (name: string, next: unknown): void => {
    const { [name]: _before, ...others } = entries;
    if (next !== undefined) onChange({ ...entries, [name]: next });
    else onChange(Object.keys(others).length === 0 ? undefined : others);
  };
  const isFolded = ["group", "map", "list"].includes(shapeOf(entry).type);
  return (
    <>
      {Object.entries(entries)
        .filter(([name]) => !except.includes(name))
        .map(([name, one]) => (
          <div className={styles["entry"]} key={name}>
            <Control node={entry} path={[...path, name]} label={name} value={one} isEntry onChange={(next) => set(name, next)} />
            {isFolded ? (
              <span className={styles["entry-actions"]}>
                <Button variant="text" onClick={() => set(name, undefined)}>
                  {t("Remove")} <span className="sr-only">{name}</span>
                </Button>
              </span>
            ) : null}
          </div>
        ))}
      <NewEntry label={label} names={names} taken={[...except, ...Object.keys(entries)]} onAdd={(name) => set(name, emptyOf(entry))} />
    </>
  );
}

interface NewEntryProps {
  readonly label: string;
  readonly names: SchemaNode | undefined;
  readonly taken: readonly string[];
  readonly onAdd: (name: string) => void;
}

function NewEntry({ label, names, taken, onAdd }: NewEntryProps): React.JSX.Element {
  const id = useId();
  const [name, setName] = useState("");
  const suggestions = (names?.enum ?? []).map(String).filter((one) => !taken.includes(one));
  const isPossible = name !== "" && !taken.includes(name) && (names?.pattern === undefined || new RegExp(names.pattern, "u").test(name));
  const add = (): void => {
    if (!isPossible) return;
    onAdd(name);
    setName("");
  };
  return (
    <div className={styles["new-entry"]}>
      <label htmlFor={id}>{t("Add to {name}", { name: label })}</label>
      <input
        id={id}
        type="text"
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        placeholder={t("Its name")}
        value={name}
        list={suggestions.length === 0 ? undefined : `${id}-names`}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          add();
        }}
      />
      {suggestions.length === 0 ? null : (
        <datalist id={`${id}-names`}>
          {suggestions.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </datalist>
      )}
      <Button disabled={!isPossible} onClick={add}>
        {t("Add")}
      </Button>
    </div>
  );
}
