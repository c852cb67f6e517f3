import { expect, test } from "vitest";
import { TextDrafts } from "./text-drafts.ts";

test("the browser asks before the window is closed as long as a text is not saved", () => {
  const page = new EventTarget();
  const asks = (): boolean => !page.dispatchEvent(new Event("beforeunload", { cancelable: true }));
  const drafts = new TextDrafts(page);
  const base = { text: "one", baseHash: "1" };
  expect(asks()).toBe(false);
  drafts.set("a", { text: "two", base });
  drafts.set("b", { text: "three", base });
  expect([asks(), drafts.get("a")?.text]).toEqual([true, "two"]);
  drafts.set("a", undefined);
  expect([asks(), drafts.get("a")]).toEqual([true, undefined]);
  drafts.set("b", undefined);
  expect(asks()).toBe(false);
  drafts.set("a", { text: "two", base });
  drafts.close();
  expect([asks(), drafts.get("a")]).toEqual([false, undefined]);
});
