import type { JsonSchema, ToolSchema } from "@factotum/agent-contract";
import { startStrictServer, type StrictServer, WIRE_FORMATS } from "@factotum/testing-providers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { adaptTools } from "../src/index.ts";
import { clientFor, collect, LS_TOOL, messageOf, requestOf } from "./client.ts";
import { STRICT_WIRES } from "./wires/all-wires.ts";

// Properties over many conversations may take minutes on a slow machine.
vi.setConfig({ testTimeout: 300_000 });

const name = fc.oneof(
  fc.constantFrom("path", "url", "a.b", "größe", "with space", "$weird", "x".repeat(70), "", "__proto__", "constructor"),
  fc.string({ maxLength: 5 }),
);
const words = fc.string({ maxLength: 12 });
const wrong = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom("strng", -1, 1.5, true, null, "(", "(?!x)"));

const type = fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null");

/** Schemas as tool servers write them: any keywords, some with invalid values, references to anywhere. */
function schemaOf(depth: number): fc.Arbitrary<JsonSchema> {
  const inner: fc.Arbitrary<JsonSchema> = depth === 0 ? fc.record({ type }) : schemaOf(depth - 1);
  const list = fc.array(inner, { maxLength: 2 });
  const map = fc.dictionary(name, inner, { maxKeys: 2 });
  const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    type: fc.oneof(type, fc.array(type, { maxLength: 3 })),
    description: words,
    properties: map,
    required: fc.array(name, { maxLength: 3 }),
    items: fc.oneof(inner, list),
    prefixItems: list,
    anyOf: list,
    oneOf: list,
    allOf: list,
    not: inner,
    if: inner,
    enum: fc.array(fc.oneof(words, fc.integer(), fc.constant(null)), { maxLength: 3 }),
    const: words,
    format: fc.constantFrom("date-time", "uri", "email", "int64"),
    pattern: fc.constantFrom("^a+$", "(?<!x)y", "["),
    minimum: fc.integer(),
    exclusiveMinimum: fc.boolean(),
    minLength: fc.nat(),
    multipleOf: fc.nat(),
    uniqueItems: fc.boolean(),
    default: wrong,
    nullable: fc.boolean(),
    additionalProperties: fc.oneof(fc.boolean(), inner),
    patternProperties: map,
    propertyNames: inner,
    dependentRequired: wrong,
    $ref: fc.constantFrom("#", "#/$defs/a", "#/definitions/b", "#/nowhere", "https://example.invalid/schema"),
    $defs: fc.dictionary(fc.constantFrom("a", "b"), inner, { maxKeys: 2 }),
    definitions: fc.dictionary(fc.constantFrom("a", "b"), inner, { maxKeys: 2 }),
    $schema: fc.constantFrom("http://json-schema.org/draft-07/schema#", "x"),
    examples: wrong,
  };
  const entries = Object.entries(keywords).map(([key, value]) =>
    fc.tuple(fc.constant(key), fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: wrong })),
  );
  return fc.array(fc.oneof(...entries), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs) as JsonSchema);
}
const schema = schemaOf(2);

const tools = fc.array(
  fc.record({
    name: fc.oneof({ weight: 4, arbitrary: fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/) }, { weight: 1, arbitrary: name }),
    description: words,
    parameters: fc.oneof({ weight: 3, arbitrary: schema.map((value) => ({ ...value, type: "object" })) }, { weight: 1, arbitrary: schema }),
  }),
  { maxLength: 4 },
);

