import { expect, test } from "vitest";
import { i18n } from "@lingui/core";
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

test("Chinese names have no spaces around them in Chinese texts, and others keep theirs", () => {
  i18n.loadAndActivate({ locale: "zh-CN", messages: { "Ask {name} now": "让 {name} 做" } });
  try {
    expect(t("Ask {name} now", { name: "小福" })).toBe("让小福做");
    expect(t("Ask {name} now", { name: isolate("小福") })).toBe(`让${isolate("小福")}做`);
    expect(t("Ask {name} now", { name: "小 福" })).toBe("让小 福做");
    expect(t("Ask {name} now", { name: "Nora" })).toBe("让 Nora 做");
  } finally {
    i18n.loadAndActivate({ locale: "en", messages: {} });
  }
});
