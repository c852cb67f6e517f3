import { expect, test } from "vitest";
import { isolate } from "./isolate.ts";
import { t } from "./t.ts";

test("a name cannot turn the direction of the sentence that it stands in", () => {
  expect(t("Remove {name}?", { name: "a\u202etxt.exe\u2066" })).toBe("Remove a[U+202E]txt.exe[U+2066]?");
  expect(t("Remove {name}?", { name: String.raw`a\u202etxt\x41` })).toBe(String.raw`Remove a\u202etxt\x41?`);
  expect(t("Remove {name}?", { name: isolate(String.raw`a\u202eb`) })).toBe(`Remove \u{2068}${String.raw`a\u202eb`}\u{2069}?`);
  const reason = `${isolate("ملف")} is "\u202ea".`;
  expect(t("It failed: {reason}", { reason })).toBe(`It failed: ${isolate("ملف")} is "[U+202E]a".`);
  expect(t("Remove {name}?", { name: "ملف" })).toBe("Remove ملف?");
});
