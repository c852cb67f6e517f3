import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseManifest } from "./manifest.ts";

const FOLDER = join(import.meta.dirname, "../../../../extensions");

test.each(await readdir(FOLDER))("the manifest of %s can be installed", async (name) => {
  const reading = parseManifest(JSON.parse(await readFile(join(FOLDER, name, "package.json"), "utf8")));
  expect(reading).toMatchObject({ manifest: { provides: [{ id: name }] } });
});
