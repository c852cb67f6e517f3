import fc from "fast-check";
import { expect, test } from "vitest";
import { renderSkillIndex } from "./skill-index.ts";

test("renders one skill, escaped", () => {
  expect(renderSkillIndex([{ name: "a&b", description: "does\n<this> & that", location: "./skills/a/SKILL.md", version: "2" }])).toBe(
    "<available_skills>\n" +
      "<skill><name>a&amp;b</name><description>does &lt;this&gt; &amp; that</description><location>./skills/a/SKILL.md</location><version>2</version></skill>\n" +
      "</available_skills>",
  );
});

test("shortens descriptions before it drops entries", () => {
  const many = (count: number, description: string) =>
    Array.from({ length: count }, (_, index) => ({ name: `skill-${index}`, description, location: `./skills/skill-${index}/SKILL.md` }));
  const shrunk = renderSkillIndex([...many(80, "d".repeat(500)), { name: "short", description: "short one", location: "./s" }]);
  expect(shrunk.length).toBeLessThanOrEqual(12_000);
  expect(shrunk.match(/<skill>/g)).toHaveLength(81);
  expect(shrunk).toContain("d…</description>");
  expect(shrunk).toContain("<description>short one</description>");
  const dropped = renderSkillIndex(many(1_000, "text"));
  const kept = dropped.match(/<skill>/g)?.length ?? 0;
  expect(kept).toBeGreaterThan(100);
  expect(dropped).not.toContain("<description>");
  expect(dropped).toContain(`</available_skills>\n${1_000 - kept} more skills do not fit`);
});

test("never exceeds its budget and always parses", () => {
  const skill = fc.record({
    name: fc.string({ maxLength: 30 }),
    description: fc.string({ unit: "binary", maxLength: 2_000 }),
    location: fc.string({ maxLength: 60 }),
  });
  fc.assert(
    fc.property(fc.array(skill, { maxLength: 120 }), (skills) => {
      const index = renderSkillIndex(skills);
      expect(index.length).toBeLessThanOrEqual(12_000);
      const [, entries = ""] = /^<available_skills>\n([^]*)\n<\/available_skills>/.exec(index) ?? [];
      for (const line of entries === "" ? [] : entries.split("\n")) {
        expect(line).toMatch(
          /^<skill>(<name>[^<>]*<\/name>)?(<description>[^<>]*<\/description>)?(<location>[^<>]*<\/location>)?<\/skill>$/,
        );
      }
    }),
    { numRuns: 50 },
  );
});
