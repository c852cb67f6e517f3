import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { clashIn, createRenamer, nameProblem, readTemplate, type Transport } from "../../packages/create-factotum-channel/src/index.ts";

/** Kinds of packages with their templates. */
const KINDS = {
  channel: { template: "templates/channel", group: "extensions", placeholder: "sample-chat" },
  package: { template: "templates/package", group: "packages", placeholder: "sample-part" },
} as const;

export type ScaffoldKind = keyof typeof KINDS;

/** The created package. */
export interface Scaffold {
  readonly folder: string;
  /** Files that were written or changed, relative to the root. */
  readonly files: readonly string[];
}

/** A refusal, as text for the person. Nothing was written. */
export class ScaffoldError extends Error {
  override readonly name = "ScaffoldError";
}

export function isScaffoldKind(kind: string | undefined): kind is ScaffoldKind {
  return kind !== undefined && Object.hasOwn(KINDS, kind);
}

/**
 * Creates a package of the workspace from its template, and adds it to the project graph and the layers. Throws a ScaffoldError, before anything is written,
 * for a name that exists or cannot work.
 */
export function scaffold(
  kind: ScaffoldKind,
  name: string,
  { root, transport = "webhook" }: { readonly root: string; readonly transport?: Transport },
): Scaffold {
  const { template, group, placeholder } = KINDS[kind];
  checkName(name, root);
  const folder = `${group}/${name}`;
  const rename = createRenamer(placeholder, name);
  const texts =
    kind === "channel"
      ? [...readTemplate(join(root, template), transport)]
      : filesOf(join(root, template)).map((file) => [file, readFileSync(join(root, template, file), "utf8")] as const);
  for (const [, text] of texts) {
    const clash = clashIn(text, rename);
    if (clash !== undefined) throw new ScaffoldError(`"${name}" cannot be a name: the template already uses ${clash}. Choose another.`);
  }
  const files = texts.map(([file, text]) => {
    const path = `${folder}/${rename(file)}`;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), rename(text));
    return path;
  });
  addReferences(join(root, "tsconfig.json"), folder);
  // Extensions have their place by their folder alone.
  if (kind === "package") addToLayer(join(root, "scripts/layers.ts"), name);
  return { folder, files: [...files, "tsconfig.json", ...(kind === "package" ? ["scripts/layers.ts"] : [])] };
}

function checkName(name: string, root: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw new ScaffoldError(problem);
  if (name.startsWith("testing-"))
    throw new ScaffoldError("Packages for tests stand beside the layers: make one by hand and list it in scripts/layers.ts.");
  const taken = ["packages", "extensions", "apps"].map((group) => `${group}/${name}`).find((folder) => existsSync(join(root, folder)));
  if (taken !== undefined) throw new ScaffoldError(`${taken} exists already. Nothing was written.`);
}

function filesOf(folder: string, inside = ""): string[] {
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = join(inside, entry.name);
    return entry.isDirectory() ? filesOf(folder, path) : [path];
  });
}

/** Adds the project and its tests after the last of the same group. */
function addReferences(file: string, folder: string): void {
  const project = JSON.parse(readFileSync(file, "utf8")) as { references: { path: string }[] };
  const group = `./${folder.split("/")[0]}/`;
  const after = project.references.findLastIndex(({ path }) => path.startsWith(group)) + 1;
  project.references.splice(after, 0, { path: `./${folder}` }, { path: `./${folder}/tsconfig.test.json` });
  writeFileSync(file, `${JSON.stringify(project, null, 2)}\n`);
}

/** A new package starts in L2 and imports only the agent contract. */
function addToLayer(file: string, name: string): void {
  const text = readFileSync(file, "utf8");
  const layer = /(\n {2}\/\/ L2[^\n]*\n {2}\{\n)/;
  if (!layer.test(text)) throw new ScaffoldError(`${file} has no layer L2 where it is looked for: add "${name}" to the table by hand.`);
  writeFileSync(file, text.replace(layer, `$1    ${name.includes("-") ? `"${name}"` : name}: ["agent-contract"],\n`));
}
