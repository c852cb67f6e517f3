import { existsSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT, workspaceFolders } from "../workspace.ts";

interface Manifest {
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly repository?: string | { readonly url: string };
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Manifest;
const repository = ((given) => (typeof given === "string" ? given : given?.url))(manifestOf(".").repository)
  ?.replace(/^git\+/, "")
  .replace(/\.git$/, "");
const published = workspaceFolders().filter((folder) => manifestOf(folder).private !== true);
/** Packed without being listed. */
const ALWAYS: readonly string[] = ["README.md", "LICENSE", "package.json"];

/** Links of a text that lead nowhere for a reader of the package alone. */
function deadLinks(text: string, { folder, files }: { readonly folder: string; readonly files: readonly string[] }): string[] {
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]:\s+(\S+)/gm), ([, inline, named]) => inline ?? named ?? "");
  return links.filter((link) => {
    if (link.startsWith("#")) return false;
    if (/^https?:/.test(link)) return repository !== undefined && isOfRepository(link) && !existsInRepository(link);
    const path = normalize(link.replace(/#.*$/, ""));
    const isPacked = [...ALWAYS, ...files].some((file) => path === file || path.startsWith(`${file}/`));
    // What the build makes is there once it is packed.
    return !isPacked || (!path.startsWith("dist/") && !existsSync(join(ROOT, folder, path)));
  });
}

function isOfRepository(link: string): boolean {
  return repository !== undefined && link.startsWith(`${repository}/`);
}

function existsInRepository(link: string): boolean {
  const path = /^\/(?:blob|tree)\/[^/]+\/([^#]+)/.exec(link.slice(repository?.length))?.[1];
  return path !== undefined && existsSync(join(ROOT, path));
}

test("there are published packages", () => {
  expect(published.length).toBeGreaterThanOrEqual(10);
});

describe.each(published)("%s", (folder) => {
  test("its README links only to what is in its tarball, or to addresses", () => {
    const { files = [] } = manifestOf(folder);
    expect(deadLinks(readFileSync(join(ROOT, folder, "README.md"), "utf8"), { folder, files })).toEqual([]);
  });
});

test("the template of a channel has a README without links to this repository", () => {
  const text = readFileSync(join(ROOT, "templates/channel/README.md"), "utf8");
  expect(deadLinks(text, { folder: "templates/channel", files: ["dist"] })).toEqual([]);
});

test("a link out of the package, to a file that is not packed, and to one that is not there are found", () => {
  const text =
    "[a](../../docs/cli.md) [b](src/index.ts) [c](LICENSE.txt) [d](https://example.com) [e](#limits) [f](dist/x.json)\n\n[g]: ../h.md";
  expect(deadLinks(text, { folder: "packages/channel-kit", files: ["dist"] })).toEqual([
    "../../docs/cli.md",
    "src/index.ts",
    "LICENSE.txt",
    "../h.md",
  ]);
});
