import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { environmentOfListing } from "./gateway-environment.ts";

test("the environment follows the command in a line of macOS's ps", () => {
  const line =
    "/opt/node/bin/node /opt/factotum.mjs gateway run --port 18789 HOME=/Users/ada GREETING=good day, Ada OPENAI_API_KEY=sk-one= EMPTY=\n";
  expect(environmentOfListing(line)).toEqual({ HOME: "/Users/ada", GREETING: "good day, Ada", OPENAI_API_KEY: "sk-one=", EMPTY: "" });
});

test.each([
  ["another program with the same process id", "/bin/zsh -l HOME=/Users/ada"],
  ["a process that has ended", ""],
])("nothing is read from the line of %s", (_case, line) => {
  expect(environmentOfListing(line)).toBeUndefined();
});

test.skipIf(process.platform !== "linux")("the line of a real process is read, here of Linux's ps in the style of BSD", async () => {
  const child = spawn(process.execPath, ["-e", "console.log(1);setInterval(()=>{},1e6)", "--", "gateway", "run", "--port", "0"], {
    env: { HOME: "/home/ada", OPENAI_API_KEY: "sk-two" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  const line = execFileSync("ps", ["eww", "-o", "command=", "-p", String(child.pid)], { encoding: "utf8" });
  child.kill();
  await once(child, "exit");
  expect(environmentOfListing(line)).toMatchObject({ HOME: "/home/ada", OPENAI_API_KEY: "sk-two" });
});
