import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "..");
const README = readFileSync(join(FOLDER, "README.md"), "utf8");
const PAGE = readFileSync(join(FOLDER, "../../docs/telegram.md"), "utf8");

test("there are examples of both transports", () => {
  const examples = [...`${README}\n${PAGE}`.matchAll(/```json5\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  expect(examples.length).toBe(3);
  expect(examples.some((text) => text.includes('"webhook"'))).toBe(true);
});
