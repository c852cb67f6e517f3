import { showJson } from "../json.ts";
import type { Finding, WireRule } from "../strict/rule.ts";
import type { ShapeFault, ShapeFaultType } from "../strict/shape-check.ts";

const WORDS: Readonly<Record<string, string>> = {
  string: "a valid string",
  integer: "a valid integer",
  number: "a valid number",
  boolean: "a valid boolean",
  object: "a valid dictionary",
  array: "a valid list",
  null: "null",
};

interface ShapeRuleDraft {
  readonly id: string;
  readonly faults: readonly ShapeFaultType[];
  readonly description: string;
  readonly vendorText: string;
  readonly words: (fault: ShapeFault) => string;
}

const DRAFTS: readonly ShapeRuleDraft[] = [
  {
    id: "unknown-field",
    faults: ["unknown-field"],
    description: "No object has a field that the API does not know.",
    vendorText: "Extra inputs are not permitted",
    words: () => "Extra inputs are not permitted",
  },
  {
    id: "field-missing",
    faults: ["field-missing"],
    description: "Required fields are there.",
    vendorText: "Field required",
    words: () => "Field required",
  },
  {
    id: "field-type",
    faults: ["field-type"],
    description: "Every field has its type.",
    vendorText: "Input should be a valid …",
    words: ({ expected }) => `Input should be ${expected.map((type) => WORDS[type] ?? String(type)).join(" or ")}`,
  },
  {
    id: "field-value",
    faults: ["field-value"],
    description: "Fields with a list of values have one of them: roles, kinds of content.",
    vendorText: "Input tag '…' found using '…' does not match any of the expected tags: …",
    words: ({ expected, value, path }) =>
      `Input tag '${showJson(value)}' found using '${path.at(-1)}' does not match any of the expected tags: ${expected.map((tag) => `'${tag}'`).join(", ")}`,
  },
  {
    id: "number-range",
    faults: ["number-range"],
    description: "Numbers keep within their limits.",
    vendorText: "Input should be less than or equal to …",
    words: ({ above, expected }) => `Input should be ${above ? "less" : "greater"} than or equal to ${expected[0]}`,
  },
];

/** The rules of a body's shape: the vendor's validator answers them with a 422. */
export const MISTRAL_SHAPE_RULES: readonly WireRule<never>[] = DRAFTS.map(({ faults, words, ...facts }) => ({
  ...facts,
  type: "shape",
  errorType: "invalid-request",
  status: 422,
  check: (fault: ShapeFault): Finding | undefined =>
    faults.includes(fault.type) ? { message: words(fault), param: ["body", ...fault.path].join(".") } : undefined,
}));
