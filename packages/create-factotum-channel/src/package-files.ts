/** Packages that the written package needs for its tests and its build. */
const DEVELOPMENT = [
  "@factotum/channel-conformance",
  "@factotum/channel-contract",
  "@factotum/channel-kit",
  "@types/node",
  "tsdown",
  "typescript",
  "vitest",
];

const TSDOWN_CONFIG = `import { writeFile } from "node:fs/promises";
import { defineConfig, type UserConfig } from "tsdown";
import { SampleChatConfigSchema } from "./src/config.ts";

const config: UserConfig = defineConfig({
  entry: ["src/index.ts"],
  format: "esm",
  platform: "node",
  target: "node24",
  dts: true,
  // The contract and the kit become part of the package, so that it needs no version of theirs.
  deps: { alwaysBundle: [/^@factotum\\//], onlyBundle: false },
  hooks: {
    // The manifest names it: settings are checked by it without running code of the package.
    "build:done": async () => {
      const schema = SampleChatConfigSchema.toJSONSchema({ io: "input", unrepresentable: "any" });
      await writeFile("dist/config.schema.json", \`\${JSON.stringify(schema, null, 2)}\\n\`);
    },
  },
});

export default config;
`;

const COMPILER_OPTIONS = {
  target: "ES2024",
  lib: ["ES2025", "ESNext.Disposable"],
  module: "nodenext",
  moduleDetection: "force",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

/** The files of a package of its own that differ from those in the repository, from the template's manifest. */
export function packageFiles(
  template: Readonly<Record<string, unknown>>,
  versions: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { name, version, description, license, files, type, engines, factotum } = template;
  const { devDependencies = {} } = template as { readonly devDependencies?: Readonly<Record<string, string>> };
  // What a transport needs in addition; the product's own packages are listed with their versions.
  const more = Object.entries(devDependencies).filter(([dependency]) => !dependency.startsWith("@factotum/"));
  const versionOf = (dependency: string): readonly [string, string] => [dependency, versions[dependency] ?? "*"];
  const manifest = {
    name,
    version,
    description,
    license,
    files,
    type,
    exports: { ".": { types: "./dist/index.d.mts", default: "./dist/index.mjs" }, "./package.json": "./package.json" },
    scripts: { build: "tsdown", test: "vitest run", types: "tsc", prepack: "npm run build" },
    dependencies: Object.fromEntries([versionOf("zod")]),
    devDependencies: Object.fromEntries([...DEVELOPMENT.map(versionOf), ...more]),
    engines,
    factotum,
  };
  return {
    "package.json": json(manifest),
    "tsconfig.json": json({ compilerOptions: COMPILER_OPTIONS, include: ["src", "test", "*.config.ts"] }),
    "tsdown.config.ts": TSDOWN_CONFIG,
    ".gitignore": "node_modules\ndist\n",
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
