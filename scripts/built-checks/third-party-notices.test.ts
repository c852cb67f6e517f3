import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "tsdown";
import { beforeAll, describe, expect, test } from "vitest";
import { renderNotices, type BundledPackage } from "../build/third-party-notices.ts";
import { ROOT } from "../workspace.ts";

const PRODUCT = join(ROOT, "apps/factotum");
const WEB = join(ROOT, "apps/web");

describe("the built THIRD_PARTY_NOTICES", () => {
  let notices = "";
  beforeAll(() => {
    notices = readFileSync(join(PRODUCT, "dist/THIRD_PARTY_NOTICES"), "utf8");
  });

  // Source maps list the bundled modules independently of the plugin under test.
  test("names every package that the source maps of the product and the page name", { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "factotum-notices-"));
    try {
      const outDir = join(folder, "product");
      await build({ cwd: PRODUCT, outDir, sourcemap: true, copy: [], publint: false, logLevel: "error" });
      const page = join(folder, "page");
      // With the runner's NODE_ENV, packages resolve to their development files, which are not in the page that ships.
      const env = { ...process.env, NODE_ENV: "production" };
      execFileSync(join(WEB, "node_modules/.bin/vite"), ["build", "--sourcemap", "--outDir", page, "--logLevel", "error"], {
        cwd: WEB,
        env,
      });
      const expected = [...packagesOf(outDir), ...packagesOf(page)];
      expect(expected).toEqual(expect.arrayContaining(["ws", "@larksuiteoapi/node-sdk", "react-dom"]));
      expect(namesOf(notices)).toEqual(expect.arrayContaining(expected));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("contains a licence and a text for each of them, and nothing for the product's own packages", () => {
    const sections = sectionsOf(notices);
    expect(sections.length).toBeGreaterThan(50);
    for (const section of sections) expect(section).toMatch(/^\S+ \d\S*\nLicence: \S.*\n\n\S[^]{20}/);
    expect(namesOf(notices).filter((name) => name.includes("factotum"))).toEqual([]);
  });

  // Packing builds what is not built yet.
  test("is in the packed tarball", { timeout: 120_000 }, () => {
    const output = execFileSync(join(ROOT, "node_modules/.bin/pnpm"), ["pack", "--dry-run", "--json"], { cwd: PRODUCT, encoding: "utf8" });
    const { files } = JSON.parse(output.slice(output.indexOf("{"))) as { readonly files: readonly { readonly path: string }[] };
    expect(files.map(({ path }) => path)).toContain("dist/THIRD_PARTY_NOTICES");
  });
});

describe("the notices", () => {
  const complete: BundledPackage = { name: "a", version: "1.0.0", licence: "MIT", text: "Text of a.", readme: "" };
  const isOwn = (name: string): boolean => name.startsWith("@own/");

  test("are independent of the order of the modules, and name a package once", () => {
    const second = { ...complete, name: "b", text: "Text of b." };
    const own = { ...complete, name: "@own/x", text: "" };
    const forwards = renderNotices([complete, second, own, second], { isOwn, exceptions: {} });
    expect(renderNotices([second, own, complete], { isOwn, exceptions: {} })).toBe(forwards);
    expect(sectionsOf(forwards)).toEqual(["a 1.0.0\nLicence: MIT\n\nText of a.", "b 1.0.0\nLicence: MIT\n\nText of b."]);
  });

  test.each([
    ["names no licence", { ...complete, licence: "" }, {}],
    ["has no licence text", { ...complete, text: "" }, {}],
    ["has no licence text", { ...complete, text: "" }, { a: { type: "readme" as const } }],
    ["the exception for a is not needed", complete, { a: { type: "text" as const, text: "Another." } }],
    ["the exception for gone is not needed", complete, { gone: { type: "readme" as const } }],
  ])("fail the build: %s", (message, found, exceptions) => {
    expect(() => renderNotices([found], { isOwn, exceptions })).toThrow(message);
  });

  test.each([
    ["the README", { type: "readme" as const }],
    ["another package", { type: "same-as" as const, name: "a" }],
    ["the exception itself", { type: "text" as const, text: "Text of a." }],
  ])("take a text that is missing from %s", (_place, exception) => {
    const without = { ...complete, name: "b", text: "", readme: "# b\n\nUse it.\n\nLicense\n-------\n\nText of a.\n\n## More\n" };
    expect(sectionsOf(renderNotices([complete, without], { isOwn, exceptions: { b: exception } }))[1]).toBe(
      "b 1.0.0\nLicence: MIT\n\nText of a.",
    );
  });
});

function packagesOf(folder: string): string[] {
  const sources = globSync("**/*.map", { cwd: folder }).flatMap(
    (map) => (JSON.parse(readFileSync(join(folder, map), "utf8")) as { readonly sources: readonly string[] }).sources,
  );
  return [...new Set(sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []))];
}

function sectionsOf(notices: string): string[] {
  return notices
    .trimEnd()
    .split(`\n\n${"=".repeat(80)}\n\n`)
    .slice(1);
}

function namesOf(notices: string): string[] {
  return sectionsOf(notices).map((section) => section.slice(0, section.indexOf(" ")));
}
