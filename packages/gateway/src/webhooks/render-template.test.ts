import fc from "fast-check";
import { expect, test } from "vitest";
import { parseBody } from "./parse-body.ts";
import { matchesAll, renderTemplate } from "./render-template.ts";

const FACTS = {
  body: {
    action: "opened",
    issue: { number: 7, title: "{{action}}", labels: [{ name: "bug" }, { name: "ui" }] },
    a: [{ b: [true, null] }],
  },
  headers: { "x-github-event": "issues" },
};

test.each([
  ["{{action}} #{{ issue.number }}: {{issue.labels[1].name}}", "opened #7: ui"],
  ["{{issue.title}}", "{{action}}"],
  ["{{headers.X-GitHub-Event}}", "issues"],
  ["{{a[0].b}} {{a[0].b[0]}}", "[true,null] true"],
  ["[{{missing}}{{a[9].b}}{{action.x}}{{a.b}}{{issue[0]}}{{a[0].b[1]}}]", "[]"],
  ["{{constructor}}{{__proto__.x}}{{a.length}}{{issue.toString}}", ""],
  ["{{issue.number + 1}} {{a[-1]}} { {action}} }}", "  { {action}} }}"],
])("%s becomes %s", (template, expected) => {
  expect(renderTemplate(template, FACTS)).toBe(expected);
});

test("any value is inserted as it is, once, and any template is rendered without an error", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (value, template) => {
      expect(renderTemplate("<{{a.b}}>", { body: { a: { b: value } }, headers: {} })).toBe(`<${value}>`);
      expect(typeof renderTemplate(template, FACTS)).toBe("string");
    }),
  );
});

test("all conditions must hold; a list names alternatives", () => {
  expect(matchesAll({}, FACTS)).toBe(true);
  expect(matchesAll({ action: ["closed", "opened"], "headers.x-github-event": "issues" }, FACTS)).toBe(true);
  expect(matchesAll({ action: "opened", "issue.number": "8" }, FACTS)).toBe(false);
});

test("a body is JSON, or a form with the field payload; not too deep, and UTF-8", () => {
  const parse = (text: string, type = "application/json"): unknown => {
    const parsed = parseBody(Buffer.from(text), type);
    return parsed.type === "json" ? parsed.value : parsed.message;
  };
  expect(parse('{"a":[1]}')).toEqual({ a: [1] });
  expect(parse("payload=%7B%22a%22%3A1%7D", "application/x-www-form-urlencoded; charset=utf-8")).toEqual({ a: 1 });
  expect(parse("text=hi&user=u", "application/x-www-form-urlencoded")).toEqual({ text: "hi", user: "u" });
  expect(parse(' {"text":"a=b&c"}', "application/x-www-form-urlencoded")).toEqual({ text: "a=b&c" });
  expect(parse('{"a":')).toBe("The body is not valid JSON.");
  expect(parse(`"${"[".repeat(100)}"`)).toBe("[".repeat(100));
  expect(parse(String.raw`"\"${"[".repeat(100)}"`)).toBe(`"${"[".repeat(100)}`);
  expect(parse(`${"[".repeat(64)}${"]".repeat(64)}`)).not.toBeTypeOf("string");
  expect(parse(`${"[".repeat(65)}${"]".repeat(65)}`)).toBe("The body is nested deeper than 64 levels.");
  expect(parse("[".repeat(200_000))).toBe("The body is nested deeper than 64 levels.");
  expect(parseBody(Uint8Array.of(0xff, 0xfe), "").type).toBe("refused");
});
