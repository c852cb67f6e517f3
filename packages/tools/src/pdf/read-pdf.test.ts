import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { open, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { Clock } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePdf } from "../../test/make-pdf.ts";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createReadTool } from "../files/read-tool.ts";
import { createPdfReader, type PdfReaderOptions } from "./read-pdf.ts";

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig({ roots: (base) => [{ type: "media", path: join(base, "home/media") }] });
});
afterEach(() => rig[Symbol.asyncDispose]());

const read = (
  args: { readonly path: string; readonly offset?: number; readonly limit?: number },
  {
    signal = new AbortController().signal,
    maxResultChars = 16_000,
    ...reader
  }: Partial<PdfReaderOptions> & { readonly signal?: AbortSignal; readonly maxResultChars?: number } = {},
) =>
  rig.call(
    createReadTool({ files: rig.files, maxResultChars, maxImageBytes: 1_000, readPdf: createPdfReader({ clock, ...reader }) }),
    args,
    { signal },
  );

const PAGES = ["Report (draft)\nfirst line\nsecond line", "", "The end."];
const TIMEOUT = { timeout: 60_000 };

describe("a PDF", TIMEOUT, () => {
  test("is shown page by page, with numbers, regardless of its name", async () => {
    await rig.put("workspace/report.txt", makePdf(PAGES));
    const result = await read({ path: "report.txt" });
    expect(textOf(result)).toBe(
      "[Page 1 of 3]\nReport (draft)\nfirst line\nsecond line\n\n[Page 2 of 3]\n(no text; it may be a picture)\n\n[Page 3 of 3]\nThe end.\n",
    );
    expect(result.details).toMatchObject({ path: "report.txt", pageCount: 3, firstPage: 1, lastPage: 3 });
    expect(result).not.toHaveProperty("untrusted");
  });

  test("has offset and limit by page, and says what is left", async () => {
    await rig.put("workspace/a.pdf", makePdf(PAGES));
    expect(textOf(await read({ path: "a.pdf", offset: 1, limit: 1 }))).toMatch(
      /second line\n\[Pages 2 to 3 are left\. Go on with offset 2\.\]$/,
    );
    expect(textOf(await read({ path: "a.pdf", offset: 3 }))).toBe("[Page 3 of 3]\nThe end.\n");
    const past = await read({ path: "a.pdf", offset: 4 });
    expect([past.isError, textOf(past)]).toEqual([true, "a.pdf has 3 pages; the offset is past its end."]);
  });

  test("is cut at the limit of a result: between pages, or inside the first one", async () => {
    await rig.put("workspace/a.pdf", makePdf([Array.from({ length: 40 }, () => "long line of words").join("\n"), "second", "third"]));
    const cut = textOf(await read({ path: "a.pdf" }, { maxResultChars: 500 }));
    expect(cut.length).toBeLessThanOrEqual(500);
    expect(cut).toMatch(/\[Page 1 is too long to show whole\. Go on with offset 2\.\]$/);
    const whole = textOf(await read({ path: "a.pdf" }, { maxResultChars: 1_000 }));
    expect(whole).toContain("[Page 2 of 3]\nsecond");
    expect(textOf(await read({ path: "a.pdf", offset: 2 }, { maxResultChars: 200 }))).toMatch(/second\n\[Pages 3 to 3 are left/);
  });

  test("of the media store is untrusted", async () => {
    await rig.put("home/media/a.pdf", makePdf(PAGES));
    expect((await read({ path: join(rig.home, "media/a.pdf") })).untrusted).toBe(true);
  });

  test("of 5,000 pages is read from any of them", async () => {
    await rig.put("workspace/huge.pdf", makePdf(Array.from({ length: 5_000 }, (_, index) => `page ${index + 1}`)));
    expect(textOf(await read({ path: "huge.pdf", offset: 4_999 }))).toBe(
      "[Page 4999 of 5000]\npage 4999\n\n[Page 5000 of 5000]\npage 5000\n",
    );
    const start = textOf(await read({ path: "huge.pdf" }));
    expect(start.length).toBeLessThanOrEqual(16_000);
    expect(start).toMatch(/\[Pages \d+ to 5000 are left\. Go on with offset \d+\.\]$/);
  });
});

describe("ends in an error", TIMEOUT, () => {
  const ENCRYPTED = makePdf(["secret"], {
    trailer: `/ID [<${"00".repeat(16)}> <${"00".repeat(16)}>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${"11".repeat(32)}> /U <${"22".repeat(32)}> /P -4 >>`,
  });

  test.each([
    ["encrypted", ENCRYPTED, "needs a password"],
    ["empty after its header", Buffer.from("%PDF-1.7\n"), "damaged"],
    ["cut in the middle", makePdf(PAGES).subarray(0, 200), "damaged"],
    ["noise", Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(50_000, 7)]), "damaged"],
  ])("if it is %s", async (_name, bytes, message) => {
    await rig.put("workspace/a.pdf", bytes);
    const result = await read({ path: "a.pdf" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(message);
  });

  test("if it is too large, before anything of it is read", async () => {
    await truncate(await rig.put("workspace/a.pdf", makePdf(PAGES)), 65 * 1024 * 1024);
    const result = await read({ path: "a.pdf" }, { program: "/nowhere" });
    expect(textOf(result)).toContain("too large to read; at most 67108864");
  });

  test("if it takes too long, and the process is gone", async () => {
    const endless = join(rig.base, "endless.mjs");
    await writeFile(endless, "for (;;);");
    await rig.put("workspace/a.pdf", makePdf(PAGES));
    const result = await read({ path: "a.pdf" }, { program: endless, timeoutMs: 300 });
    expect(textOf(result)).toContain("takes too long to read");
    await expect.poll(() => processesOf(endless)).toEqual([]);
  });

  test("if it needs too much memory: streams that grow without end", async () => {
    const bomb = deflateSync(deflateSync(Buffer.alloc(600 * 1024 * 1024), { level: 1 }));
    const stream = `<< /Length ${bomb.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${bomb.toString("latin1")}\nendstream`;
    const pdf = makePdf(["x"], { objects: [stream] })
      .toString("latin1")
      .replace("/Contents 5 0 R", "/Contents 6 0 R");
    await rig.put("workspace/bomb.pdf", Buffer.from(pdf, "latin1"));
    const result = await read({ path: "bomb.pdf" });
    expect(textOf(result)).toMatch(/needs too much memory|damaged|takes too long/);
  });

  test("if the program is missing or says nothing", async () => {
    await rig.put("workspace/a.pdf", makePdf(PAGES));
    const silent = join(rig.base, "silent.mjs");
    await writeFile(silent, "");
    for (const program of ["/nowhere.mjs", silent])
      expect(textOf(await read({ path: "a.pdf" }, { program }))).toContain("too much memory to read, or is damaged");
  });

  test("if the call is aborted, while it waits and while it runs; the next one works", async () => {
    const endless = join(rig.base, "endless.mjs");
    await writeFile(endless, "for (;;);");
    await rig.put("workspace/a.pdf", makePdf(PAGES));
    const readPdf = createPdfReader({ clock, program: endless });
    await using file = await open(join(rig.workspace, "a.pdf"));
    const [first, second] = [new AbortController(), new AbortController()];
    const job = { firstPage: 1, maxPages: 1, maxChars: 10 };
    const running = readPdf(file.fd, job, { signal: first.signal });
    const waiting = readPdf(file.fd, job, { signal: second.signal });
    second.abort(new Error("second stopped"));
    first.abort(new Error("first stopped"));
    await expect(running).rejects.toThrow("first stopped");
    await expect(waiting).rejects.toThrow("second stopped");
    await expect.poll(() => processesOf(endless)).toEqual([]);
  });
});

test("the program gets nothing of the environment and is limited in processor time", TIMEOUT, async () => {
  const tell = join(rig.base, "tell.mjs");
  await writeFile(
    tell,
    `import { execFileSync } from "node:child_process";
     const limits = execFileSync("/bin/sh", ["-c", "ulimit -t; ulimit -d"]).toString().trim().split("\\n").join(" ");
     console.log(JSON.stringify({ type: "pages", pageCount: 1, pages: [{ number: 1, text: JSON.stringify(process.env) + " " + limits + " " + process.cwd() }] }));`,
  );
  await rig.put("workspace/a.pdf", makePdf(PAGES));
  const text = textOf(await read({ path: "a.pdf" }, { program: tell }));
  expect(text).toMatch(/\{[^}]*\} 11 786432 \/$/m);
  for (const name of ["HOME", "FACTOTUM", 'PATH":"/root']) expect(text).not.toContain(name);
});

/** Command lines of processes that run a program. */
function processesOf(program: string): readonly string[] {
  return execFileSync("ps", ["-eo", "args"])
    .toString()
    .split("\n")
    .filter((line) => line.includes(program) && line.includes("node"));
}
