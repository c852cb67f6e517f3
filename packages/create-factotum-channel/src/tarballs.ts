import { readdirSync } from "node:fs";
import { join } from "node:path";
import { CreateError } from "./create-channel.ts";

/** A version in the name of a tarball, with its part for previews: `1.2.0.tgz`, `1.2.0-beta.1.tgz`. */
const VERSION_FILE = /^\d+\.\d+\.\d+(?:-[\w.-]+)?\.tgz$/;

/** The tarballs of the listed packages in a folder, as dependencies. Throws a `CreateError` if a package has two: which one is meant, only the person knows. */
export function tarballsIn(folder: string, names: readonly string[]): Readonly<Record<string, string>> {
  const files = readdirSync(folder).toSorted();
  const found = names.flatMap((name) => {
    const start = `${name.replace(/^@/, "").replace("/", "-")}-`;
    const [file, ...more] = files.filter((one) => one.startsWith(start) && VERSION_FILE.test(one.slice(start.length)));
    if (more.length > 0) throw new CreateError(`${folder} has ${[file, ...more].join(" and ")}: leave one version of ${name} there.`);
    return file === undefined ? [] : [[name, `file:${join(folder, file)}`] as const];
  });
  return Object.fromEntries(found);
}
