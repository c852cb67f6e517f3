import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { matchExpression, queryTokens } from "./query-tokens.ts";
import { tokenize } from "./tokenize.ts";

test.each([
  ["Don't panic: C++ & foo-bar_baz", ["don", "t", "panic", "c", "foo", "bar", "baz"]],
  ["Café ＡＢＣ Ünïcode", ["cafe", "abc", "unicode"]],
  ["数据库", ["数", "据", "数据", "库", "据库"]],
  ["用Redis缓存", ["用", "redis", "缓", "存", "缓存"]],
  ["ガード", ["ガ", "ー", "ガー", "ド", "ード"]],
  ["비밀", ["비", "밀", "비밀"]],
  ["", []],
])("tokens of %j", (text, tokens) => {
  expect(tokenize(text)).toEqual(tokens);
});

test("common words are left out of a query, unless there are no others", () => {
  expect(queryTokens("What is the name of our landlord? The landlord")).toEqual(["name", "landlord"]);
  expect(queryTokens("who am I")).toEqual(["who", "am", "i"]);
});

test("any text is a valid query that finds a note with the same text", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE words USING fts5(tokens, content='', contentless_delete=1, tokenize='ascii')");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
      const tokens = queryTokens(text);
      fc.pre(tokens.length > 0);
      database.exec("DELETE FROM words");
      database.prepare("INSERT INTO words (rowid, tokens) VALUES (7, ?)").run(tokenize(text).join(" "));
      for (const token of tokens)
        expect(database.prepare("SELECT rowid FROM words WHERE words MATCH ?").get(matchExpression(token))?.["rowid"]).toBe(7);
    }),
  );
  database.close();
});

test.each([
  ["How often has Karl painted the fence?", ["karl", "painted", "fence"]],
  ["台灯什么时候修理？", ["台", "灯", "台灯", "修", "理", "修理"]],
  ["什么", ["什", "么", "什么"]],
  ["Why?", ["why"]],
])("the words of a question that ask are left out, unless there are no others: %s", (query, tokens) => {
  expect(queryTokens(query)).toEqual(tokens);
});
