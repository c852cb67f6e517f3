import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { confirm } from "./confirm.ts";

/** Asks, and acts once the question is shown. */
async function ask(answer: (input: PassThrough, stopping: AbortController) => void): Promise<boolean> {
  const [input, output, stopping] = [new PassThrough(), new PassThrough(), new AbortController()];
  const asked = confirm("Remove it?", { input, output, signal: stopping.signal });
  expect(
    String(
      await output[Symbol.asyncIterator]()
        .next()
        .then(({ value }) => value as Buffer),
    ),
  ).toBe("Remove it? [y/N] ");
  answer(input, stopping);
  return asked;
}

test.each([
  ["y\n", true],
  [" YES \n", true],
  ["\n", false],
  ["n\n", false],
  ["yesterday\n", false],
])("%j is %s", async (words, expected) => {
  expect(await ask((input) => void input.write(words))).toBe(expected);
});

test("the end of the input counts as no, and so does the end of the command", async () => {
  expect(await ask((input) => void input.end())).toBe(false);
  expect(await ask((_input, stopping) => stopping.abort())).toBe(false);
});
