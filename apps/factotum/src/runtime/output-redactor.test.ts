import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHostRunner } from "@factotum/sandbox";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OutputRedactor } from "./output-redactor.ts";
import { systemClock, systemRandom } from "./system-clock.ts";

const SECRET = "canary+9f8e7d6c5b4a3f2e1d0c9b8a7f6e5d4c3b2a1f";
const FORMS = [SECRET, Buffer.from(`:${SECRET}`).toString("base64"), Buffer.from(SECRET).toString("hex").replaceAll(/.{9}/g, "$&\n")];
const MARK = /\n\[… \d+ bytes of output left out …\]\n/;

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "cut-output-")));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** The visible output of a command with this output, at its end and while it runs. */
async function shownOf(
  text: string,
  redactor: OutputRedactor,
  maxOutputBytes: number,
): Promise<{ readonly result: string; readonly live: string }> {
  await writeFile(join(folder, "text"), text);
  const runner = createHostRunner({
    clock: systemClock,
    random: systemRandom,
    redactor,
    logger: { warn: (message) => expect.unreachable(message) },
    recordFolder: join(folder, "records"),
    baseEnv: { PATH: process.env["PATH"] },
    limits: () => ({ maxProcesses: 256, maxMemoryBytes: 2_048 * 1024 ** 2 }),
  });
  let live = "";
  const { output } = await runner.run(
    { command: { type: "shell", text: "cat text" }, cwd: folder, env: {}, timeoutMs: 60_000, maxOutputBytes },
    {
      signal: new AbortController().signal,
      run: {
        runId: "run",
        kind: "user",
        agentId: "main",
        sessionKey: "agent:main:main",
        sessionId: "session",
        workspace: folder,
        owner: true,
        timeZone: "UTC",
      },
      onOutput: (part) => void (live += part),
    },
  );
  return { result: output, live };
}

test("output is redacted before it is cut, wherever the cuts divide a secret", async () => {
  const redactor = new OutputRedactor();
  redactor.add([SECRET]);
  // Characters that are in no form, so that leftovers of a secret can be told apart.
  const filler = fc.oneof(
    fc.constant(""),
    fc.integer({ min: 0, max: 120 }).map((length) => "~".repeat(length)),
  );
  const parts = fc.oneof(
    fc.array(fc.tuple(filler, fc.constantFrom(...FORMS)), { maxLength: 8 }),
    // So many that the kept text shrinks below the visible limit.
    fc.integer({ min: 10, max: 60 }).map((count) => Array.from({ length: count }, () => FORMS.slice(-1))),
  );
  const long = fc.constantFrom("", "~".repeat(500), "~".repeat(4_000));
  // The start of a secret at the very end is not one.
  const ending = fc.constantFrom("", SECRET.slice(0, 4));
  await fc.assert(
    fc.asyncProperty(parts, long, parts, ending, fc.integer({ min: 20, max: 600 }), async (before, middle, after, end, maxBytes) => {
      const text = [...before.flat(), middle, ...after.flat(), end].join("");
      const redacted = redactor.redact(text);
      const { result, live } = await shownOf(text, redactor, maxBytes);
      const [head = "", ...tails] = result.split(MARK);
      expect(redacted.startsWith(head)).toBe(true);
      expect(redacted.endsWith(tails.join(""))).toBe(true);
      expect(tails.length === 0).toBe(result === redacted);
      expect(redacted.startsWith(live)).toBe(true);
      expect(live.length).toBeGreaterThanOrEqual(Math.min(redacted.length, maxBytes + 1));
    }),
    { numRuns: 100 },
  );
});
