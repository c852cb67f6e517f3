import { expect, test } from "vitest";
import { withToast } from "./toasts.tsx";

test("the same words are shown once, unless each of them can be undone", () => {
  const saved = { id: 1, text: "Saved." };
  const deleted = { id: 2, text: "Deleted.", action: { label: "Undo", run: () => undefined } };
  expect(withToast([saved, deleted], { ...saved, id: 3 })).toEqual([deleted, { ...saved, id: 3 }]);
  expect(withToast([saved, deleted], { ...deleted, id: 3 })).toEqual([saved, deleted, { ...deleted, id: 3 }]);
});
