import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseManifest } from "./manifest.ts";

const FOLDER = join(import.meta.dirname, "../../../../extensions");

test.each(await readdir(FOLDER))("the manifest of %s can be installed", async (name) => {
  const reading = parseManifest(JSON.parse(await readFile(join(FOLDER, name, "package.json"), "utf8")));
  expect(reading).toMatchObject({ manifest: { provides: [{ id: name }] } });
});

/** Of the page itself: there is nothing to set up. */
const IMPLICIT = "webchat";

test.each((await readdir(FOLDER)).filter((name) => name !== IMPLICIT))("%s says what it is and what one needs for it", async (name) => {
  const reading = parseManifest(JSON.parse(await readFile(join(FOLDER, name, "package.json"), "utf8")));
  expect(reading).toMatchObject({ manifest: { provides: [{ about: expect.stringMatching(/^[A-Z].{20,140}\.$/) as string }] } });
});
