import { isAbsolute } from "node:path";
import npa from "npm-package-arg";
import { CliError } from "../runtime/cli-error.ts";
import type { KnownExtensions } from "../runtime/known-extension.ts";

/** Where a package is taken from. */
export type PackageSource =
  /** A folder or a tarball of this machine: copied into the project. */
  | { readonly type: "local"; readonly path: string }
  /** An exact version of a registry's package. `integrity`: of the release's list. */
  | { readonly type: "registry"; readonly name: string; readonly version: string; readonly integrity?: string }
  /** A repository or an address, as npm reads it. */
  | { readonly type: "remote"; readonly spec: string };

interface SourceOptions {
  readonly known: KnownExtensions;
  /** The folder that relative paths count from. */
  readonly folder: string;
}

/**
 * Decides where a package comes from, without asking anybody: a folder, a tarball, an address, an exact version, or a name of the release's list. Throws a
 * `CliError` for every other name, so that nothing is fetched by a guessed one.
 */
export function packageSource(written: string, { known, folder }: SourceOptions): PackageSource {
  const listed = known[written] ?? Object.values(known).find((one) => one.package === written);
  if (listed !== undefined) return { type: "registry", name: listed.package, version: listed.version, integrity: listed.integrity };
  const parsed = parse(written, folder);
  switch (parsed.type) {
    case "directory":
    case "file":
      return { type: "local", path: parsed.fetchSpec ?? written };
    case "git":
    case "remote":
      return { type: "remote", spec: written };
    case "version":
      return { type: "registry", name: parsed.name ?? "", version: parsed.fetchSpec ?? "" };
    default:
      throw new CliError("usage", `"${written}" is not in the list of extensions that this release was tested with.`, {
        fix: `Give a folder (./${parsed.name ?? "folder"}), a tarball, or a package with its exact version, such as ${parsed.name ?? "name"}@1.2.3.`,
      });
  }
}

/** The path that a text names, as it is written; `undefined` for a name or an address. Throws a `CliError` for what is neither. */
export function localPath(written: string): string | undefined {
  const { type, fetchSpec } = parse(written, "/");
  if (type !== "directory" && type !== "file") return undefined;
  const isWhole = isAbsolute(written) || /^(?:file:|~)\//.test(written);
  return isWhole ? (fetchSpec ?? written) : written;
}

/** True if npm reads two texts as one address. */
export function isSameAddress(one: string, other: string): boolean {
  return parse(one, "/").saveSpec === parse(other, "/").saveSpec;
}

function parse(written: string, folder: string): npa.Result {
  try {
    return npa(written, folder);
  } catch (error) {
    throw new CliError("usage", `"${written}" is no package.`, { fix: "Give a folder, a tarball, or name@version.", cause: error });
  }
}
