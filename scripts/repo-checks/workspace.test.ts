import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { arrowsOf, DEVELOPER_PROGRAMS, layerOf, LAYERS, TESTING, testArrowsOf } from "../layers.ts";
import { trackedFiles } from "../source/tracked-files.ts";
import { ROOT, workspaceFolders } from "../workspace.ts";

interface Manifest {
  name: string;
  private?: boolean;
  publishConfig?: { access?: string; provenance?: boolean };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Manifest;
const workspaceNames = (dependencies: Record<string, string> = {}): string[] =>
  Object.keys(dependencies).filter((name) => name.startsWith("@factotum/"));
const asNames = (folders: readonly string[]): string[] => folders.map((name) => `@factotum/${name}`);

test("the workspace is not empty", () => {
  expect(workspaceFolders().length).toBeGreaterThanOrEqual(20);
});

test("every package has its place, and every place its package", () => {
  const placed = [...LAYERS.flatMap((packages) => Object.keys(packages)), ...TESTING].sort();
  expect(placed).toEqual(
    workspaceFolders()
      .map((folder) => folder.slice(folder.indexOf("/") + 1))
      .toSorted(),
  );
});

test("every arrow points to a lower layer, or from a developer program to a test package", () => {
  const level = LAYERS.flatMap((packages, layer) =>
    Object.entries(packages).flatMap(([name, targets]) =>
      targets
        .filter((target) => (layerOf(target) ?? (DEVELOPER_PROGRAMS.includes(name) && TESTING.includes(target) ? -1 : Infinity)) >= layer)
        .map((target) => `${name} -> ${target}`),
    ),
  );
  expect(level).toEqual([]);
});

describe.each(workspaceFolders())("%s", (folder) => {
  const manifest = manifestOf(folder);

  test("is named after its folder", () => {
    const name = folder.split("/")[1];
    const isCommand = folder === "apps/factotum" || name === "create-factotum-channel";
    expect(manifest.name).toBe(isCommand ? name : `@factotum/${name}`);
  });

  test("depends only along the arrows", () => {
    expect(asNames(arrowsOf(folder))).toEqual(expect.arrayContaining(workspaceNames(manifest.dependencies)));
    const dev = [...arrowsOf(folder), ...testArrowsOf(folder), ...(folder === "apps/factotum" ? ["web"] : [])];
    expect(asNames(dev)).toEqual(expect.arrayContaining(workspaceNames(manifest.devDependencies)));
  });

  test("pins every dependency exactly", () => {
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      expect(`${name}@${version}`).toMatch(/@(workspace:\*|\d+\.\d+\.\d+(-[\w.]+)?)$/);
    }
  });

  test("is in the root's project graph, sources and tests", () => {
    const root = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")) as { references: { path: string }[] };
    const paths = root.references.map(({ path }) => path);
    expect(paths).toContain(`./${folder}`);
    expect(paths).toContain(`./${folder}/tsconfig.test.json`);
  });
});

test("every published package is public, and published with its provenance", () => {
  const published = workspaceFolders().filter((folder) => manifestOf(folder).private !== true);
  expect(published.length).toBeGreaterThan(10);
  for (const folder of published) expect(manifestOf(folder).publishConfig, folder).toMatchObject({ access: "public", provenance: true });
});

test("the lock file names no registry", () => {
  expect(readFileSync(join(ROOT, "pnpm-lock.yaml"), "utf8")).not.toMatch(/https?:\/\//);
});

test("every tracked TypeScript file belongs to one project", async () => {
  // Templates become project files when they are used.
  const files = trackedFiles("*.ts", "*.tsx").filter((file) => !file.startsWith("templates/"));
  expect(files.length).toBeGreaterThan(400);
  const owners = new Map<string, string[]>();
  const projects = projectFiles();
  const owned = await Promise.all([0, 1, 2, 3].map((lane) => ownFilesOf(projects.filter((_, index) => index % 4 === lane))));
  for (const [project, ownFiles] of owned.flat()) {
    for (const file of ownFiles) owners.set(file, [...(owners.get(file) ?? []), project]);
  }
  const wrong = files
    .filter((file) => owners.get(file)?.length !== 1)
    .map((file) => `${file}: ${owners.get(file)?.join(", ") ?? "no project"}`);
  expect(wrong).toEqual([]);
});

function projectFiles(): string[] {
  const packages = workspaceFolders().flatMap((folder) => [`${folder}/tsconfig.json`, `${folder}/tsconfig.test.json`]);
  return ["tsconfig.scripts.json", ...packages];
}

/** The files that each project includes, as the compiler resolves its globs; sequentially. */
async function ownFilesOf(projects: readonly string[]): Promise<[project: string, files: string[]][]> {
  const owned: [string, string[]][] = [];
  for (const project of projects) {
    const { stdout } = await promisify(execFile)("tsc", ["-p", project, "--showConfig"], { cwd: ROOT });
    const { files = [] } = JSON.parse(stdout) as { files?: string[] };
    const directory = project.replace(/[^/]+$/, "");
    owned.push([project, files.map((file) => join(directory, file))]);
  }
  return owned;
}
