import { withoutUndefined } from "@factotum/agent-contract";
import type { JsonObject, JsonSchema, JsonValue } from "@factotum/agent-contract";
import { isSecretPath } from "@factotum/config";

/** One setting of an account that is asked for. */
export interface FormField {
  /** With dots for settings inside others: `transport.type`. */
  readonly key: string;
  readonly description?: string;
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** Not required, since there is an alternative to it, but what most people set: asked for at a terminal. */
  readonly isAsked?: true;
  /** Not required, but the account does little without it: named when an account was set up without it. */
  readonly isAdvised?: true;
  /** The allowed texts, if they are listed. */
  readonly choices?: readonly string[];
  /** `text`: an answer is taken as it is. `json`: it is JSON5. `map`: an object whose keys the schema does not name. */
  readonly type: "text" | "json" | "map";
  readonly default?: JsonValue;
}

/** Answers a field; `undefined` leaves it out. */
export type AnswerField = (field: FormField) => Promise<JsonValue | undefined>;

/** Fills in the settings that a JSON Schema describes, in its order. Of several forms of an object, the one whose `const` was chosen is asked for. */
export async function fillForm(schema: JsonSchema, answer: AnswerField, prefix: readonly string[] = []): Promise<JsonObject> {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const filled: Record<string, JsonValue> = {};
  for (const [name, node] of Object.entries(objectOf(schema["properties"]))) {
    const value = await fillNode(objectOf(node), { path: [...prefix, name], isRequired: required.has(name), answer });
    if (value !== undefined) filled[name] = value;
  }
  return filled;
}

/** The advised settings that an account does not have. */
export async function leftOut(schema: JsonSchema, settings: JsonObject): Promise<readonly FormField[]> {
  const fields: FormField[] = [];
  await fillForm(schema, async (field) => {
    const value = field.key.split(".").reduce<JsonValue | undefined>((at, part) => objectOf(at)[part], settings);
    if (field.isAdvised === true && value === undefined) fields.push(field);
    return value;
  });
  return fields;
}

/** The settings of a JSON Schema that are secrets, of all forms. */
export function secretPaths(schema: JsonSchema, prefix: readonly string[] = []): readonly (readonly string[])[] {
  const forms = [schema["oneOf"], schema["anyOf"]].flatMap((list) => (Array.isArray(list) ? list.map(objectOf) : []));
  const own = Object.entries(objectOf(schema["properties"])).flatMap(([name, value]) => {
    const path = [...prefix, name];
    return [...(isSecretPath(path) ? [path] : []), ...secretPaths(objectOf(value), path)];
  });
  return [...own, ...forms.flatMap((form) => secretPaths(form, prefix))];
}

interface Place {
  readonly path: readonly string[];
  readonly isRequired: boolean;
  readonly answer: AnswerField;
}

async function fillNode(node: JsonObject, place: Place): Promise<JsonValue | undefined> {
  const { path, isRequired, answer } = place;
  if (node["const"] !== undefined) return node["const"];
  const forms = formsOf(node);
  if (forms !== undefined) return fillForms(node, forms, place);
  if (node["type"] === "object" && node["properties"] !== undefined) {
    const value = await fillForm(node, isRequired ? answer : async (field) => answer({ ...field, isRequired: false }), path);
    return isRequired || Object.keys(value).length > 0 ? value : undefined;
  }
  return answer(fieldOf(node, place));
}

/** Asks which form, then for its settings. */
async function fillForms(node: JsonObject, forms: Forms, { path, isRequired, answer }: Place): Promise<JsonValue | undefined> {
  const choices = [...forms.byValue.keys()].filter((value) => typeof value === "string");
  const field = fieldOf(node, { path: [...path, forms.key], isRequired, answer });
  const { [forms.key]: preset } = objectOf(node["default"]);
  const chosen = await answer({ ...field, type: "text", isSecret: false, choices, ...withoutUndefined({ default: preset }) });
  const form = forms.byValue.get(chosen);
  if (form !== undefined) return fillForm(form, answer, path);
  return chosen === undefined ? undefined : { [forms.key]: chosen };
}

function fieldOf(node: JsonObject, { path, isRequired }: Place): FormField {
  const { description, default: written, enum: values } = node;
  return {
    key: path.join("."),
    isSecret: isSecretPath(path),
    isRequired: isRequired && written === undefined,
    type: node["type"] === "string" ? "text" : node["type"] === "object" ? "map" : "json",
    ...(node["isAsked"] === true ? { isAsked: true } : {}),
    ...(node["isAdvised"] === true ? { isAdvised: true } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(Array.isArray(values) ? { choices: values.map(String) } : {}),
    ...withoutUndefined({ default: written }),
  };
}

interface Forms {
  /** The property that tells the forms apart. */
  readonly key: string;
  readonly byValue: ReadonlyMap<JsonValue | undefined, JsonSchema>;
}

function formsOf(node: JsonObject): Forms | undefined {
  const list = [node["oneOf"], node["anyOf"]].find((forms) => Array.isArray(forms));
  const forms = (Array.isArray(list) ? list : []).map(objectOf);
  const [first] = forms;
  const key = Object.entries(objectOf(first?.["properties"])).find(([, property]) => objectOf(property)["const"] !== undefined)?.[0];
  if (key === undefined) return undefined;
  const values = forms.map((form) => objectOf(objectOf(form["properties"])[key])["const"]);
  return values.includes(undefined) ? undefined : { key, byValue: new Map(forms.map((form, index) => [values[index], form])) };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
