import { open, truncate } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { readChunks } from "./chunks.ts";
import { sniffFile } from "./sniff-file.ts";
import { createReadTool } from "./read-tool.ts";
import { readWindow } from "./read-window.ts";

const LIMITS = {
  maxResultChars: 16_000,
  maxImageBytes: 3_750_000,
  readPdf: async () => {
    throw new Error("not in this test");
  },
};

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig({ roots: (base) => [{ type: "media", path: join(base, "home/media") }] });
});
afterEach(() => rig[Symbol.asyncDispose]());

const read = (args: { path: string; offset?: number; limit?: number }, options: { maxResultChars?: number; maxImageBytes?: number } = {}) =>
  rig.call(createReadTool({ files: rig.files, ...LIMITS, ...options }), args);

describe("text", () => {
  test("is unchanged, with nothing added", async () => {
    await rig.put("workspace/a.txt", "one\r\ntwo\n\nthree");
    expect(await read({ path: "a.txt" })).toEqual({
      content: [{ type: "text", text: "one\r\ntwo\n\nthree" }],
      details: { path: "a.txt", sizeBytes: 15, firstLine: 1, lastLine: 4, leftBytes: 0 },
    });
  });

  test("is shown by lines, and the last line says how to continue", async () => {
    await rig.put("workspace/a.txt", "one\ntwo\nthree\nfour\n");
    expect(textOf(await read({ path: "a.txt", offset: 2, limit: 2 }))).toBe("two\nthree\n[5 of 19 bytes are left. Go on with offset 4.]");
    expect(textOf(await read({ path: "a.txt", offset: 4 }))).toBe("four\n");
    expect(textOf(await read({ path: "a.txt", limit: 4 }))).toBe("one\ntwo\nthree\nfour\n");
  });

  test("an offset past the end says how many lines there are", async () => {
    await rig.put("workspace/a.txt", "one\ntwo\n");
    await rig.put("workspace/b.txt", "one\ntwo");
    for (const path of ["a.txt", "b.txt"]) {
      const result = await read({ path, offset: 3 });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toBe(`${path} has 2 lines; the offset is past its end.`);
    }
  });

  test("an empty file says so", async () => {
    await rig.put("workspace/a.txt", "");
    expect(textOf(await read({ path: "a.txt" }))).toBe("(empty file)");
  });

  test("a line that is too long for a result is cut, and the result says so", async () => {
    await rig.put("workspace/a.txt", `${"😀".repeat(2_000)}\nend\n`);
    const text = textOf(await read({ path: "a.txt" }, { maxResultChars: 1_001 }));
    expect(text.length).toBeLessThanOrEqual(1_001);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toMatch(/\n\[Line 1 is too long to show whole; \d+ of 8005 bytes are left\. Later lines: offset 2\.\]$/);
  });

  test("following the offsets shows the whole file, each result within the cap", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme", maxLength: 60 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 240, max: 600 }),
        async (lines, maxResultChars) => {
          const content = lines.map((line) => line.replace(/[\n\r\0\uFEFF]/g, "").slice(0, 70)).join("\n");
          fc.pre(content.trim() !== "" && content.isWellFormed());
          await rig.put("workspace/a.txt", content);
          let seen = "";
          for (let offset: number | undefined = 1; offset !== undefined;) {
            const text = textOf(await read({ path: "a.txt", offset }, { maxResultChars }));
            expect(text.length).toBeLessThanOrEqual(maxResultChars);
            const next = /\[\d+ of \d+ bytes are left\. Go on with offset (\d+)\.\]$/.exec(text);
            seen += next === null ? text : text.slice(0, next.index);
            offset = next === null ? undefined : Number(next[1]);
          }
          expect(seen).toBe(content);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("of the media store is untrusted", async () => {
    await rig.put("home/media/note.txt", "hello");
    await rig.put("workspace/note.txt", "hello");
    expect((await read({ path: join(rig.home, "media/note.txt") })).untrusted).toBe(true);
    expect(await read({ path: "note.txt" })).not.toHaveProperty("untrusted");
  });
});

describe("other files", () => {
  const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

  test("an image is returned as it is, regardless of its name", async () => {
    await rig.put("workspace/picture.txt", PNG);
    const result = await read({ path: "picture.txt" });
    expect(result.content).toEqual([
      { type: "text", text: "picture.txt (image/png, 16 bytes)" },
      { type: "image", data: PNG.toString("base64"), mimeType: "image/png" },
    ]);
  });

  test("an image over the limit is named, not loaded", async () => {
    await rig.put("workspace/large.png", PNG);
    await truncate(join(rig.workspace, "large.png"), 5_000_000_000);
    const result = await read({ path: "large.png" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("(image/png, 5000000000 bytes) is larger than");
  });

  test.each([
    ["PK\u0003\u0004...", "ZIP archive"],
    ["abc\0def", "unknown kind"],
    ["\0\0\0\u0018ftypisom", "MP4"],
  ])("%j is identified by its type", async (content, kind) => {
    await rig.put("workspace/x", content);
    const result = await read({ path: "x" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(kind);
    expect(textOf(result)).toContain("bytes)");
  });
});

describe("memory", () => {
  test("a gigabyte of one line costs one window", async () => {
    const path = await rig.put("workspace/huge.txt", "x".repeat(9_000));
    await truncate(path, 1_000_000_000);
    const handle = await open(path);
    const seen = { bytes: 0, largest: 0 };
    const counting = {
      read: async (buffer: Buffer, offset: number, length: number, position: number) => {
        seen.largest = Math.max(seen.largest, buffer.length);
        const result = await handle.read(buffer, offset, length, position);
        seen.bytes += result.bytesRead;
        return result;
      },
    } as unknown as typeof handle;
    try {
      const file = { handle: counting, sizeBytes: 1_000_000_000 };
      const chunks = readChunks(file, { head: Buffer.alloc(0), signal: new AbortController().signal });
      const window = await readWindow(chunks, { firstLine: 1, maxLines: 10, maxChars: 16_000 });
      expect(window).toMatchObject({ type: "window", lineCut: true, lastLine: 1 });
      expect(seen.bytes).toBeLessThanOrEqual(128 * 1024);
      expect(seen.largest).toBe(64 * 1024);
    } finally {
      await handle.close();
    }
    expect(textOf(await read({ path: "huge.txt" }))).toMatch(/Line 1 is too long to show whole; 999984160 of 1000000000 bytes are left/);
  });

  test.each([0, 1, 8_191, 8_192, 8_193, 73_728, 200_000])("a file of %i bytes is read once, completely", async (size) => {
    const content = Buffer.from(Array.from({ length: size }, (_, index) => 97 + (index % 26)));
    const handle = await open(await rig.put("workspace/once.txt", content.toString()));
    let reads = 0;
    let bytes = 0;
    const counting = new Proxy(handle, {
      get: (target, name) => {
        if (name !== "read") return Reflect.get(target, name) as unknown;
        return async (...parameters: Parameters<typeof handle.read>) => {
          const result = await target.read(...parameters);
          reads += 1;
          bytes += result.bytesRead;
          return result;
        };
      },
    });
    try {
      const { head } = await sniffFile(counting);
      const parts: Buffer[] = [];
      const file = { handle: counting, sizeBytes: size };
      for await (const chunk of readChunks(file, { head, signal: new AbortController().signal })) parts.push(Buffer.from(chunk));
      expect(Buffer.concat(parts).equals(content)).toBe(true);
      expect(bytes).toBe(size);
      expect(reads).toBe(size === 0 ? 2 : 1 + Math.ceil(Math.max(0, size - 8_192) / 65_536));
    } finally {
      await handle.close();
    }
  });

  test("the end of 100 MB of lines is reached without holding them", async () => {
    const block = Buffer.from("0123456789abcdef0123456789abcde\n".repeat(2_048));
    let held = 0;
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let index = 0; index < 1_600; index += 1) {
        held = Math.max(held, process.memoryUsage().arrayBuffers);
        yield block;
        await Promise.resolve();
      }
    }
    const base = process.memoryUsage().arrayBuffers;
    const lineCount = 1_600 * 2_048;
    const window = await readWindow(chunks(), { firstLine: lineCount, maxLines: 10, maxChars: 1_000 });
    expect(window).toMatchObject({
      type: "window",
      text: "0123456789abcdef0123456789abcde\n",
      firstLine: lineCount,
      lastLine: lineCount,
      endByte: 1_600 * block.length,
    });
    expect(held - base).toBeLessThan(8 * 1024 * 1024);
  });

  test("an abort ends a long search for an offset", async () => {
    await rig.put("workspace/long.txt", "x\n".repeat(200_000));
    const abort = new AbortController();
    abort.abort(new Error("enough"));
    await expect(
      rig.call(createReadTool({ files: rig.files, ...LIMITS }), { path: "long.txt", offset: 150_000 }, { signal: abort.signal }),
    ).rejects.toThrow("enough");
  });
});
