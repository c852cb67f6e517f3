import { showJson } from "../json.ts";
import type { Finding, WireRule } from "../strict/rule.ts";
import { bracketPath, type ShapeFault } from "../strict/shape-check.ts";

/** The vendor names fields in snake case, whatever the client sends. */
function snakePath(path: ShapeFault["path"]): string {
  return bracketPath(
    path.map((step) => (typeof step === "string" ? step.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : step)),
  );
}

const KINDS: Readonly<Record<string, string>> = {
  string: "TYPE_STRING",
  integer: "TYPE_INT32",
  number: "TYPE_DOUBLE",
  boolean: "TYPE_BOOL",
};

function found(words: string, path: string): Finding {
  return { message: words, param: path };
}

/** What the vendor's JSON parser refuses before it interprets anything. */
export const GOOGLE_SHAPE_RULES: readonly WireRule<never>[] = [
  {
    id: "unknown-field",
    type: "shape",
    errorType: "invalid-request",
    description: "No object has a field that the API does not know; schemas of functions are a subset of OpenAPI's.",
    vendorText: "Invalid JSON payload received. Unknown name \"…\" at '…': Cannot find field.",
    check: (fault) => {
      if (fault.type !== "unknown-field") return undefined;
      const place = snakePath(fault.path.slice(0, -1));
      const at = place === "" ? "" : ` at '${place}'`;
      return found(`Invalid JSON payload received. Unknown name "${fault.path.at(-1)}"${at}: Cannot find field.`, place);
    },
  },
  {
    id: "list-unexpected",
    type: "shape",
    errorType: "invalid-request",
    description: "A list stands only where a list may stand: a schema has one type.",
    vendorText: "Invalid value at '…' …: Proto field is not repeating, cannot start list.",
    check: (fault) =>
      (fault.type === "field-type" || fault.type === "field-value") && Array.isArray(fault.value)
        ? found(`Invalid value at '${snakePath(fault.path)}': Proto field is not repeating, cannot start list.`, snakePath(fault.path))
        : undefined,
  },
  {
    id: "field-type",
    type: "shape",
    errorType: "invalid-request",
    description: "Every field has its type.",
    vendorText: "Invalid value at '…' (TYPE_…), …",
    check: (fault) =>
      (fault.type === "field-type" || fault.type === "string-pattern") && !Array.isArray(fault.value)
        ? found(
            `Invalid value at '${snakePath(fault.path)}' (${KINDS[String(fault.expected[0])] ?? "type.googleapis.com/google.protobuf.Struct"}), ${showJson(fault.value)}`,
            snakePath(fault.path),
          )
        : undefined,
  },
  {
    id: "field-value",
    type: "shape",
    errorType: "invalid-request",
    description: "Fields with a list of values have one of them.",
    vendorText: "Invalid value at '…' (type.googleapis.com/google.ai.generativelanguage.v1beta.…), \"…\"",
    check: (fault) =>
      fault.type === "field-value" && !Array.isArray(fault.value)
        ? found(
            `Invalid value at '${snakePath(fault.path)}' (type.googleapis.com/google.ai.generativelanguage.v1beta), ${JSON.stringify(fault.value)}`,
            snakePath(fault.path),
          )
        : undefined,
  },
];
