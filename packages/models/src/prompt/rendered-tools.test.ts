import { expect, test, vi } from "vitest";
import { RenderedTools } from "./rendered-tools.ts";

const parameters = { type: "object", properties: {} };
const read = { name: "read", description: "Reads.", parameters };
const write = { name: "write", description: "Writes.", parameters };
const rendered = (name: string) => [{ type: "function" as const, name, inputSchema: { type: "object" as const } }];

test("equal schemas in the same order are rendered once, even in objects of another session", () => {
  const kept = new RenderedTools();
  const render = vi.fn(() => rendered("read"));
  const first = kept.of([read, write], render);
  expect(kept.of([{ ...read }, { ...write }], render)).toBe(first);
  expect(kept.of(structuredClone([read, write]), render)).toBe(first);
  expect(render).toHaveBeenCalledTimes(1);
});

test.each([
  ["another order", [write, read]],
  ["one more", [read, write, read]],
  ["one less", [read]],
  ["another description", [read, { ...write, description: "Overwrites." }]],
  ["another name", [read, { ...write, name: "put" }]],
  ["another schema", [read, { ...write, parameters: { ...parameters, required: [] } }]],
])("%s is another list", (_case, tools) => {
  const kept = new RenderedTools();
  kept.of([read, write], () => rendered("before"));
  expect(kept.of(tools, () => rendered("after")).tools).toEqual(rendered("after"));
});

test("only the most recent lists are cached", () => {
  const kept = new RenderedTools();
  const lists = Array.from({ length: 9 }, (_, index) => [{ ...read, name: `read${index}` }]);
  for (const list of lists) kept.of(list, () => rendered("before"));
  expect(kept.of(lists[8] ?? [], () => rendered("after")).tools).toEqual(rendered("before"));
  expect(kept.of(lists[0] ?? [], () => rendered("after")).tools).toEqual(rendered("after"));
});
