import { showJson } from "../json.ts";
import type { Finding, WireRule } from "../strict/rule.ts";
import { bracketPath, type ShapeFault, type ShapeFaultType } from "../strict/shape-check.ts";

/** The vendor's names for JSON Schema types. */
const WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a decimal",
  boolean: "a boolean",
  object: "an object",
  array: "an array",
  null: "null",
};

function nameOf(value: ShapeFault["value"]): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  return WORDS[typeof value] ?? "nothing";
}

function oneOf(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? "") : `one of ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function supported(values: readonly (string | number)[]): string {
  return values.map((value) => `'${value}'`).join(", ");
}

function lengthOf({ value }: ShapeFault): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : 0;
}

interface ShapeRuleDraft {
  readonly id: string;
  readonly faults: ShapeFaultType;
  readonly above?: boolean;
  readonly description: string;
  readonly vendorText: string;
  readonly code: string;
  readonly words: (fault: ShapeFault, path: string) => string;
}

const DRAFTS: readonly ShapeRuleDraft[] = [
  {
    id: "unknown-field",
    faults: "unknown-field",
    description: "No object has a field that the API does not know.",
    vendorText: "Unknown parameter: '…'.",
    code: "unknown_parameter",
    words: (_fault, path) => `Unknown parameter: '${path}'.`,
  },
  {
    id: "field-missing",
    faults: "field-missing",
    description: "Required fields are there.",
    vendorText: "Missing required parameter: '…'.",
    code: "missing_required_parameter",
    words: (_fault, path) => `Missing required parameter: '${path}'.`,
  },
  {
    id: "field-type",
    faults: "field-type",
    description: "Every field has its type.",
    vendorText: "Invalid type for '…': expected …, but got … instead.",
    code: "invalid_type",
    words: (fault, path) =>
      `Invalid type for '${path}': expected ${oneOf(fault.expected.map((type) => WORDS[type] ?? String(type)))}, but got ${nameOf(fault.value)} instead.`,
  },
  {
    id: "field-value",
    faults: "field-value",
    description: "Fields with a list of values have one of them: roles, kinds of content, efforts.",
    vendorText: "Invalid value: '…'. Supported values are: ….",
    code: "invalid_value",
    words: (fault) => `Invalid value: '${showJson(fault.value)}'. Supported values are: ${supported(fault.expected)}.`,
  },
  {
    id: "string-too-long",
    faults: "string-length",
    above: true,
    description: "Strings keep within their limits: ids of calls, names of tools, the cache key.",
    vendorText: "Invalid '…': string too long. Expected a string with maximum length …, but got a string with length … instead.",
    code: "string_above_max_length",
    words: (fault, path) =>
      `Invalid '${path}': string too long. Expected a string with maximum length ${fault.expected[0]}, but got a string with length ${lengthOf(fault)} instead.`,
  },
  {
    id: "string-empty",
    faults: "string-length",
    above: false,
    description: "Names and ids are not empty.",
    vendorText: "Invalid '…': empty string. Expected a string with minimum length 1, but got an empty string instead.",
    code: "empty_string",
    words: (_fault, path) => `Invalid '${path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
  },
  {
    id: "string-pattern",
    faults: "string-pattern",
    description: "Names of tools have letters, digits, _ and - only.",
    vendorText: "Invalid '…': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    code: "invalid_value",
    words: (fault, path) =>
      `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${fault.expected[0]}'.`,
  },
  {
    id: "list-too-long",
    faults: "list-length",
    above: true,
    description: "Lists keep within their limits: tools, stop sequences.",
    vendorText: "Invalid '…': array too long. Expected an array with maximum length …, but got an array with length … instead.",
    code: "array_above_max_length",
    words: (fault, path) =>
      `Invalid '${path}': array too long. Expected an array with maximum length ${fault.expected[0]}, but got an array with length ${lengthOf(fault)} instead.`,
  },
  {
    id: "list-empty",
    faults: "list-length",
    above: false,
    description: "Lists that may be left out are not sent empty.",
    vendorText: "Invalid '…': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    code: "empty_array",
    words: (_fault, path) => `Invalid '${path}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
  },
  {
    id: "number-too-large",
    faults: "number-range",
    above: true,
    description: "Numbers keep below their limits.",
    vendorText: "Invalid '…': decimal above maximum value. Expected a value <= …, but got … instead.",
    code: "decimal_above_max_value",
    words: (fault, path) =>
      `Invalid '${path}': decimal above maximum value. Expected a value <= ${fault.expected[0]}, but got ${showJson(fault.value)} instead.`,
  },
  {
    id: "number-too-small",
    faults: "number-range",
    above: false,
    description: "Numbers keep above their limits.",
    vendorText: "Invalid '…': integer below minimum value. Expected a value >= …, but got … instead.",
    code: "integer_below_min_value",
    words: (fault, path) =>
      `Invalid '${path}': integer below minimum value. Expected a value >= ${fault.expected[0]}, but got ${showJson(fault.value)} instead.`,
  },
];

/** Rules for a body's shape, each with the vendor's code. */
export const OPENAI_SHAPE_RULES: readonly WireRule<never>[] = DRAFTS.map(({ faults, above, words, ...facts }) => ({
  ...facts,
  type: "shape",
  errorType: "invalid-request",
  check: (fault: ShapeFault): Finding | undefined => {
    // An empty name is reported as too short, and not for its pattern too.
    const said = faults === "string-pattern" && fault.value === "";
    if (said || fault.type !== faults || (above !== undefined && fault.above !== above)) return undefined;
    const path = bracketPath(fault.path);
    return { message: words(fault, path), param: path };
  },
}));
