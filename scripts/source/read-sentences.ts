import { parseSync } from "oxc-parser";

/** A sentence of a source file, as a template: `There is no agent "{0}".` */
export interface SourceSentence {
  readonly template: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Which texts are read. */
export interface SentenceFilter {
  /** The texts of two words or more in the arguments of these constructors; without it, every sentence of the module. */
  readonly constructors?: readonly string[];
  /** Every text of two words or more: for messages that are put together of clauses. */
  readonly phrases?: boolean;
  /** Calls whose arguments are left out, such as those of a log. */
  readonly except?: RegExp;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Stands for a value until placeholders are numbered. */
const VALUE = "\ue000";
/** An expression with more forms is not written out: its choices are values. */
const MAX_FORMS = 16;
/** From a capital letter, a digit, a quotation mark or a value to the end of a sentence. */
const SENTENCE = /^[\p{Lu}\d"'`\ue000][^]*\s[^]*[.!?]["')]?$/u;
/** Two words, or one next to a value. */
const TWO_WORDS = /\p{L}\s\p{L}{2,}|\p{L}{2,}[^\p{L}]*\s[^]*\p{L}{2,}|\p{L}{2,}[^]*\s\ue000|\ue000[^]*\s[^]*\p{L}{2,}/u;

/**
 * Reads the sentences that a TypeScript module has as literals and templates; parts that are put together with `+` are one text, and one with a choice has a form for
 * each branch. Types, imports, keys and texts that are compared are left out.
 */
export function readSentences(
  file: string,
  source: string,
  { constructors, phrases = constructors !== undefined, except }: SentenceFilter = {},
): readonly SourceSentence[] {
  const found: SourceSentence[] = [];
  const { program } = parseSync(file, source);
  const constants = constantsOf(program as unknown as Node);
  const add = (node: Node): void => {
    const line = source.slice(0, node.start).split("\n").length;
    for (const form of formsOf(node, constants).map((text) => text.trim().replace(/^; /, ""))) {
      if (phrases ? TWO_WORDS.test(form) : SENTENCE.test(form) && /\p{L}{2,}/u.test(form)) found.push({ template: numbered(form), line });
    }
  };
  const visit = (node: Node, isRead: boolean): void => {
    if (isLeftOut(node)) return;
    if (isText(node)) {
      if (isRead) add(node);
      // What a template calls may have sentences of its own; of an error, they are values.
      if (constructors === undefined) for (const value of childrenOf(node)) visit(value, isRead && value.type.endsWith("CallExpression"));
      return;
    }
    if (isCall(node) && except?.test(nameIn(source, node)) === true) return;
    const isConstructed = constructors?.includes(nameIn(source, node)) === true && node.type === "NewExpression";
    for (const child of childrenOf(node)) visit(child, isRead || (isConstructed && child !== node["callee"]));
  };
  visit(program as unknown as Node, constructors === undefined);
  return found;
}

/** The forms of an expression, with `VALUE` for what is known only when it runs. */
function formsOf(node: Node, constants: Constants): readonly string[] {
  const forms = (one: Node): readonly string[] => formsOf(one, constants);
  switch (node.type) {
    case "Literal":
      return [typeof node["value"] === "string" ? node["value"] : VALUE];
    case "TemplateLiteral": {
      const texts = listOf(node, "quasis").map(({ value }) => String((value as { readonly cooked?: string }).cooked));
      const values = listOf(node, "expressions").map(forms);
      return texts
        .slice(1)
        .reduce<readonly string[]>((before, text, at) => combine(combine(before, values[at] ?? []), [text]), texts.slice(0, 1));
    }
    case "BinaryExpression":
      return node["operator"] === "+" ? combine(forms(nodeOf(node, "left")), forms(nodeOf(node, "right"))) : [VALUE];
    case "ConditionalExpression":
      return unique([...forms(nodeOf(node, "consequent")), ...forms(nodeOf(node, "alternate"))]);
    case "LogicalExpression":
      return node["operator"] === "??" ? unique([...forms(nodeOf(node, "left")), ...forms(nodeOf(node, "right"))]) : [VALUE];
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return forms(nodeOf(node, "expression"));
    case "CallExpression": {
      // `plural(count, "job")` is one job, or several jobs.
      const [, one, many] = listOf(node, "arguments").map((value) => value["value"]);
      if (nodeOf(node, "callee")["name"] !== "plural" || typeof one !== "string") return [VALUE];
      return [`1 ${one}`, `${VALUE} ${typeof many === "string" ? many : `${one}s`}`];
    }
    case "Identifier":
      return [constants.get(String(node["name"])) ?? VALUE];
    default:
      return [VALUE];
  }
}

/** The texts of a module that have a name. */
type Constants = ReadonlyMap<string, string>;

function constantsOf(program: Node): Constants {
  const declared = listOf(program, "body").flatMap((statement) => listOf(statement, "declarations"));
  return new Map(
    declared.flatMap((one): readonly [string, string][] => {
      const [id, value] = [one["id"], one["init"]];
      return isNode(id) && isNode(value) && typeof value["value"] === "string" ? [[String(id["name"]), value["value"]]] : [];
    }),
  );
}

function combine(before: readonly string[], after: readonly string[]): readonly string[] {
  if (before.length * after.length > MAX_FORMS) return before.map((text) => text + VALUE);
  return before.flatMap((text) => after.map((other) => text + other));
}

function unique(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)];
}

/** Values next to each other are one. */
function numbered(form: string): string {
  let count = 0;
  return form.replaceAll(/\ue000+/g, () => `{${count++}}`);
}

function isText(node: Node): boolean {
  if (node.type === "Literal") return typeof node["value"] === "string";
  return node.type === "TemplateLiteral" || (node.type === "BinaryExpression" && node["operator"] === "+");
}

function isLeftOut({ type, ...node }: Node): boolean {
  if (type.startsWith("Import") || (type === "SwitchCase" && node["consequent"] === undefined)) return true;
  if (type.startsWith("TS")) return type !== "TSAsExpression" && type !== "TSSatisfiesExpression" && type !== "TSNonNullExpression";
  return type === "BinaryExpression" && node["operator"] !== "+";
}

function isCall({ type }: Node): boolean {
  return type === "CallExpression";
}

/** What is called or constructed, as it is written. */
function nameIn(source: string, node: Node): string {
  const callee = node["callee"];
  return isNode(callee) ? source.slice(callee.start, callee.end) : "";
}

function childrenOf(node: Node): readonly Node[] {
  const fields = Object.entries(node).filter(([field]) => !(node.type === "Property" && field === "key"));
  return fields.flatMap(([, value]) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));
}

function listOf(node: Node, field: string): readonly Node[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function nodeOf(node: Node, field: string): Node {
  const value = node[field];
  if (!isNode(value)) throw new TypeError(`${node.type} has no ${field}`);
  return value;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}