describe.each(WIRE_FORMATS)("%s", (format) => {
  const wire = STRICT_WIRES[format];
  let server: StrictServer;
  beforeEach(async () => {
    server = await startStrictServer(format);
  });
  afterEach(() => server.close());

  test("no schema fails a turn: each is adapted, or its tool is dropped with a reason", async () => {
    server.respond(() => ({ type: "message", content: [{ type: "text", text: "ok" }] }));
    const client = clientFor(wire, server.baseUrl);
    await fc.assert(
      fc.asyncProperty(tools, async (offered) => {
        const adapted = adaptTools(offered, wire.api);
        expect(adapted.tools.length + adapted.quarantined.length).toBe(offered.length);
        for (const { reason } of adapted.quarantined) expect(reason).not.toBe("");
        messageOf(await collect(client, requestOf({ tools: offered })));
        expect(server.violations).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test("adapting is deterministic and idempotent", () => {
    fc.assert(
      fc.property(tools, (offered) => {
        const once = adaptTools(offered, wire.api);
        expect(JSON.stringify(adaptTools(offered, wire.api))).toBe(JSON.stringify(once));
        expect(adaptTools(once.tools, wire.api)).toEqual({ tools: once.tools, quarantined: [] });
      }),
      { numRuns: 200 },
    );
  });

  test("a schema that every provider accepts is unchanged", () => {
    expect(adaptTools([LS_TOOL], wire.api)).toEqual({ tools: [LS_TOOL], quarantined: [] });
  });
});

function tool(parameters: JsonSchema, overrides: Partial<ToolSchema> = {}): ToolSchema {
  return { name: "t", description: "d", parameters, ...overrides };
}

describe("adaptations", () => {
  test("references are inlined, and a circular one ends", () => {
    const parameters = {
      type: "object",
      properties: { node: { $ref: "#/$defs/node" } },
      $defs: {
        node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/node", description: "the rest" } } },
      },
    };
    expect(adaptTools([tool(parameters)], "mistral").tools[0]?.parameters).toEqual({
      type: "object",
      properties: { node: { type: "object", properties: { name: { type: "string" }, next: { description: "the rest" } } } },
    });
  });

  test("Google gets its subset: no patterns, values that are strings, one kind of union, merged parts", () => {
    const parameters = {
      type: "object",
      properties: {
        level: { type: "integer", enum: [1, 2], description: "How loud." },
        mode: { const: "fast" },
        to: { oneOf: [{ type: "string", pattern: "^a" }, { type: "null" }] },
        both: { allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "string" } } }] },
      },
    };
    expect(adaptTools([tool(parameters)], "google-generative-ai").tools[0]?.parameters.properties).toEqual({
      level: { type: "integer", description: "How loud. One of: [1,2]." },
      mode: { type: "string", enum: ["fast"] },
      to: { anyOf: [{ type: "string" }, { type: "null" }] },
      both: { type: "object", properties: { b: { type: "string" }, a: { type: "string" } }, required: ["a"] },
    });
  });

  test.each([
    ["words", { properties: {}, allOf: [{ enum: ["x"] }] }, { type: "object", properties: {} }],
    ["a list", { allOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }, { type: "string" }],
    ["a list or a text", { allOf: [{ type: "string" }, { type: ["array", "string"], items: {} }] }, { type: "string" }],
    ["an object", { type: ["string", "null"], allOf: [{ properties: { b: {} }, required: ["b"] }] }, { type: ["string", "null"] }],
    ["a list of one word", { type: "array", const: "x" }, { type: "string", enum: ["x"] }],
    ["words or nothing", { type: ["string", "null"], allOf: [{ enum: ["x"] }] }, { type: ["string", "null"] }],
  ])("drops %s that contradicts the type, and adapting again changes nothing", (_what, given, wanted) => {
    const once = adaptTools([tool({ type: "object", properties: { a: given } } as JsonSchema)], "google-generative-ai");
    expect(once.tools[0]?.parameters).toEqual({ type: "object", properties: { a: wanted } });
    expect(adaptTools(once.tools, "google-generative-ai").tools).toEqual(once.tools);
  });

  test("drops a property whose name the provider refuses, or the tool if the property is required", () => {
    const parameters = { type: "object", properties: { größe: { type: "string" }, path: { type: "string" } } };
    expect(Object.keys(adaptTools([tool(parameters)], "anthropic-messages").tools[0]?.parameters.properties ?? {})).toEqual(["path"]);
    const { quarantined } = adaptTools([tool({ ...parameters, required: ["größe"] })], "anthropic-messages");
    expect(quarantined).toEqual([{ name: "t", reason: 'it requires "größe", a name that the provider refuses' }]);
    expect(adaptTools([tool({ ...parameters, required: ["größe"] })], "openai-chat").quarantined).toEqual([]);
  });

  test.each([
    ["a name that is none", [tool({}, { name: "not a name" })], /its name does not fit/],
    ["parameters that are no object", [tool({ type: "string" })], /no object/],
    ["a name that is taken", [tool({}), tool({})], /another tool/],
    ["the 129th tool", Array.from({ length: 129 }, (_, index) => tool({}, { name: `t${index}` })), /only 128/],
    ["a schema of too many bytes", [tool({ type: "object", properties: { a: { description: "x".repeat(70_000) } } })], /bytes/],
    [
      "a schema of too many parts",
      [tool({ type: "object", properties: Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`p${index}`, {}])) })],
      /parts/,
    ],
  ] as const)("%s is quarantined", (_name, offered, reason) => {
    const { tools: kept, quarantined } = adaptTools(offered, "openai-chat");
    expect(quarantined).toHaveLength(1);
    expect(quarantined[0]?.reason).toMatch(reason);
    expect(kept).toHaveLength(offered.length - 1);
  });

  test("a schema that doubles at every level ends", () => {
    const parameters = {
      type: "object",
      properties: { a: { $ref: "#/$defs/x" } },
      $defs: {
        x: { properties: { l: { $ref: "#/$defs/y" }, r: { $ref: "#/$defs/y" } } },
        y: { properties: { l: { $ref: "#/$defs/x" }, r: { $ref: "#/$defs/x" } } },
      },
    };
    expect(JSON.stringify(adaptTools([tool(parameters)], "openai-chat")).length).toBeLessThan(20_000);
  });
});
