import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readDocument } from "../source/read-document.ts";
import { trackedFiles } from "../source/tracked-files.ts";
import { ROOT, workspaceFolders } from "../workspace.ts";

const PACKAGE_HEADINGS = ["What it is", "Install", "Smallest example", "Configuration", "Errors", "Limits"];
const REQUIRED = [
  "README.md",
  "ARCHITECTURE.md",
  "AGENTS.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/README.md",
  "docs/decisions/README.md",
];

/** Documents for readers; Markdown that the product or a test parses is excluded. */
const documents = trackedFiles("*.md").filter((file) => !/(^|\/)(fixtures|templates|test|bundled|__snapshots__)\//.test(file));

const linesOf = (file: string): string[] => readFileSync(join(ROOT, file), "utf8").split("\n");

test("the documents of the repository are there", () => {
  expect(documents).toEqual(expect.arrayContaining(REQUIRED));
  expect(documents.length).toBeGreaterThan(30);
});

describe.each(documents)("%s", (file) => {
  const { links, codes } = readDocument(readFileSync(join(ROOT, file), "utf8"));

  test("every relative link leads somewhere", () => {
    const dead = links.filter((link) => !/^[a-z][a-z+.-]*:/i.test(link) && !leadsSomewhere(file, link));
    expect(dead).toEqual([]);
  });

  test("every path that it names exists", () => {
    expect(codes.filter((code) => isPath(file, code) && !exists(file, code))).toEqual([]);
  });

  test("every package of ours that it names exists", () => {
    const named = codes.flatMap((code) => [...code.matchAll(/@factotum\/([\w-]+)/g)].map(([, name]) => name));
    const packages = workspaceFolders().map((folder) => folder.split("/")[1]);
    expect(named.filter((name) => !packages.includes(name))).toEqual([]);
  });
});

test.each(workspaceFolders())("%s/README.md has the six headings", (folder) => {
  const { headings } = readDocument(readFileSync(join(ROOT, folder, "README.md"), "utf8"));
  expect(headings.filter(({ depth }) => depth === 2).map(({ text }) => text)).toEqual(PACKAGE_HEADINGS);
});

test.each(documents.filter((file) => file.endsWith("AGENTS.md")))("%s is short", (file) => {
  expect(linesOf(file).length).toBeLessThanOrEqual(121);
});

test("decisions are numbered without a gap, and fit on a page", () => {
  const decisions = documents.filter((file) => /^docs\/decisions\/\d/.test(file));
  expect(decisions.map((file) => Number(/\/(\d{4})-[a-z\d-]+\.md$/.exec(file)?.[1]))).toEqual(decisions.map((_, index) => index + 1));
  expect(decisions.filter((file) => linesOf(file).length > 60)).toEqual([]);
  const index = readDocument(readFileSync(join(ROOT, "docs/decisions/README.md"), "utf8")).links;
  expect(index).toEqual(expect.arrayContaining(decisions.map((file) => file.slice("docs/decisions/".length))));
});

function leadsSomewhere(file: string, link: string): boolean {
  const [path = "", fragment] = link.split("#");
  const target = path === "" ? file : join(dirname(file), decodeURIComponent(path));
  if (!existsSync(join(ROOT, target))) return false;
  if (fragment === undefined || !target.endsWith(".md")) return true;
  const { headings } = readDocument(readFileSync(join(ROOT, target), "utf8"));
  return headings.some(({ text }) => slugOf(text) === fragment);
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, "")
    .replace(/\s/g, "-");
}

/**
 * True for inline code that looks like a path of the repository: it ends like a source file, or begins with an existing folder. Build output and paths with
 * placeholders are excluded.
 */
function isPath(file: string, code: string): boolean {
  if (!/^[\w.-]+(\/[\w.@-]+)+\/?$/.test(code) || /(^|\/)(dist|node_modules|\.tsc)(\/|$)/.test(code)) return false;
  if (/\.(tsx?|mjs|md|jsonc?|ya?ml)$/.test(code)) return true;
  const [first = ""] = code.split("/");
  return !first.startsWith(".") && [dirname(file), "."].some((folder) => existsSync(join(ROOT, folder, first)));
}

/**
 * Inside a package a path may omit its beginning: `sections/index.ts` for `src/prompt/sections/index.ts`. Elsewhere it may be one that every package has:
 * `src/index.ts`.
 */
function exists(file: string, path: string): boolean {
  const folder = dirname(file);
  if ([folder, "."].some((start) => existsSync(join(ROOT, start, path)))) return true;
  if (workspaceFolders().some((own) => file.startsWith(`${own}/`)))
    return trackedFiles(folder).some((tracked) => tracked.endsWith(`/${path}`));
  return workspaceFolders().some((own) => existsSync(join(ROOT, own, path)));
}
