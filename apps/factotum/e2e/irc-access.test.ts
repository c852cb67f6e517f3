import { execFileSync } from "node:child_process";
import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startIrcScene } from "./irc-scene.ts";

/** The arguments that a shell makes of a command. */
function shellWords(command: string): readonly string[] {
  return execFileSync("sh", ["-c", `printf '%s\\n' ${command}`], { encoding: "utf8" })
    .trimEnd()
    .split("\n");
}

test("a channel that is not listed is admitted by the command that the status names, which then names nothing more", async () => {
  await using scene = await startIrcScene(() => sayText("At noon."));
  const run = async (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand(args, { home: scene.product.home });
  expect((await run("config", "set", "channels.irc.groupPolicy", "allowlist")).code).toBe(0);
  await scene.joined();
  scene.irc.say(scene.bob, "#team", "factotum: when do we meet?");
  await expect.poll(async () => (await run("channels", "status")).stdout).toContain("refused    1 message");
  const { stdout } = await run("status");
  const [, command = ""] = /irc\/default group #team: 1, [^\n]*; admit: factotum ([^\n]+)/.exec(stdout) ?? [];
  expect(await run(...shellWords(command))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("#team is an admitted group") as string,
  });
  for (const list of [["status"], ["channels", "status"]]) expect((await run(...list)).stdout).not.toContain("refused");
  await scene.joined();
  scene.irc.say(scene.bob, "#team", "factotum: and now?");
  expect(await scene.shown(1)).toEqual(["At noon."]);
});
