/** A node of a JSON Schema, as `config.schema` gives it. */
export interface SchemaNode {
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly propertyNames?: SchemaNode;
  readonly pattern?: string;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly allOf?: readonly SchemaNode[];
  /** The value is written, and never shown. */
  readonly "x-secret"?: boolean;
  /** It takes effect after a restart. */
  readonly "x-restart"?: boolean;
  /** It has no effect in this version. */
  readonly "x-inactive"?: boolean;
}

/** A value that is chosen from a list. */
export type Choice = string | number | boolean;

/** A key of an object. */
export interface GroupProperty {
  readonly key: string;
  readonly node: SchemaNode;
  readonly isRequired: boolean;
}

/** Which control a node gets. */
export type Shape =
  /** A text, or where it is: a variable, a file, a program. */
  | { readonly type: "secret" }
  | { readonly type: "text"; readonly suggestions: readonly string[] }
  | { readonly type: "number" }
  | { readonly type: "switch" }
  | { readonly type: "choice"; readonly choices: readonly Choice[] }
  | { readonly type: "texts" }
  | { readonly type: "choices"; readonly choices: readonly Choice[] }
  | { readonly type: "list"; readonly item: SchemaNode }
  | { readonly type: "group"; readonly properties: readonly GroupProperty[]; readonly others: SchemaNode | undefined }
  | { readonly type: "map"; readonly entry: SchemaNode; readonly names: SchemaNode | undefined }
  | { readonly type: "union"; readonly forms: readonly SchemaNode[] }
  /** Any value. */
  | { readonly type: "json" };

/** The forms of a node, with unions flattened. */
export function formsOf(node: SchemaNode): readonly SchemaNode[] {
  const nested = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return nested.length === 0 ? [node] : nested.flatMap(formsOf);
}

/** Which control a node gets. Forms that one control can write are one: a text or one of some words, a value or a list of such values. */
export function shapeOf(node: SchemaNode): Shape {
  const forms = formsOf(node);
  if (isReferable(forms)) return { type: "secret" };
  const [form] = forms;
  if (form !== undefined && forms.length === 1) return shapeOfForm(form);
  if (forms.every(isNumber)) return { type: "number" };
  const choices = choicesOf(forms);
  if (choices !== undefined) return { type: "choice", choices };
  if (forms.every(isScalarText) && forms.some(isFreeText))
    return { type: "text", suggestions: (choicesOf(forms.filter((one) => !isFreeText(one))) ?? []).map(String) };
  return listOf(forms) ?? { type: "union", forms };
}

/** The description of a node, or those of its forms. */
export function descriptionOf(node: SchemaNode): string {
  const own = [node, ...formsOf(node)].flatMap(({ description = "" }) => (description === "" ? [] : [description]));
  return [...new Set(own)].join(" ");
}

/** The value of a key that says which form of a union an object has; `undefined` without one. */
export function markOf(form: SchemaNode): readonly [key: string, value: Choice] | undefined {
  for (const [key, { const: value }] of Object.entries(form.properties ?? {}))
    if (isChoice(value) && form.required?.includes(key) === true) return [key, value];
  return undefined;
}

/** A value in a control for texts; empty without a value. */
export function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** True for an object with names as keys. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shapeOfForm(form: SchemaNode): Shape {
  const choices = choicesOf([form]);
  switch (form.type) {
    case "boolean":
      return { type: "switch" };
    case "integer":
    case "number":
      return "const" in form && choices !== undefined ? { type: "choice", choices } : { type: "number" };
    case "array":
      return shapeOfList(form.items);
    case "object":
      return shapeOfObject(form);
    default:
      if (choices !== undefined) return { type: "choice", choices };
      return form.type === "string" ? { type: "text", suggestions: [] } : { type: "json" };
  }
}

function shapeOfList(item: SchemaNode | undefined): Shape {
  if (item === undefined) return { type: "json" };
  const shape = shapeOf(item);
  if (shape.type === "text") return { type: "texts" };
  return shape.type === "choice" ? { type: "choices", choices: shape.choices } : { type: "list", item };
}

function shapeOfObject(form: SchemaNode): Shape {
  const { properties = {}, required = [], additionalProperties, propertyNames } = form;
  const others = isRecord(additionalProperties) ? (additionalProperties as SchemaNode) : undefined;
  if (Object.keys(properties).length > 0) {
    // The choice of the form writes the key that says which form it is.
    const [mark] = markOf(form) ?? [];
    const shown = Object.entries(properties).filter(([key]) => key !== mark);
    return { type: "group", properties: shown.map(([key, node]) => ({ key, node, isRequired: required.includes(key) })), others };
  }
  return others === undefined ? { type: "json" } : { type: "map", entry: others, names: propertyNames };
}

/** A value or a list of such values is a list: one entry means the same. */
function listOf(forms: readonly SchemaNode[]): Shape | undefined {
  const [list, ...more] = forms.filter(({ type }) => type === "array");
  if (list === undefined || more.length > 0) return undefined;
  const single = shapeOf({ anyOf: forms.filter((form) => form !== list) }).type;
  const shape = shapeOfList(list.items);
  return (shape.type === "texts" && single === "text") || (shape.type === "choices" && single === "choice") ? shape : undefined;
}

/** The values that forms allow, if these are a few. */
function choicesOf(forms: readonly SchemaNode[]): readonly Choice[] | undefined {
  const choices = forms.flatMap((form): readonly unknown[] => {
    if ("const" in form) return [form.const];
    return form.enum ?? (form.type === "boolean" ? [true, false] : [undefined]);
  });
  return choices.every(isChoice) && choices.length > 0 ? choices : undefined;
}

function isChoice(value: unknown): value is Choice {
  return ["string", "number", "boolean"].includes(typeof value);
}

function isNumber({ type, const: value }: SchemaNode): boolean {
  return type === "number" || type === "integer" || typeof value === "number";
}

/** An id may be written as a number. */
function isScalarText(form: SchemaNode): boolean {
  return form.type === "string" || form.type === "integer" || (choicesOf([form])?.every((choice) => typeof choice === "string") ?? false);
}

function isFreeText(form: SchemaNode): boolean {
  return form.type === "string" && choicesOf([form]) === undefined;
}

/** True for a text that can also be read from elsewhere. */
function isReferable(forms: readonly SchemaNode[]): boolean {
  return forms.length > 1 && ["env", "file", "exec"].every((key) => forms.some(({ properties = {} }) => key in properties));
}
