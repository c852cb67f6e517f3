import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import { isObject } from "./check-schema.ts";

/** What a person's answer becomes. */
export type FieldValue = string | number | boolean | readonly string[];

/** An answer as a value, or what is wrong with it, for the person. */
type CheckedAnswer = { readonly type: "value"; readonly value: FieldValue } | { readonly type: "invalid"; readonly message: string };

/** One field of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** Texts of which one, or several, may be chosen. Absent: a text of one's own. */
  readonly choices?: readonly string[];
  readonly hint: string;
  readonly fallback?: FieldValue;
  readonly check: (answer: string) => CheckedAnswer;
}

/** A form, or why it is not shown. */
export type ParsedForm =
  | { readonly type: "form"; readonly fields: readonly FormField[] }
  | { readonly type: "refused"; readonly reason: string };

const MAX_FIELDS = 20;
const MAX_CHOICES = 50;
const MAX_LABEL_CHARS = 100;
const MAX_DESCRIPTION_CHARS = 300;
/** Answers are kept with the conversation, and servers may not ask for such things in a form. */
const SECRET_NAME = /passw|passphrase|secret|token|credential|api.?key|private.?key|(^|[^a-z])(pin|otp|cvv)([^a-z]|$)/i;

/** Reads the schema of a form: a flat object of plain values, as the protocol has it. Nothing of it is compiled. */
export function parseForm(schema: JsonValue | undefined): ParsedForm {
  const properties = isObject(schema) ? (schema["properties"] ?? {}) : undefined;
  if (!isObject(schema) || !isObject(properties)) return refused("its form is not an object");
  const entries = Object.entries(properties);
  if (entries.length > MAX_FIELDS) return refused(`its form has more than ${MAX_FIELDS} fields`);
  const required: readonly JsonValue[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields: FormField[] = [];
  for (const [name, property] of entries) {
    const field = isObject(property) ? parseField(name, property, required.includes(name)) : undefined;
    if (field === undefined)
      return refused(`its form has a field that is not understood: ${JSON.stringify(name.slice(0, MAX_LABEL_CHARS))}`);
    if (SECRET_NAME.test(name) || SECRET_NAME.test(field.label))
      return refused(`its form asks for a secret: ${JSON.stringify(field.label)}`);
    fields.push(field);
  }
  return { type: "form", fields };
}

function refused(reason: string): ParsedForm {
  return { type: "refused", reason };
}

function parseField(name: string, property: JsonObject, isRequired: boolean): FormField | undefined {
  const kind = kindOf(property);
  if (kind === undefined) return undefined;
  const fallback = property["default"];
  const known = isFieldValue(fallback) ? { fallback } : {};
  return {
    name,
    label: lineOf(property["title"] ?? name, MAX_LABEL_CHARS) || name.slice(0, MAX_LABEL_CHARS),
    description: lineOf(property["description"], MAX_DESCRIPTION_CHARS),
    isRequired: isRequired && fallback === undefined,
    ...kind,
    ...known,
  };
}

type FieldKind = Pick<FormField, "choices" | "hint" | "check">;

function kindOf(property: JsonObject): FieldKind | undefined {
  switch (property["type"]) {
    case "boolean":
      return { choices: ["Yes", "No"], hint: "", check: checkBoolean };
    case "number":
    case "integer":
      return numberKind(property, property["type"] === "integer");
    case "array":
      return isObject(property["items"]) ? severalKind(property, property["items"]) : undefined;
    case "string":
      return property["enum"] === undefined && property["oneOf"] === undefined ? textKind(property) : choiceKind(property);
    default:
      return undefined;
  }
}

function checkBoolean(answer: string): CheckedAnswer {
  if (/^(y|yes|true|on)$/i.test(answer)) return valueOf(true);
  return /^(n|no|false|off)$/i.test(answer) ? valueOf(false) : invalid("Answer Yes or No.");
}

function numberKind(property: JsonObject, isWhole: boolean): FieldKind {
  const least = numberOf(property["minimum"]) ?? -Infinity;
  const most = numberOf(property["maximum"]) ?? Infinity;
  const range = [least === -Infinity ? "" : ` from ${least}`, most === Infinity ? "" : ` to ${most}`].join("");
  const hint = `${isWhole ? "A whole number" : "A number"}${range}.`;
  return {
    hint,
    check: (answer) => {
      const number = /^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?$/i.test(answer) ? Number(answer.replace(",", ".")) : Number.NaN;
      const fits = Number.isFinite(number) && (!isWhole || Number.isSafeInteger(number)) && number >= least && number <= most;
      return fits ? valueOf(number) : invalid(`${hint.slice(0, -1)} is expected.`);
    },
  };
}

/** Formats that the protocol has. */
const FORMATS: ReadonlyMap<JsonValue | undefined, { readonly hint: string; readonly fits: (text: string) => boolean }> = new Map([
  ["email", { hint: "An e-mail address.", fits: (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) }],
  ["uri", { hint: "An address such as https://example.org.", fits: (text: string) => URL.canParse(text) }],
  ["date", { hint: "A date such as 2026-01-31.", fits: isDate }],
  [
    "date-time",
    {
      hint: "A date and time such as 2026-01-31T12:00:00Z.",
      fits: (text: string) =>
        isDate(text.slice(0, 10)) &&
        /^.{10}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i.test(text) &&
        !Number.isNaN(Date.parse(text)),
    },
  ],
]);

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function textKind(property: JsonObject): FieldKind {
  const least = numberOf(property["minLength"]) ?? 0;
  const most = numberOf(property["maxLength"]) ?? Infinity;
  const format = FORMATS.get(property["format"]);
  return {
    hint: format?.hint ?? "",
    check: (answer) => {
      if (answer.length < least) return invalid(`At least ${least} characters are expected.`);
      if (answer.length > most) return invalid(`At most ${most} characters are expected.`);
      return format === undefined || format.fits(answer) ? valueOf(answer) : invalid(`This is expected: ${format.hint}`);
    },
  };
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

function choiceKind(property: JsonObject): FieldKind | undefined {
  const choices = choicesOf(property);
  if (choices === undefined) return undefined;
  return {
    choices: choices.map(({ title }) => title),
    hint: "",
    check: (answer) => {
      const chosen = findChoice(choices, answer);
      return chosen === undefined ? invalid("Choose one of them.") : valueOf(chosen.value);
    },
  };
}

function severalKind(property: JsonObject, items: JsonObject): FieldKind | undefined {
  const choices = choicesOf(items);
  if (choices === undefined) return undefined;
  const least = numberOf(property["minItems"]) ?? 0;
  const most = numberOf(property["maxItems"]) ?? choices.length;
  return {
    hint: `Some of these, with commas in between: ${choices.map(({ title }) => title).join(", ")}.`,
    check: (answer) => {
      const words = answer.split(",").map((word) => word.trim());
      const chosen = words.filter((word) => word !== "").map((word) => findChoice(choices, word));
      const known = [...new Set(chosen.flatMap((choice) => choice?.value ?? []))];
      if (chosen.includes(undefined)) return invalid("One of these is not among them.");
      return known.length < least || known.length > most ? invalid(`Choose ${least} to ${most} of them.`) : valueOf(known);
    },
  };
}

function findChoice(choices: readonly Choice[], answer: string): Choice | undefined {
  const said = answer.toLowerCase();
  return choices.find(({ value }) => value === answer) ?? choices.find(({ title }) => title.toLowerCase() === said);
}

/** `enum`, or `oneOf` and `anyOf` with titles. */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: JsonObject): readonly Choice[] | undefined {
  const titled = oneOf ?? anyOf;
  const listed = Array.isArray(values) ? (values as readonly JsonValue[]) : Array.isArray(titled) ? (titled as readonly JsonValue[]) : [];
  const names: readonly JsonValue[] = Array.isArray(enumNames) ? enumNames : [];
  const choices = listed.map((one, index): Choice | undefined => {
    const value = isObject(one) ? one["const"] : one;
    const title = isObject(one) ? one["title"] : names[index];
    return typeof value === "string" ? { value, title: lineOf(title, MAX_LABEL_CHARS) || value } : undefined;
  });
  const known = choices.filter((choice) => choice !== undefined);
  return known.length === 0 || known.length < listed.length || known.length > MAX_CHOICES ? undefined : known;
}

function isFieldValue(value: JsonValue | undefined): value is string | number | boolean | readonly string[] {
  if (Array.isArray(value)) return value.every((one) => typeof one === "string");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function valueOf(value: FieldValue): CheckedAnswer {
  return { type: "value", value };
}

function invalid(message: string): CheckedAnswer {
  return { type: "invalid", message };
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function lineOf(value: JsonValue | undefined, maxChars: number): string {
  return typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim().slice(0, maxChars).toWellFormed() : "";
}
