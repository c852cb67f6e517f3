import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageFrames, frame } from "./message-frames.ts";
import { TextLines } from "./text-lines.ts";

const text = fc.string({ unit: fc.constantFrom("a", "\r\n", "\n", "\r", "é", "漢", "😀", " ", "👩‍👩‍👧"), maxLength: 60 });

test("places and offsets of whole characters are the same both ways, in either encoding", () => {
  fc.assert(
    fc.property(text, fc.nat(), (value, seed) => {
      const lines = new TextLines(value);
      const line = seed % lines.count;
      const characters = Array.from(lines.line(line));
      const character = characters.slice(0, seed % (characters.length + 1)).join("").length;
      const offset = lines.offsetOf({ line, character });
      expect(lines.placeOf(offset)).toEqual({ line, character });
      for (const encoding of ["utf-8", "utf-16"] as const)
        expect(lines.fromServer(lines.toServer({ line, character }, encoding), encoding)).toEqual({ line, character });
    }),
  );
});

test("lines are those of the text, whatever ends them", () => {
  fc.assert(
    fc.property(text, (value) => {
      const lines = new TextLines(value);
      expect(Array.from({ length: lines.count }, (_, index) => lines.line(index))).toEqual(value.split(/\r\n|\n|\r/));
    }),
  );
});

test("positions of servers count bytes or UTF-16 code units, and stay in their line", () => {
  const lines = new TextLines("é😀x\r\nnext");
  expect(lines.toServer({ line: 0, character: 3 }, "utf-8")).toEqual({ line: 0, character: 6 });
  expect(lines.fromServer({ line: 0, character: 6 }, "utf-8")).toEqual({ line: 0, character: 3 });
  expect(lines.fromServer({ line: 0, character: 4 }, "utf-8")).toEqual({ line: 0, character: 1 });
  expect(lines.fromServer({ line: 0, character: 99 }, "utf-16")).toEqual({ line: 0, character: 4 });
  expect(lines.offsetOf({ line: 1, character: 0 })).toBe(6);
  expect(lines.offsetOf({ line: 9, character: 0 })).toBe(10);
});

test("messages are read however their bytes arrive", () => {
  const messages = [{ a: "é😀" }, { b: "x".repeat(5_000) }, {}];
  const stream = messages.map(frame).join("");
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 20 }), (sizes) => {
      const frames = new MessageFrames();
      const read: string[] = [];
      const characters = Array.from(stream);
      for (let from = 0, index = 0; from < characters.length; index += 1) {
        const size = sizes[index % sizes.length] ?? 1;
        read.push(...frames.push(characters.slice(from, from + size).join("")));
        from += size;
      }
      expect(read.map((one) => JSON.parse(one) as unknown)).toEqual(messages);
    }),
  );
});

test("output that is no message, and a message that is too long, are refused", () => {
  expect(() => new MessageFrames().push("x".repeat(9_000))).toThrow("no message of a language server");
  expect(() => new MessageFrames().push("Content-Length: many\r\n\r\n")).toThrow("no message of a language server");
  expect(() => new MessageFrames().push("Content-Length: 13000000\r\n\r\n")).toThrow("more than 12 MB");
});
