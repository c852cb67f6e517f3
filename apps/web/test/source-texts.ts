import { parseSync } from "vite";

/** The texts of a source file. */
export interface SourceTexts {
  /** Keys of the catalogues. */
  readonly keys: readonly string[];
  /** What a person would see untranslated, with the line. */
  readonly untranslated: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** Attributes whose values people see or hear. */
const VISIBLE = new Set(["aria-label", "aria-description", "aria-roledescription", "alt", "label", "placeholder", "title", "hint"]);
/** The same in every language, or read by programs: names of the product, of a scheme and of a command, keys of the storage. */
const NO_TEXT = /^(?:Factotum|Bearer |\/\w[\w ]*|[a-z.]+\.)$/;
/** Calls whose arguments are compared or read by the browser. */
const PLAIN_CALLS = new Set(["includes", "startsWith", "endsWith", "matchMedia", "useMediaQuery"]);
const TRANSLATORS = new Set(["t", "msg"]);
const LETTERS = /\p{L}/u;
/** Two words, a capitalised word, or one with the end of a sentence: no identifier. */
const PROSE = /\p{L}{2,}[,:;]? \p{L}|\p{Lu}\p{Ll}+[ ,]|^\p{Lu}\p{Ll}{2,}$|\p{L}[.…!?]$/u;

/** Reads the texts of a TypeScript module. A key is a literal in `t`, `msg` or `RichText`; errors for programmers need no translation. */
export function readTexts(file: string, source: string): SourceTexts {
  const keys: string[] = [];
  const untranslated: string[] = [];
  const report = (node: Node, words: string): void => {
    const line = source.slice(0, node.start + words.search(/\S/)).split("\n").length;
    untranslated.push(`${file}:${line}: ${words.trim()}`);
  };
  const visit = (node: Node, above: readonly Node[]): void => {
    const key = keyOf(node);
    if (key !== undefined) {
      keys.push(key);
      const values = listOf(node, "arguments").slice(1);
      for (const value of values) visit(value, [...above, node]);
      for (const attribute of listOf(node, "attributes")) if (nameOf(attribute) !== "id") visit(attribute, [...above, node]);
      return;
    }
    const words = wordsOf(node);
    if (words !== undefined && isSeen(node, words, above)) report(node, words);
    for (const child of childrenOf(node)) visit(child, [...above, node]);
  };
  visit(parseSync(file, source).program as unknown as Node, []);
  return { keys, untranslated };
}

function keyOf(node: Node): string | undefined {
  const [first] = listOf(node, "arguments");
  if (node.type === "CallExpression" && TRANSLATORS.has(nameOf(node["callee"]) ?? "")) return literal(first);
  if (node.type !== "JSXOpeningElement" || nameOf(node["name"]) !== "RichText") return undefined;
  return literal(listOf(node, "attributes").find((attribute) => nameOf(attribute) === "id")?.["value"]);
}

function literal(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === "JSXExpressionContainer") return literal(value["expression"]);
  return value.type === "Literal" && typeof value["value"] === "string" ? value["value"] : undefined;
}

/** The words of a piece of text in a program. */
function wordsOf(node: Node): string | undefined {
  const { value } = node;
  if (node.type === "TemplateElement") return (value as { readonly cooked?: string }).cooked;
  return (node.type === "JSXText" || node.type === "Literal") && typeof value === "string" ? value : undefined;
}

function isSeen(node: Node, words: string, above: readonly Node[]): boolean {
  if (!LETTERS.test(words) || NO_TEXT.test(words)) return false;
  const parent = above.at(-1);
  // Keys of objects, modules, types, and what is compared.
  if (parent?.type === "Property" && parent["key"] === node) return false;
  if (parent?.type === "ImportExpression" || parent?.type.startsWith("Import") === true || parent?.type.startsWith("Export") === true)
    return false;
  if (above.some(({ type }) => type.startsWith("TS") && type !== "TSAsExpression" && type !== "TSSatisfiesExpression")) return false;
  if (parent?.type === "BinaryExpression" || parent?.type === "SwitchCase" || parent?.type === "ExpressionStatement") return false;
  if (parent?.type === "MemberExpression" || (parent?.type === "CallExpression" && PLAIN_CALLS.has(calleeOf(parent)))) return false;
  if (above.some((one) => one.type === "NewExpression" && isInternalError(nameOf(one["callee"]) ?? ""))) return false;
  const holder = above.findLast(({ type }) => type === "JSXAttribute" || type === "JSXExpressionContainer" || type === "JSXElement");
  const around = above[above.lastIndexOf(holder as Node) - 1];
  if (node.type === "JSXText") return !isCode(parent);
  if (holder?.type === "JSXAttribute") return VISIBLE.has(nameOf(holder) ?? "");
  if (holder?.type === "JSXExpressionContainer" && around?.type === "JSXAttribute") return VISIBLE.has(nameOf(around) ?? "");
  const isCall = above
    .slice(above.lastIndexOf(holder as Node) + 1)
    .some(({ type }) => type === "CallExpression" || type === "ArrowFunctionExpression");
  if (holder?.type === "JSXExpressionContainer" && !isCall) return true;
  return PROSE.test(words);
}

/** Failures of requests are shown to people; all others are for programmers. */
function isInternalError(name: string): boolean {
  return name.endsWith("Error") && name !== "RpcError";
}

function calleeOf({ callee }: Node): string {
  return nameOf(callee) ?? (isNode(callee) ? (nameOf(callee["property"]) ?? "") : "");
}

function isCode(element: Node | undefined): boolean {
  return isNode(element?.["openingElement"]) && ["code", "kbd"].includes(nameOf(element["openingElement"]["name"]) ?? "");
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value): readonly Node[] =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

function listOf(node: Node, field: string): readonly Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function nameOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  const { name } = value;
  return typeof name === "string" ? name : nameOf(name);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
