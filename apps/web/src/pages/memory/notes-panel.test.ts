import { expect, test } from "vitest";
import { notePath } from "./notes-panel.tsx";

test.each([
  ["ideas", "memory/ideas.md"],
  [" Tea and cake ", "memory/Tea-and-cake.md"],
  ["2026-12-24.md", "memory/2026-12-24.md"],
  ["memory/plans/tea", "memory/plans/tea.md"],
  ["MEMORY.md", "MEMORY.md"],
  ["想法", "memory/想法.md"],
])("a note named %j is the file %s", (name, path) => {
  expect(notePath(name)).toBe(path);
});
