import fc from "fast-check";
import { expect, test } from "vitest";
import { namePrefix, promptNames, toolNames } from "./tool-names.ts";

test("names tools after their server, and adds a hash only where a name had to be changed", () => {
  expect(toolNames("files", ["read_file", "list-all"])).toEqual(["mcp__files_read_file", "mcp__files_list-all"]);
  const [dotted, spaced, plain] = toolNames("files", ["a.b", "a b", "c"]);
  expect(dotted).toMatch(/^mcp__files_a_b_[0-9a-f]{6}$/);
  expect(spaced).toMatch(/^mcp__files_a_b_[0-9a-f]{6}$/);
  expect(spaced).not.toBe(dotted);
  expect(plain).toBe("mcp__files_c");
  expect(toolNames("my server", ["c"])[0]).toMatch(/^mcp__my_server_c_[0-9a-f]{6}$/);
});

test("gives distinct names that providers take, whatever tools are called, and the same ones in every order", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 20 }),
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 100 }), { maxLength: 20 }),
      (server, tools) => {
        const names = toolNames(server, tools);
        expect(new Set(names).size).toBe(tools.length);
        for (const name of names) expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/);
        expect(toolNames(server, tools.toReversed())).toEqual(names.toReversed());
      },
    ),
  );
});

test("prompts are slash commands that stay apart however they are typed", () => {
  expect(promptNames("files", ["sum_up", "list-all"])).toEqual(["mcp__files__sum_up", "mcp__files__list-all"]);
  // Where a menu knows no hyphen, one is typed as the other.
  const [first, second] = promptNames("files", ["sum_up", "Sum-up"]);
  expect(first).toMatch(/^mcp__files__sum_up_[0-9a-f]{6}$/);
  expect(second).toMatch(/^mcp__files__Sum-up_[0-9a-f]{6}$/);
});

test("all names of a server begin with its prefix", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 90 }), fc.string({ minLength: 1 }), (server, name) => {
      for (const made of [toolNames(server, [name]), promptNames(server, [name])])
        expect(made[0]?.startsWith(namePrefix(server))).toBe(true);
    }),
  );
});
