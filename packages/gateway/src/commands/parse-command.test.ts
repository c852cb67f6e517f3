import { THINKING_LEVELS } from "@factotum/agent-contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "./command-table.ts";
import { parseCommand } from "./parse-command.ts";
import { RESETS } from "./reset.ts";
import { parseInlineDirectives, REASONING_CHOICES } from "../queue/inline-directives.ts";

const parse = (text: string): ReturnType<typeof parseCommand> => parseCommand(text, ["/new", "/reset"]);

describe("a command", () => {
  test.each([
    ["/model", { type: "command", name: "/model", options: {} }],
    [" /MODEL list ", { type: "command", name: "/model", options: { wish: "list" } }],
    ["/model house/Some-Model", { type: "command", name: "/model", options: { wish: "house/Some-Model" } }],
    ["/think high", { type: "command", name: "/think", options: { wish: "high" } }],
    ["/think nonsense", { type: "command", name: "/think", options: { wish: "nonsense" } }],
    ["/reasoning\tstream", { type: "command", name: "/reasoning", options: { wish: "stream" } }],
    ["/verbose full", { type: "command", name: "/verbose", options: { wish: "full" } }],
    ["/new", { type: "reset" }],
    [" /Reset ", { type: "reset" }],
    ["/new opus", { type: "reset", model: "opus" }],
    ["/RESET house/Some-Model", { type: "reset", model: "house/Some-Model" }],
  ] as const)("%j", (text, command) => {
    const { type, ...parsed } = parse(text) ?? { type: undefined };
    expect({ type, ...("name" in parsed ? { name: parsed.name, options: parsed.options } : parsed) }).toEqual(command);
  });

  test.each(["/think high and write a poem", "/models", "please /think high", "/think\nhigh", "/new\nopus", "/newer", "/new a b"])(
    "%j is not a command",
    (text) => {
      expect(parse(text)).toBeUndefined();
    },
  );

  test("a trigger that is a word must be the whole message, and takes no model", () => {
    expect(parseCommand("Start over", ["start over", "tabula"])).toEqual({ type: "reset" });
    expect(parseCommand("tabula opus", ["start over", "tabula"])).toBeUndefined();
    expect(parseCommand("start over opus", ["start over", "tabula"])).toBeUndefined();
  });

  test("every listed command is parsed", () => {
    for (const { name } of [...RESETS, ...COMMANDS]) expect(parse(name), name).toBeDefined();
  });
});

describe("a directive inside a message", () => {
  test.each([
    ["/think high write a poem", { text: "write a poem", thinking: "high" }],
    ["write /think LOW a poem", { text: "write a poem", thinking: "low" }],
    ["write a poem /think off", { text: "write a poem", thinking: "off" }],
    ["/think low /reasoning on why?", { text: "why?", thinking: "low", reasoning: "on" }],
    ["/verbose full why?", { text: "why?", verbose: "full" }],
    ["/elevated ON look", { text: "look", elevated: true }],
    ["look /elevated on /elevated off", { text: "look", elevated: false }],
    ["/think low\nwhy? /think max", { text: "why?", thinking: "max" }],
  ] as const)("%j", (text, directives) => {
    expect(parseInlineDirectives(text, { mayElevate: true })).toEqual(directives);
  });

  test.each([
    "what does /think do?",
    "a path/think high",
    "`/think high` is a directive",
    "```\n/think high\n```\nwhat is this?",
    "/reasoning loud why?",
    "/elevated full why?",
    "/think high",
    "  spaces stay  ",
  ])("%j is unchanged", (text) => {
    expect(parseInlineDirectives(text, { mayElevate: true })).toEqual({ text });
  });

  test("/elevated of a sender who may not give it is unchanged", () => {
    expect(parseInlineDirectives("/elevated on look", { mayElevate: false })).toEqual({ text: "/elevated on look" });
  });

  test("removes nothing else from a message", () => {
    const word = fc.stringMatching(/^[a-zäé0-9.,!?-]{1,8}$/u);
    const directive = fc.oneof(
      fc.constantFrom(...THINKING_LEVELS).map((level) => `/think ${level}`),
      fc.constantFrom(...REASONING_CHOICES).map((choice) => `/reasoning ${choice}`),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ word, directive: fc.option(directive) }), { minLength: 1, maxLength: 8 }), (parts) => {
        const written = parts.flatMap(({ word: said, directive: asked }) => (asked === null ? [said] : [asked, said])).join(" ");
        const { text, ...found } = parseInlineDirectives(written, { mayElevate: true });
        expect(text).toBe(parts.map(({ word: said }) => said).join(" "));
        expect(Object.keys(found).length > 0).toBe(parts.some(({ directive: asked }) => asked !== null));
      }),
    );
  });
});
