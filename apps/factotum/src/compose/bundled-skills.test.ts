import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { BUNDLED_SKILLS_FOLDER } from "@factotum/skills";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openNetworkedSandbox, type NetworkedSandbox } from "../../test/open-networked-sandbox.ts";

let scene: NetworkedSandbox;
/** What sandboxed commands may reach. */
let hosts: readonly string[];
beforeEach(async () => {
  hosts = [];
  scene = await openNetworkedSandbox({ hosts: () => hosts, lookup: async () => [{ address: "127.0.0.2", family: 4 }] });
  await mkdir(join(scene.workspace, "bin"));
});
afterEach(async () => scene[Symbol.asyncDispose]());

/** A program that is not on every machine: a stand-in that takes the same arguments. */
async function program(name: string, script: string): Promise<void> {
  await writeFile(join(scene.workspace, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** Runs the commands that a skill shows in the sandbox, one block after the other; each must succeed. The output of each. */
/** The skills that a test has run. */
const tried = new Set<string>();

async function runSkill(name: string, variables: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  tried.add(name);
  const text = await readFile(join(BUNDLED_SKILLS_FOLDER, name, "SKILL.md"), "utf8");
  const env = { PATH: `${join(scene.workspace, "bin")}:/usr/bin:/bin`, ...variables };
  const outputs: string[] = [];
  for (const [, block = ""] of text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)) {
    const { end, output, refusedRequests } = await scene.sandbox.run(scene.request(`set -eu\n${block}`, env), scene.options());
    if (end.type !== "exited" || end.exitCode !== 0)
      throw new Error(`${name} failed (${output}), refused: ${refusedRequests?.join() ?? "nothing"}`);
    outputs.push(output);
  }
  return outputs;
}

/** A server that stands for a host of the internet, which sandboxed commands may reach then. */
async function serve(name: string, answer: string): Promise<AsyncDisposable & { readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host ?? ""}${request.url ?? ""}`);
    response.end(answer);
  });
  server.listen(0, "127.0.0.2");
  await once(server, "listening");
  const place = `${name}:${(server.address() as AddressInfo).port}`;
  hosts = [place];
  return {
    url: `http://${place}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Bubblewrap has to be installed: nothing here is skipped without it. */
describe.runIf(process.platform === "linux")("in the sandbox the commands of", () => {
  test("weather ask the host for the place, now and for the next days", async () => {
    await using server = await serve("wttr.example", "Lisbon: Sunny +21\u00b0C\n");
    expect(await runSkill("weather", { WEATHER_URL: server.url })).toEqual(["Lisbon: Sunny +21\u00b0C\n", "Lisbon: Sunny +21\u00b0C\n"]);
    expect(server.asked.map((address) => address.slice(address.indexOf("/")))).toEqual([
      expect.stringMatching(/^\/Lisbon\?m&format=%l/) as string,
      "/Lisbon?m&T&n&q&F",
    ]);
  });

  test("weather fail where its host is not listed", async () => {
    await using server = await serve("wttr.example", "secret weather");
    hosts = ["other.example"];
    await expect(runSkill("weather", { WEATHER_URL: server.url })).rejects.toThrow(/wttr\.example:\d+ is not among the allowed hosts/);
    expect(server.asked).toEqual([]);
  });

  test("summarise-url print the text of a page", async () => {
    await using server = await serve("news.example", "<style>p{}</style><nav>Menu</nav><h1>Title &amp; more</h1><p>First.</p>");
    const [text = ""] = await runSkill("summarise-url", { PAGE_URL: `${server.url}/article` });
    expect(server.asked).toEqual([`${hosts[0] ?? ""}/article`]);
    expect(text.split(/\s*\n\s*/).filter((line) => line !== "")).toEqual(["Title & more", "First."]);
  });

  test("github call gh, which reaches its host", async () => {
    await using server = await serve("api.example", "answer\n");
    await program("gh", `curl -fsS "${server.url}/$1/$2"; test "$1 $2" != "pr checks"`);
    expect((await runSkill("github")).join("")).toBe("answer\n".repeat(5));
    expect(server.asked.map((address) => address.slice(address.indexOf("/")))).toEqual([
      "/search/prs",
      "/search/issues",
      "/pr/view",
      "/pr/checks",
      "/run/list",
    ]);
  });

  test("pdf-notes convert a file and count its pages", async () => {
    await program("pdftotext", 'test "$1 $2 $3" = "-layout -enc UTF-8" && test -f "$4" && printf "one\\n\\ftwo\\n\\f" > "$5"');
    await writeFile(join(scene.workspace, "paper.pdf"), "%PDF-1.7");
    expect(await runSkill("pdf-notes")).toEqual(["2\n"]);
  });

  test("git-review show what was changed", async () => {
    const git = "git -c user.name=a -c user.email=a@b.c";
    const setUp = `echo bin >.gitignore; echo one >a.txt; ${git} init -q -b main; ${git} add .; ${git} commit -qm begin; echo two >a.txt`;
    expect((await scene.sandbox.run(scene.request(setUp), scene.options())).end).toEqual({ type: "exited", exitCode: 0 });
    const [state, diff] = await runSkill("git-review");
    expect(state).toMatch(/## main\n M a\.txt\n[0-9a-f]+ begin\n a\.txt \| 2 \+-/);
    expect(diff).toContain("-one\n+two\n");
  });

  test("create-python-script write a script that works", async () => {
    expect(await runSkill("create-python-script")).toEqual(["", "2\ttwo\n"]);
  });

  test("skill-writer write a skill", async () => {
    await runSkill("skill-writer");
    expect(await readFile(join(scene.workspace, "skills", "send-invoice", "SKILL.md"), "utf8")).toMatch(/^---\nname: send-invoice\n/);
  });

  test.each(["meeting-notes", "reminders", "translate"])("%s are none", async (name) => {
    expect(await runSkill(name)).toEqual([]);
  });

  test("of every bundled skill are tried here", async () => {
    expect([...tried].toSorted()).toEqual((await readdir(BUNDLED_SKILLS_FOLDER)).toSorted());
  });
});
