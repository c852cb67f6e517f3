import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseReferences } from "./parse-references.ts";

const ID = "0123456789abcdef0123456789abcdef";

function named(text: string): string[] {
  return parseReferences(text).map((reference) => (reference.type === "path" ? reference.path : `media:${reference.id}`));
}

test.each([
  ["look at ./a.png", ["./a.png"]],
  ["../b.jpg and ~/c.webp.", ["../b.jpg", "~/c.webp"]],
  ["看看./图/一.png，还有../二.JPG。", ["./图/一.png", "../二.JPG"]],
  ["(./a.png) [./b.gif] <./c.jpeg>", ["./a.png", "./b.gif", "./c.jpeg"]],
  ["compare './my pictures/a b.png' with \"~/c d.jpg\"", ["./my pictures/a b.png", "~/c d.jpg"]],
  ["file:///home/me/a%20b.png", ["/home/me/a b.png"]],
  ["[Image: source: ./shots/x 1.png]", ["./shots/x 1.png"]],
  ["[Image: source: /srv/pictures/x.png]", ["/srv/pictures/x.png"]],
  ["[media attached: ./y.webp (image/webp)]", ["./y.webp"]],
  [`[media attached 1/2: media://inbound/${ID} (image/png, a.png)]`, [`media:${ID}`]],
  [`what was in media://inbound/${ID}?`, [`media:${ID}`]],
  ["./a.png ./b.png ./a.png", ["./a.png", "./b.png"]],
  ["write ./notes.md and ./a.png.txt", []],
  ["a.png", []],
  ["[media attached: ./doc.pdf (application/pdf)]", []],
])("%s names %j", (text, expected) => {
  expect(named(text)).toEqual(expected);
});

describe("never a network address", () => {
  test.each([
    "https://example.com/a.png",
    "https://example.com/./a.png",
    "https://example.com/x/../a.png",
    "http://example.com/~/a.png",
    "see http://h/?p=./a.png and http://h/#~/a.png",
    "[Image: source: https://example.com/a.png]",
    "[media attached: http://example.com/a.png (image/png)]",
    "file://server/share/a.png",
    "file:////server/share/a.png",
    "file:///%2Fserver/share/a.png",
    "file:///100%.png",
    "[Image: source: //server/share/a.png]",
    "[Image: source: \\\\server\\share\\a.png]",
    "'./x\\\\server\\a.png'",
    "[Image: source: smb://server/a.png]",
    "[Image: source: data:image/png;base64,AAAA.png]",
    "[Image: source: FILE://SERVER/a.png]",
    "media://inbound/../../etc/a.png",
    "media://outbound/0123456789abcdef0123456789abcdef",
  ])("%s", (text) => {
    expect(named(text)).toEqual([]);
  });

  test("in any text", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "http://",
        "https://",
        "file://",
        "file:///",
        "//",
        "\\\\",
        "./",
        "../",
        "~/",
        ".png",
        ".jpg",
        "a",
        "%2F",
        "\0",
        " ",
        "\n",
      ),
      fc.constantFrom("[Image: source: ", "[media attached: ", " (image/png)", "]", '"', "'", "`", ":", "host", "media://inbound/", ID),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        for (const path of named(pieces.join(""))) expect(path).not.toMatch(/^(?:[a-z][a-z0-9+.-]+:(?!\w{32}$)|[\\/]{2})|\0|\\\\/i);
      }),
      { numRuns: 5_000 },
    );
  });
});

test("a long hostile text is parsed quickly", () => {
  for (const piece of ["./", "[media attached: (image/", "[Image: source: ", "'./a", "file:///a/", "~/a.pn"]) {
    const text = piece.repeat(100_000 / piece.length);
    // CPU time in microseconds, independent of the load of the machine.
    const began = process.threadCpuUsage();
    parseReferences(text);
    expect(process.threadCpuUsage(began).user).toBeLessThan(2_000_000);
  }
});
