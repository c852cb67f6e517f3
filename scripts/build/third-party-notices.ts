import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { Rolldown } from "tsdown";

/** A package in the bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly licence: string;
  /** The package's licence and notice files, joined. */
  readonly text: string;
  readonly readme: string;
}

/** Where to find the licence text of a package without a licence file: under "License" in its README, in another package, or here. */
type LicenceException =
  | { readonly type: "readme" }
  | { readonly type: "same-as"; readonly name: string }
  | { readonly type: "text"; readonly text: string };

/** A row of the list that Vite writes with `build.license`. */
interface ViteLicence {
  readonly name: string;
  readonly version: string;
  readonly identifier: string | null;
  readonly text?: string;
}

export interface NoticesOptions {
  /** Names the packages of this repository, which need no notice. */
  readonly isOwn: (name: string) => boolean;
  /** By package name. An entry that is not needed fails the build. */
  readonly exceptions: Readonly<Record<string, LicenceException>>;
  /** Lists of `build.license` of other bundles that ship with this one; absolute paths. */
  readonly otherBundles: readonly string[];
}

const FILE_NAME = "THIRD_PARTY_NOTICES";
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;
const RULE = `\n\n${"=".repeat(80)}\n\n`;

/** Writes THIRD_PARTY_NOTICES from the modules that the bundler included. A package without a licence or its text fails the build. */
export function thirdPartyNotices(options: NoticesOptions): Rolldown.Plugin {
  return {
    name: "third-party-notices",
    generateBundle(_output, bundle) {
      const packages = [...packagesOf(bundle), ...options.otherBundles.flatMap(readViteLicences)];
      this.emitFile({ type: "asset", fileName: FILE_NAME, source: renderNotices(packages, options) });
    },
  };
}

/** Writes a list like Vite's `build.license` for the bundles of its workers, which that option leaves out. */
export function workerLicences(fileName: string): Rolldown.Plugin {
  return {
    name: "worker-licences",
    generateBundle(_output, bundle) {
      const rows = packagesOf(bundle).map(({ name, version, licence, text }): ViteLicence => ({
        name,
        version,
        identifier: licence,
        text,
      }));
      this.emitFile({ type: "asset", fileName, source: JSON.stringify(rows) });
    },
  };
}

function packagesOf(bundle: Rolldown.OutputBundle): readonly BundledPackage[] {
  const moduleIds = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  return [...new Set(moduleIds.flatMap((id) => packageFolder(id) ?? []))].map(readPackage);
}

/** The file's text, sorted by name and version. Throws when a package has no licence or no licence text. */
export function renderNotices(packages: readonly BundledPackage[], options: Pick<NoticesOptions, "isOwn" | "exceptions">): string {
  const { isOwn, exceptions } = options;
  const foreign = new Map(packages.filter(({ name }) => !isOwn(name)).map((found) => [`${found.name} ${found.version}`, found]));
  const withoutText = [...foreign.values()].filter(({ text }) => text === "").map(({ name }) => name);
  const complete = [...foreign].map(
    ([title, found]) => [title, { ...found, text: found.text || exceptedText(found, foreign, exceptions) }] as const,
  );
  const problems = [
    ...complete.filter(([, { licence }]) => licence === "").map(([title]) => `${title} is bundled and names no licence`),
    ...complete.filter(([, { text }]) => text === "").map(([title]) => `${title} is bundled and has no licence text`),
    ...Object.keys(exceptions)
      .filter((name) => !withoutText.includes(name))
      .map((name) => `the exception for ${name} is not needed`),
  ];
  if (problems.length > 0) throw new Error(`Third-party notices: ${problems.join("; ")}. See the exceptions in tsdown.config.ts.`);
  const sections = complete
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([title, { licence, text }]) => `${title}\nLicence: ${licence}\n\n${text}`);
  return `${["Factotum includes the following third-party software.", ...sections].join(RULE)}\n`;
}

/** The MIT licence, for a package that names it and ships no text. */
export function mitLicence(holder: string): string {
  return `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

function exceptedText(
  { name, readme }: BundledPackage,
  packages: ReadonlyMap<string, BundledPackage>,
  exceptions: NoticesOptions["exceptions"],
): string {
  const exception = exceptions[name];
  switch (exception?.type) {
    case undefined:
      return "";
    case "text":
      return exception.text;
    case "same-as":
      return [...packages.values()].find((other) => other.name === exception.name)?.text ?? "";
    case "readme":
      return clean(/^(?:#+ )?License(?:\n-+)?\n(?<text>[^#]*)/im.exec(readme)?.groups?.["text"] ?? "")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">");
    default:
      return exception satisfies never;
  }
}

/** The folder of the package that a module belongs to; undefined for sources of this repository. */
function packageFolder(moduleId: string): string | undefined {
  // The bundler's own helpers have no file.
  if (moduleId.startsWith("\0rolldown/")) return dirname(manifestOf("rolldown", manifestOf("tsdown", import.meta.url)));
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(moduleId)?.[0];
}

function manifestOf(name: string, from: string): string {
  const path = findPackageJSON(name, from);
  if (path === undefined) throw new Error(`Third-party notices: ${name} is not installed`);
  // The package manager's symbolic links hide a package's dependencies.
  return realpathSync(path);
}

function readPackage(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: unknown;
  };
  const { name, version, license } = manifest;
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const textOf = (pattern: RegExp): string => {
    const texts = files.filter((entry) => pattern.test(entry.name)).map((entry) => clean(readFileSync(join(folder, entry.name), "utf8")));
    return [...new Set(texts.toSorted())].join("\n\n");
  };
  const text = textOf(LICENCE_FILE);
  // Some old packages name their licence in its text alone.
  const licence = typeof license === "string" ? license : /^(?:The )?MIT License\b/i.test(text) ? "MIT" : "";
  return { name, version, licence, text, readme: textOf(/^readme(\.md)?$/i) };
}

function readViteLicences(file: string): BundledPackage[] {
  const rows = JSON.parse(readFileSync(file, "utf8")) as readonly ViteLicence[];
  return rows.map(({ name, version, identifier, text }) => ({
    name,
    version,
    licence: identifier ?? "",
    text: clean(text ?? ""),
    readme: "",
  }));
}

function clean(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();
}
