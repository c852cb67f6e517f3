import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

test.each([
  ["an empty text", " ", "An event needs a text.", "Name it with --text."],
  ["a text of 1,001 characters", "x".repeat(1001), "An event has at most 1000 characters.", "Shorten the text"],
])("%s is refused before the gateway is asked", async (_name, text, problem, fix) => {
  await using cli = await CliHome.create();
  const { code, stderr } = await cli.run("system", "event", "--text", text);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
  expect(stderr).toContain(fix);
});
