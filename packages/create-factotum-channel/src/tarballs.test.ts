import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CreateError, tarballsIn } from "./index.ts";

const NAMES = ["@factotum/channel-kit", "@factotum/channel-contract"];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "factotum-tarballs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (...files: readonly string[]): void => {
  for (const file of files) writeFileSync(join(folder, file), "");
};

test.each(["1.2.0", "1.2.0-beta.1"])("the tarball of version %s is the dependency, and other files are none", (version) => {
  const file = `factotum-channel-kit-${version}.tgz`;
  put(file, "factotum-channel-kit-extra-1.0.0.tgz", "factotum-channel-kit-latest.tgz", "zod-4.6.7.tgz");
  expect(tarballsIn(folder, NAMES)).toEqual({ "@factotum/channel-kit": `file:${join(folder, file)}` });
});

test("two versions of a package are refused, with the names of both", () => {
  put("factotum-channel-kit-1.9.0.tgz", "factotum-channel-kit-1.10.0.tgz", "factotum-channel-contract-1.0.0.tgz");
  const refused = (): unknown => tarballsIn(folder, NAMES);
  expect(refused).toThrow(CreateError);
  expect(refused).toThrow(
    /factotum-channel-kit-1\.10\.0\.tgz and factotum-channel-kit-1\.9\.0\.tgz: leave one version of @factotum\/channel-kit/,
  );
});
