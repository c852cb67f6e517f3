import { expect, test } from "vitest";
import { withToast } from "./toasts.tsx";

test("what only says that something worked makes room for the next toast; errors and what can be undone stay", () => {
  const saved = { id: 1, text: "Saved." };
  const failed = { id: 2, kind: "error" as const, text: "It failed." };
  const deleted = { id: 3, text: "Deleted.", action: { label: "Undo", run: () => undefined } };
  const added = { id: 4, text: "Removed." };
  expect(withToast([saved, failed, deleted], added)).toEqual([failed, deleted, added]);
});

test("the same words are shown once, unless each of them can be undone", () => {
  const failed = { id: 1, kind: "error" as const, text: "It failed." };
  const deleted = { id: 2, text: "Deleted.", action: { label: "Undo", run: () => undefined } };
  expect(withToast([failed, deleted], { ...failed, id: 3 })).toEqual([deleted, { ...failed, id: 3 }]);
  expect(withToast([failed, deleted], { ...deleted, id: 3 })).toEqual([failed, deleted, { ...deleted, id: 3 }]);
});
