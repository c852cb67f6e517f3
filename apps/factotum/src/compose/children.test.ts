import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

/** Processes of this machine whose environment contains the folder: everything that a gateway of this home has started. */
async function processesOf(home: string): Promise<readonly number[]> {
  const found = await Promise.all(
    (await readdir("/proc"))
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (entry) => {
        const environment = await readFile(`/proc/${entry}/environ`, "latin1").catch(() => "");
        return environment.split("\0").includes(`HOME=${home}`) ? [Number(entry)] : [];
      }),
  );
  return found.flat();
}

test.runIf(process.platform === "linux")(
  "a command whose gateway was killed ends at the next start, wherever it moved, and the turn continues",
  async () => {
    await using server = await startAnthropicServer();
    await using cli = await CliHome.create();
    await mkdir(cli.factotumHome, { recursive: true });
    const models = { providers: { anthropic: { api: "anthropic-messages", baseUrl: server.baseUrl, apiKey: "sk-test" } } };
    const agents = { defaults: { model: "anthropic/claude-sonnet-5-5" } };
    await writeFile(join(cli.factotumHome, "factotum.json5"), JSON.stringify({ models, agents, tools: { exec: { mode: "full" } } }));
    const first = cli.spawn("gateway", "run", "--setup", "--port", "0");
    await first.waitFor(/#token=/);
    const command = "setsid sh -c \"trap '' TERM; echo 1 >>away; while :; do sleep 1000; done\" & echo $$ >begun; wait";
    server.script([toolReply({ name: "exec", input: { command } })]);
    const asked = cli.spawn("agent", "--message", "run it", "--json");
    await expect.poll(() => readdir(join(cli.factotumHome, "workspace"))).toEqual(expect.arrayContaining(["away", "begun"]));
    first.child.kill("SIGKILL");
    await first.ended;
    await asked.ended;
    expect((await processesOf(cli.home)).length).toBeGreaterThan(2);

    server.respond(() => textReply("I have looked."));
    const second = cli.spawn("gateway", "run", "--port", "0");
    await second.waitFor(/#token=/);
    expect(await processesOf(cli.home)).toEqual([second.child.pid]);
    expect(await readdir(join(cli.factotumHome, "state/children"))).toEqual([]);
    await server.nextRequest();
    second.child.kill("SIGTERM");
    expect(await second.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("were ended") as string });
    expect(await processesOf(cli.home)).toEqual([]);
    expect(await readFile(join(cli.factotumHome, "workspace/away"), "utf8")).toBe("1\n");
  },
);
