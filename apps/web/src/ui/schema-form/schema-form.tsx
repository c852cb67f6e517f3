import { useEffect, useMemo, useRef } from "react";
import { Fold } from "./fold.tsx";
import { type ControlProps, type FormFacts, FormFactsContext, type FormProblem, useFormFacts, useProblems } from "./form-facts.ts";
import { JsonControl } from "./json-control.tsx";
import { isAt, type KeyPath } from "./key-text.ts";
import { ChoicesControl, ListControl, TextsControl } from "./list-controls.tsx";
import { Entries, MapControl } from "./map-control.tsx";
import { ChoiceControl, NumberControl, SwitchControl, TextControl } from "./scalar-controls.tsx";
import { type GroupProperty, isRecord, type SchemaNode, shapeOf } from "./schema-node.ts";
import { SecretControl } from "./secret-control.tsx";
import { UnionControl } from "./union-control.tsx";
import styles from "./schema-form.module.css";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";

interface SchemaFormProps {
  readonly schema: SchemaNode;
  /** The place of the value in the whole document. */
  readonly path: KeyPath;
  /** `undefined`: nothing is set. */
  readonly value: unknown;
  /** Gets the whole new value; `undefined` if nothing is set any longer. */
  readonly onChange: (value: unknown) => void;
  readonly problems: readonly FormProblem[];
  /** Stands for a hidden secret. */
  readonly mark: string;
  /** Secrets that are typed are kept in private files. */
  readonly keepsSecrets?: boolean;
  /** The key that was searched for: its groups are open. */
  readonly shown?: string | undefined;
  /** Opens all groups. */
  readonly opensEverything?: boolean;
  /** The value that holds where a key is not set. */
  readonly inherited?: (path: KeyPath) => unknown;
}

const nothing = (): unknown => undefined;

/** A form for a value of a JSON Schema. It has no state but what is being typed: `onChange` gets every change, and `mergePatchOf` what is new. */
export function SchemaForm(props: SchemaFormProps): React.JSX.Element {
  const {
    schema,
    path,
    value,
    onChange,
    problems,
    mark,
    shown,
    keepsSecrets = false,
    opensEverything = false,
    inherited = nothing,
  } = props;
  const facts = useMemo<FormFacts>(
    () => ({ Control: SchemaControl, problems, mark, keepsSecrets, shown, opensEverything, inherited }),
    [problems, mark, keepsSecrets, shown, opensEverything, inherited],
  );
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown !== undefined) focusOn(shown, form.current);
  }, [shown]);
  const shape = shapeOf(schema);
  return (
    <FormFactsContext value={facts}>
      <div className={styles["form"]} ref={form}>
        {shape.type === "group" ? (
          <Group properties={shape.properties} others={shape.others} path={path} value={value} onChange={onChange} />
        ) : path.length === 0 && isWithoutKeys(schema) ? (
          <p className="note">{t("There is nothing to set.")}</p>
        ) : (
          <SchemaControl
            node={schema}
            path={path}
            label={schema.title ?? String(path.at(-1) ?? t("Settings"))}
            value={value}
            onChange={onChange}
          />
        )}
      </div>
    </FormFactsContext>
  );
}

/** True for an object that names no keys. */
function isWithoutKeys({ type, properties = {}, additionalProperties }: SchemaNode): boolean {
  return type === "object" && Object.keys(properties).length === 0 && !isRecord(additionalProperties);
}

/** Shows a key, or the nearest one around it that there is, and gives it the focus. */
function focusOn(key: string, form: HTMLElement | null): void {
  const around = [...(form?.querySelectorAll<HTMLElement>("[data-key]") ?? [])].filter((one) => isAt(key, one.dataset["key"] ?? ""));
  const place = around.at(-1);
  place?.scrollIntoView({ block: "center" });
  place?.querySelector<HTMLElement>(":is(summary,input,select,textarea)")?.focus({ preventScroll: true });
}

/** The control of any node. */
function SchemaControl(props: ControlProps): React.JSX.Element {
  const shape = shapeOf(props.node);
  switch (shape.type) {
    case "secret":
      return <SecretControl {...props} />;
    case "text":
      return <TextControl {...props} suggestions={shape.suggestions} />;
    case "number":
      return <NumberControl {...props} />;
    case "switch":
      return <SwitchControl {...props} />;
    case "choice":
      return <ChoiceControl {...props} choices={shape.choices} />;
    case "texts":
      return <TextsControl {...props} />;
    case "choices":
      return <ChoicesControl {...props} choices={shape.choices} />;
    case "list":
      return <ListControl {...props} item={shape.item} />;
    case "map":
      return <MapControl {...props} entry={shape.entry} names={shape.names} />;
    case "union":
      return <UnionControl {...props} forms={shape.forms} />;
    case "json":
      return <JsonControl {...props} />;
    case "group":
      return (
        <Fold {...props} count={isRecord(props.value) ? Object.keys(props.value).length : 0}>
          <Group {...props} properties={shape.properties} others={shape.others} />
        </Fold>
      );
  }
}

interface GroupProps extends Pick<ControlProps, "path" | "value" | "onChange" | "isEntry"> {
  readonly properties: readonly GroupProperty[];
  readonly others: SchemaNode | undefined;
}

/** The controls of an object's keys: single values first, then groups. */
function Group({ properties, others, path, value, onChange, isEntry = false }: GroupProps): React.JSX.Element {
  const { Control } = useFormFacts();
  const own = useProblems(path, { isDeep: false });
  const values = isRecord(value) ? value : {};
  const set = (key: string, next: unknown): void => {
    const { [key]: _before, ...rest } = values;
    if (next !== undefined) onChange({ ...values, [key]: next });
    else onChange(Object.keys(rest).length === 0 && !isEntry ? undefined : rest);
  };
  const isFold = ({ node }: GroupProperty): boolean => ["group", "map", "list", "union"].includes(shapeOf(node).type);
  const ordered = [...properties.filter((one) => !isFold(one)), ...properties.filter(isFold)];
  return (
    <>
      {path.length > 1
        ? null
        : own.map(({ message }) => (
            <p key={message} className="field-error" role="alert" dir="auto">
              {gatewayText(message)}
            </p>
          ))}
      {ordered.map(({ key, node, isRequired }) => (
        <Control
          key={key}
          node={node}
          path={[...path, key]}
          label={node.title ?? key}
          value={Object.hasOwn(values, key) ? values[key] : undefined}
          isRequired={isRequired}
          onChange={(next) => set(key, next)}
        />
      ))}
      {others === undefined ? null : (
        <Entries
          path={path}
          label={String(path.at(-1) ?? t("Settings"))}
          value={value}
          onChange={onChange}
          entry={others}
          names={undefined}
          except={properties.map(({ key }) => key)}
        />
      )}
    </>
  );
}
