import type { ConfigView } from "@factotum/protocol";
import { expect, test } from "vitest";
import { changeOf, rebased } from "./config-draft.ts";
import { mergeText } from "./merge-text.ts";

const view = (text: string, written: Readonly<Record<string, unknown>> = {}): ConfigView => ({
  path: "factotum.json5",
  source: "file",
  format: "json5",
  baseHash: text,
  text,
  mark: "-",
  written,
  effective: {},
  problems: [],
  inactive: [],
  needsRestart: [],
});

test("changes of forms hold for a file that was changed elsewhere, and take nothing of that back", () => {
  const draft = { type: "forms", base: view("a", { cron: { enabled: true }, spend: {} }), document: { cron: { enabled: false } } } as const;
  const after = rebased(draft, view("b", { cron: { enabled: true }, spend: {}, memory: { provider: "notes" } }));
  expect(after).toMatchObject({ base: { baseHash: "b" }, document: { cron: { enabled: false }, memory: { provider: "notes" } } });
  expect(changeOf(after)).toEqual({ patch: { cron: { enabled: false }, spend: null } });
});

test("changes of a text are put into the other text, and where both changed one line the person's text stays as it is", () => {
  const before = "a\nb\nc\nd\ne\nf\n";
  expect(mergeText(before, before.replace("a", "A"), before.replace("f", "F"))).toBe("A\nb\nc\nd\ne\nF\n");
  expect(mergeText(before, before.replace("c", "mine"), before.replace("c", "theirs"))).toBeUndefined();
  const draft = { type: "text", base: view(before), text: "mine\n" } as const;
  expect(rebased(draft, view("other\n"))).toMatchObject({ base: { baseHash: "other\n" }, text: "mine\n" });
});
