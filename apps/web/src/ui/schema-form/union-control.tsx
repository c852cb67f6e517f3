import { useId, useState } from "react";
import { t } from "../../i18n/t.ts";
import { Fold } from "./fold.tsx";
import { type ControlProps, useFormFacts } from "./form-facts.ts";
import { startOf } from "./empty-of.ts";
import { isRecord, markOf, type SchemaNode, shapeOf } from "./schema-node.ts";
import styles from "./schema-form.module.css";

/** A value of one of several forms: the form is chosen first. */
export function UnionControl({ forms, ...props }: ControlProps & { readonly forms: readonly SchemaNode[] }): React.JSX.Element {
  const id = useId();
  const { Control, inherited } = useFormFacts();
  const { node, path, label, value, onChange, isEntry = false } = props;
  const [picked, setPicked] = useState<number>();
  const index = formIndexOf(forms, value, picked);
  const form = index === undefined ? undefined : forms[index];
  const pick = (next: number | undefined): void => {
    setPicked(next);
    const chosen = next === undefined ? undefined : forms[next];
    if (chosen === undefined) return onChange(undefined);
    onChange(startOf(chosen, inherited(path) ?? node.default));
  };
  return (
    <Fold {...props} count={value === undefined ? 0 : 1}>
      <div className={`field ${styles["setting"]}`}>
        <label htmlFor={id}>{t("Form of {name}", { name: label })}</label>
        <select id={id} value={index ?? -1} onChange={({ target }) => pick(target.value === "-1" ? undefined : Number(target.value))}>
          {isEntry ? null : (
            <option value={-1}>{typeof node.default === "string" ? t("Default: {value}", { value: node.default }) : t("Not set")}</option>
          )}
          {forms.map((one, at) => (
            <option key={at} value={at}>
              {formName(one)}
            </option>
          ))}
        </select>
      </div>
      {form === undefined || "const" in form ? null : (
        <Control node={withoutDescription(form)} path={path} label={label} value={value} isEntry onChange={onChange} />
      )}
    </Fold>
  );
}

/** The form of a value: the chosen one if it fits, otherwise the one that knows most of its keys. */
export function formIndexOf(forms: readonly SchemaNode[], value: unknown, picked: number | undefined): number | undefined {
  const chosen = picked === undefined ? undefined : forms[picked];
  if (value === undefined) return picked;
  if (chosen !== undefined && fitOf(chosen, value) > 0) return picked;
  const fits = forms.map((form) => fitOf(form, value));
  const best = Math.max(...fits);
  return best > 0 ? fits.indexOf(best) : undefined;
}

/** How well a form takes a value; 0: not at all. */
function fitOf(form: SchemaNode, value: unknown): number {
  if ("const" in form) return form.const === value ? 2 : 0;
  if (form.enum !== undefined) return form.enum.includes(value) ? 2 : 0;
  if (form.type === "object") {
    if (!isRecord(value)) return 0;
    const mark = markOf(form);
    if (mark !== undefined && value[mark[0]] !== undefined) return value[mark[0]] === mark[1] ? 1000 : 0;
    const known = Object.keys(value).filter((key) => Object.hasOwn(form.properties ?? {}, key)).length;
    return 1 + known - (Object.keys(value).length - known) / 1000;
  }
  if (form.type === "array") return Array.isArray(value) ? 1 : 0;
  if (form.type === "integer" || form.type === "number") return typeof value === "number" ? 1 : 0;
  return form.type === undefined || typeof value === form.type ? 1 : 0;
}

function formName(form: SchemaNode): string {
  if ("const" in form) return String(form.const);
  if (form.enum !== undefined) return form.enum.map(String).join(", ");
  const mark = markOf(form);
  if (mark !== undefined) return String(mark[1]);
  const shape = shapeOf(form);
  switch (shape.type) {
    case "group": {
      const names = shape.properties.map(({ key, node }) => node.title ?? key);
      return names.length > 3 ? t("{names} and more", { names: names.slice(0, 3).join(", ") }) : names.join(", ");
    }
    case "texts":
    case "choices":
    case "list":
      return t("A list");
    case "number":
      return t("A number");
    case "switch":
      return t("Yes or no");
    case "text":
    case "secret":
      return t("A text");
    default:
      return t("By name");
  }
}

/** The union has said it. */
function withoutDescription({ description: _said, ...form }: SchemaNode): SchemaNode {
  return form;
}
