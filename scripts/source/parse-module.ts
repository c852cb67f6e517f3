import { type Comment, parseSync, type Program, Visitor } from "oxc-parser";

/** An exported name: declared in this module, or re-exported. */
interface ModuleExport {
  readonly name: string;
  /** Its name in its declaration. */
  readonly localName: string;
  /** The module of `export … from`. */
  readonly from?: string;
}

/** A name, a string or a comment, with its first line. */
interface SourceText {
  readonly text: string;
  readonly line: number;
}

/** Facts about one module for the repository's checks. */
export interface ParsedModule {
  /** Specifiers of imports, re-exports, `import()` with a literal and `import("…")` types; types and values alike. */
  readonly imports: readonly string[];
  readonly exports: readonly ModuleExport[];
  /** True for `export *`, with or without a name. */
  readonly hasExportAll: boolean;
  /** Names declared at the top level; true if a doc comment precedes the declaration. */
  readonly declarations: ReadonlyMap<string, boolean>;
  readonly identifiers: readonly SourceText[];
  /** Strings, templates between their holes, and text of elements. */
  readonly literals: readonly SourceText[];
  readonly comments: readonly SourceText[];
}

/** Parses one TypeScript or JavaScript module; throws on a syntax error. */
export function parseModule(file: string, source: string): ParsedModule {
  const { program, module, comments, errors } = parseSync(file, source);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const lineOf = createLineIndex(source);
  const entries = module.staticExports.flatMap((statement) => statement.entries);
  return {
    ...readProgram(program, lineOf),
    exports: entries.flatMap(({ exportName, localName, importName, moduleRequest }) => {
      if (exportName.name === null) return [];
      const from = moduleRequest === null ? {} : { from: moduleRequest.value };
      return [{ name: exportName.name, localName: localName.name ?? importName.name ?? exportName.name, ...from }];
    }),
    declarations: readDeclarations(program, comments, source),
    comments: comments.map(({ value, start }) => ({ text: value, line: lineOf(start) })),
  };
}

function readProgram(program: Program, lineOf: (offset: number) => number) {
  const imports: string[] = [];
  const identifiers: SourceText[] = [];
  const literals: SourceText[] = [];
  let hasExportAll = false;
  const literal = (text: string, start: number): void => void literals.push({ text, line: lineOf(start) });
  new Visitor({
    ImportDeclaration: ({ source }) => void imports.push(source.value),
    ExportNamedDeclaration: ({ source }) => void (source === null || imports.push(source.value)),
    ExportAllDeclaration: ({ source }) => {
      imports.push(source.value);
      hasExportAll = true;
    },
    ImportExpression: ({ source }) => void (source.type === "Literal" && typeof source.value === "string" && imports.push(source.value)),
    TSImportType: ({ source }) => void imports.push(source.value),
    Identifier: ({ name, start }) => void identifiers.push({ text: name, line: lineOf(start) }),
    Literal: ({ value, start }) => void (typeof value === "string" && literal(value, start)),
    TemplateElement: ({ value, start }) => literal(value.cooked ?? value.raw, start),
    JSXText: ({ value, start }) => literal(value, start),
  }).visit(program);
  return { imports, identifiers, literals, hasExportAll };
}

function readDeclarations(program: Program, comments: readonly Comment[], source: string): Map<string, boolean> {
  const documented = new Map<string, boolean>();
  for (const statement of program.body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration === null) continue;
    const hasDoc = comments.some(
      ({ type, value, end }) =>
        type === "Block" && value.startsWith("*") && end <= statement.start && source.slice(end, statement.start).trim() === "",
    );
    for (const name of namesOf(declaration)) documented.set(name, hasDoc || documented.get(name) === true);
  }
  return documented;
}

function namesOf(declaration: object): string[] {
  if ("declarations" in declaration && Array.isArray(declaration.declarations)) {
    return declaration.declarations.flatMap((part: { id: { type: string; name?: string } }) => part.id.name ?? []);
  }
  if ("id" in declaration && typeof declaration.id === "object" && declaration.id !== null && "name" in declaration.id) {
    return typeof declaration.id.name === "string" ? [declaration.id.name] : [];
  }
  return [];
}

/** Finds the line, from 1, of an offset. */
function createLineIndex(source: string): (offset: number) => number {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? Infinity) <= offset) low = middle;
      else high = middle;
    }
    return high;
  };
}
