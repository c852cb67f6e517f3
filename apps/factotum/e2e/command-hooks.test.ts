import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { callTools, sayText, startStrictServer, type CapturedRequest } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

/** The text of the tool result that is the newest message. */
function newestResult({ body }: CapturedRequest): string {
  const messages = (body?.["messages"] ?? []) as readonly unknown[];
  return JSON.stringify(messages.at(-1));
}

test("a command denies calls for its reason, another one hears of the end of turns, and a change applies at once", async () => {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-command-hooks-"));
  const [rule, heard] = [path.join(folder, "rule.sh"), path.join(folder, "heard.jsonl")];
  await writeFile(rule, 'read -r said\ncase "$said" in *forbidden*) echo "Not in this house."; exit 2;; esac\n');
  const config = (commandHooks: readonly object[]): object => ({
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    commandHooks,
  });
  const deny = { event: "before_tool_call", match: { tools: ["write"] }, command: ["sh", rule] };
  const note = { event: "agent_end", command: ["sh", "-c", `cat >> ${heard}`] };
  await using product = await startProduct({ config: config([deny, note]) });
  const { home } = product;
  const write = async (content: string): Promise<string> => {
    let result = "";
    model.respond((request) => {
      const newest = newestResult(request);
      if (!newest.includes("tool_result")) return callTools({ name: "write", arguments: { path: "note.txt", content } });
      result = newest;
      return sayText("Done.");
    });
    expect(await runCommand(["agent", "--message", "Write it."], { home })).toMatchObject({ code: 0, stdout: "Done.\n" });
    return result;
  };
  expect(await write("a forbidden word")).toContain("write was not run. Rule of the command sh (commandHooks[0]): Not in this house.");
  expect(await write("a good word")).toContain("Wrote note.txt");
  const ends = async (): Promise<readonly object[]> =>
    (await readFile(heard, "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as object);
  await expect.poll(ends).toMatchObject([
    { event: "agent_end", outcome: "done", text: "Done.", owner: true },
    { event: "agent_end", outcome: "done", text: "Done." },
  ]);
  await writeFile(path.join(home, "factotum.json5"), JSON.stringify(config([{ ...deny, command: ["/no/such/program"] }])));
  await expect.poll(() => product.output()).toContain("The configuration has changed and is in use");
  expect(await write("a good word")).toContain(
    "write was not run. The command program (commandHooks[0]), which decides on calls, has failed.",
  );
  expect(product.output()).toContain("/no/such/program could not be started");
  await writeFile(path.join(home, "factotum.json5"), JSON.stringify(config([])));
  await expect.poll(async () => write("a forbidden word")).toContain("Wrote note.txt");
});
