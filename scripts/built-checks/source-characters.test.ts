import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../workspace.ts";

// V8 keeps a source text at two bytes per character as soon as one character is beyond Latin-1.
test.each([
  { of: "the product", folder: join(ROOT, "apps/factotum/dist"), files: "*.mjs" },
  { of: "the page", folder: join(ROOT, "apps/web/dist/assets"), files: "start-*.js" },
])("the chunks of $of contain ASCII characters alone", ({ folder, files }) => {
  const chunks = globSync(files, { cwd: folder });
  expect(chunks).not.toHaveLength(0);
  expect(chunks.filter((name) => readFileSync(join(folder, name)).some((byte) => byte > 0x7f))).toEqual([]);
});
