import { dirname, join } from "node:path";
import { parseModule } from "../source/parse-module.ts";
import type { RepositoryCopy } from "./repository-copy.ts";

/** One rule broken, and who must notice. */
export interface Violation {
  readonly name: string;
  /** The package in which it lies, whose unit tests are run. */
  readonly project: "sandbox" | "webchat" | "channel-conformance";
  /** The gate that fails, alone. */
  readonly gate: string;
  /** What its output says, so that it fails for this reason. */
  readonly says: RegExp;
  readonly plant: (copy: RepositoryCopy) => void;
}

const SANDBOX = "packages/sandbox";
const WEBCHAT = "extensions/webchat";

/** Uses `name` as a type, so that its import is no dead line. */
const use = (name: string): string => `\nvoid ((value: ${name}): ${name} => value);\n`;

export const VIOLATIONS: readonly Violation[] = [
  {
    name: "import cycle, of types alone",
    project: "sandbox",
    gate: "lint",
    says: /packages\/sandbox\/src\/planted\.ts/,
    plant: (copy) => {
      const [type] = typesOf(copy, SANDBOX);
      copy.write(`${SANDBOX}/src/planted.ts`, `import type { ${type} } from "./index.ts";\n\nexport type Planted = ${type};\n`);
      copy.append(`${SANDBOX}/src/index.ts`, 'export type { Planted } from "./planted.ts";\n');
    },
  },
  {
    name: "upward arrow",
    project: "webchat",
    gate: "lint",
    says: /imports @factotum\/gateway/,
    plant: (copy) => {
      copy.depend(WEBCHAT, "packages/gateway");
      const [type = ""] = typesOf(copy, "packages/gateway");
      importInto(copy, `${WEBCHAT}/src/config.ts`, `import type { ${type} } from "@factotum/gateway";\n`, type);
    },
  },
  {
    name: "arrow inside a layer",
    project: "sandbox",
    gate: "lint",
    says: /imports @factotum\/skills/,
    plant: (copy) => {
      copy.depend(SANDBOX, "packages/skills");
      const [type = ""] = typesOf(copy, "packages/skills");
      importInto(copy, innerModule(copy, SANDBOX), `import type { ${type} } from "@factotum/skills";\n`, type);
    },
  },
  {
    name: "a platform's name outside its extension",
    project: "sandbox",
    gate: "lint",
    says: /telegram/,
    plant: (copy) => copy.append(innerModule(copy, SANDBOX), '\nvoid ["telegram"];\n'),
  },
  {
    name: "deep import",
    project: "sandbox",
    gate: "lint",
    says: /imports \.\.\/\.\.\/skills\/src\//,
    plant: (copy) => {
      const target = innerModule(copy, "packages/skills").replace("packages/skills/src/", "../../skills/src/");
      copy.write(
        `${SANDBOX}/src/planted.test.ts`,
        `import { expect, test } from "vitest";\nimport * as deep from "${target}";\n\ntest("planted", () => {\n  expect(deep).toBeDefined();\n});\n`,
      );
    },
  },
  {
    name: "dead link",
    project: "sandbox",
    gate: "lint",
    says: /planted\.md/,
    plant: (copy) => copy.append(`${SANDBOX}/README.md`, "\nSee [there](planted.md).\n"),
  },
  {
    name: "type error in a test",
    project: "sandbox",
    gate: "types",
    says: /planted\.test\.ts.*TS2322/,
    plant: (copy) =>
      copy.write(
        `${SANDBOX}/src/planted.test.ts`,
        'import { expect, test } from "vitest";\n\ntest("planted", () => {\n  const wrong: number = "text";\n  expect(wrong).toBe("text");\n});\n',
      ),
  },
  {
    name: "unused export",
    project: "sandbox",
    gate: "dead-code",
    says: /planted/,
    plant: (copy) => copy.append(innerModule(copy, SANDBOX), "\nexport const planted: number = 1;\n"),
  },
  {
    name: "format",
    project: "sandbox",
    gate: "format",
    says: /packages\/sandbox\/src\/index\.ts/,
    plant: (copy) => copy.replace(`${SANDBOX}/src/index.ts`, /^export \{ /m, "export {   "),
  },
  {
    name: "failing test",
    project: "sandbox",
    gate: "unit",
    says: /1 failed/,
    plant: (copy) =>
      copy.write(
        `${SANDBOX}/src/planted.test.ts`,
        'import { expect, test } from "vitest";\n\ntest("planted", () => {\n  expect(1).toBe(2);\n});\n',
      ),
  },
  {
    name: "bad exports map",
    project: "webchat",
    gate: "build",
    says: /missing\.d\.mts/,
    plant: (copy) => copy.replace(`${WEBCHAT}/package.json`, /"types": "\.\/dist\/index\.d\.mts"/g, '"types": "./dist/missing.d.mts"'),
  },
  {
    name: "changed declaration of a published package",
    project: "channel-conformance",
    gate: "api",
    says: /@factotum\/channel-conformance is what was reviewed/,
    plant: (copy) =>
      copy.replace("packages/channel-conformance/src/case.ts", "/** One requirement, as data. */", "/** One requirement, planted. */"),
  },
];

/** The first module that a package's entry exports from. */
function innerModule(copy: RepositoryCopy, folder: string): string {
  const entry = `${folder}/src/index.ts`;
  const from = parseModule(entry, copy.read(entry)).exports.find((one) => one.from !== undefined)?.from;
  if (from === undefined) throw new Error(`${entry} exports nothing from another module.`);
  return join(dirname(entry), from);
}

/** The types that a package exports, by name. */
function typesOf(copy: RepositoryCopy, folder: string): string[] {
  const types = [...copy.read(`${folder}/src/index.ts`).matchAll(/export type \{ (\w+)/g)].map(([, name = ""]) => name);
  if (types.length === 0) throw new Error(`${folder} exports no type.`);
  return types;
}

function importInto(copy: RepositoryCopy, file: string, statement: string, type: string): void {
  copy.write(file, statement + copy.read(file) + use(type));
}
