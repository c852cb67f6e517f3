import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { ApprovalDecision } from "@factotum/protocol";
import { callTools, sayText } from "@factotum/testing-providers";
import type { CapturedRequest } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { GROUP, startGuestScene, type GuestScene } from "./guest-scene.ts";

type Ask = (command: string) => Promise<string>;

interface Call {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string | boolean>>;
}

/** The owner's commands on the host run without a decision. */
const FULL = { exec: { mode: "full" } };

/** A guest scene whose model makes one tool call per message, by default a command, and then says what came of it. */
async function startScene({
  sandbox = {},
  tools = {},
  env = {},
  files = {},
  decision,
}: {
  readonly sandbox?: object;
  readonly tools?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly decision?: () => ApprovalDecision;
} = {}): Promise<
  GuestScene & {
    readonly home: string;
    readonly guest: Ask;
    readonly guestCalls: (name: string, args: Call["arguments"]) => Promise<string>;
    readonly ownChat: Ask;
    readonly group: (person: "ou_owner" | "ou_anna") => Ask;
  }
> {
  const scene = await startGuestScene(
    {},
    { files, env, decision, extra: { agents: { defaults: { model: "anthropic/claude-sonnet-5-5", sandbox } }, tools } },
  );
  let call: Call;
  let result = "";
  scene.model.respond((request) => {
    const found = newestResult(request);
    if (found === undefined) return callTools(call);
    result = found;
    return sayText("Done.");
  });
  const calls = async (name: string, args: Call["arguments"], say: () => Promise<unknown>): Promise<string> => {
    call = { name, arguments: args };
    result = "";
    await say();
    return result;
  };
  const asks =
    (say: () => Promise<unknown>): Ask =>
    async (command) =>
      calls("exec", { command }, say);
  return Object.assign(scene, {
    home: scene.product.home,
    guest: asks(async () => scene.say("ou_anna", "Run it.")),
    guestCalls: async (name: string, args: Call["arguments"]) => calls(name, args, async () => scene.say("ou_anna", "Do it.")),
    ownChat: asks(async () => scene.say("ou_owner", "Run it.")),
    group: (person: "ou_owner" | "ou_anna") => asks(async () => scene.say(person, "Run it.", { chatId: GROUP })),
  });
}

/** The text of the tool result that is the newest message, with its mark as an error. */
function newestResult({ body }: CapturedRequest): string | undefined {
  const messages = (body?.["messages"] ?? []) as readonly { readonly content: unknown }[];
  const blocks = messages.at(-1)?.content;
  const found = (Array.isArray(blocks) ? (blocks as readonly Record<string, unknown>[]) : []).find(({ type }) => type === "tool_result");
  return found === undefined ? undefined : JSON.stringify(found["content"]);
}

/** What a command can find out about where it runs. */
const SURVEY = [
  "echo user=$(id -un)",
  "echo here=$(ls)",
  "echo interfaces=$(ls /sys/class/net 2>/dev/null | wc -w) $(tail -n +3 /proc/net/dev | grep -vc lo:)",
  'echo state=$(cat "$STATE/state/gateway-token" "$STATE/factotum.json5" 2>/dev/null | wc -c)',
  "echo processes=$(ls -d /proc/[0-9]* | wc -w)",
].join("; ");
const survey = (home: string): string => `STATE=${home}; ${SURVEY}`;

describe.runIf(process.platform === "linux")("commands", () => {
  test("of a guest run in a sandbox that has their workspace alone; the owner's direct chat runs on the host", async () => {
    await using scene = await startScene({ tools: FULL, files: { "private.txt": "the owner's" } });
    const { home, guest, ownChat } = scene;
    const seen = await guest(survey(home));
    for (const words of ["user=sandbox", "here=\\n", "interfaces=0 0", "state=0"]) expect(seen).toContain(words);
    expect(Number(/processes=(\d+)/.exec(seen)?.[1])).toBeLessThan(10);
    expect(await guest("echo mine >note; cat ../../workspace/private.txt note")).toMatch(/No such file[^]*mine/);
    const [workspace = ""] = await readdir(path.join(home, "sandboxes"));
    expect(await readFile(path.join(home, "sandboxes", workspace, "note"), "utf8")).toBe("mine\n");
    // The guest's file tools work in the same folder.
    expect(await guest("cat note")).toContain("mine");
    const own = await ownChat(survey(home));
    for (const words of ["here=private.txt", "private.txt"]) expect(own).toContain(words);
    expect(own).not.toContain("user=sandbox");
    expect(own).not.toContain("state=0");
  });

  test("need no decision in a sandbox, but on the host", async () => {
    await using scene = await startScene();
    expect(await scene.guest("echo ran")).toContain("ran\\n");
    expect(await scene.group("ou_owner")("echo ran")).toContain("ran\\n");
    expect(await scene.ownChat("echo ran")).toContain("the owner denied it");
  });

  test("of a guest run in the background of the sandbox, with input and with a terminal", async () => {
    await using scene = await startScene();
    const { guestCalls } = scene;
    const started = await guestCalls("exec", { command: "id -un; cat", background: true });
    expect(started).toMatch(/sandbox[^]*runs on in the background/);
    const id = /id (\w+);/.exec(started)?.[1] ?? "";
    await guestCalls("process", { action: "write", id, text: "typed\n" });
    await expect.poll(async () => guestCalls("process", { action: "log", id })).toContain("typed");
    expect(await guestCalls("process", { action: "kill", id })).toContain("ended: stopped");
    expect(await guestCalls("exec", { command: "tty; stty size", pty: true })).toMatch(/dev\/pts\/0[^]*40 120/);
  });

  test("in a group run in a sandbox, the owner's too, in one workspace", async () => {
    await using scene = await startScene({ files: { "private.txt": "the owner's" } });
    expect(await scene.group("ou_anna")("echo hers >note; id -un")).toContain("sandbox");
    const owner = await scene.group("ou_owner")(`cat note; ${survey(scene.home)}`);
    for (const words of ["hers", "user=sandbox", "here=note", "state=0"]) expect(owner).toContain(words);
  });

  test("all run in a sandbox with mode all; with workspaceAccess rw the owner's change the workspace, a guest's do not", async () => {
    await using scene = await startScene({ sandbox: { mode: "all", workspaceAccess: "rw" }, files: { "private.txt": "the owner's" } });
    const { home, guest, ownChat } = scene;
    const own = await ownChat(`echo more >>private.txt; ${survey(home)}`);
    for (const words of ["user=sandbox", "private.txt", "state=0"]) expect(own).toContain(words);
    const file = path.join(home, "workspace", "private.txt");
    expect(await readFile(file, "utf8")).toBe("the owner'smore\n");
    expect(await guest("cat private.txt; echo hers >>private.txt")).toMatch(/the owner'smore[^]*Read-only file system/);
    expect(await readFile(file, "utf8")).toBe("the owner'smore\n");
  });

  test("of a guest are refused with what to install if no sandbox works; the owner's run, and doctor says why", async () => {
    await using scene = await startScene({ tools: FULL, env: { PATH: "/nowhere" } });
    const refused = await scene.guest("echo ran");
    for (const words of ["no program bwrap on the PATH", "apt install bubblewrap"]) expect(refused).toContain(words);
    expect(refused).not.toContain("ran\\n");
    expect(await scene.ownChat("echo ran")).toContain("ran\\n");
  });

  test("of sandboxed turns can be taken away, and mode off takes those of guests away", async () => {
    await using denied = await startScene({ tools: { ...FULL, sandbox: { tools: { deny: ["group:runtime"] } } } });
    expect(await denied.guest("echo ran")).toContain("Rule sandbox");
    expect(await denied.ownChat("echo ran")).toContain("ran\\n");
    await using off = await startScene({ tools: FULL, sandbox: { mode: "off" } });
    expect(await off.guest("echo ran")).toContain("only the owner may do this");
    expect(await off.ownChat("echo ran")).toContain("ran\\n");
  });
});

/** A server of this machine that stands for a host of the internet, and what it was asked. */
async function startHost(): Promise<{ readonly server: Server; readonly place: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("answer of the host");
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return { server, place: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe.runIf(process.platform === "linux")("commands that reach hosts", () => {
  test("of a group's member wait for the owner, reach the listed host alone, and leave nothing, also after a kill", async () => {
    const [listed, other] = [await startHost(), await startHost()];
    const decisions: ApprovalDecision[] = [];
    let decision: ApprovalDecision = "deny";
    await using scene = await startScene({
      tools: FULL,
      sandbox: { network: { allow: [listed.place, "a.example"] } },
      decision: () => {
        decisions.push(decision);
        return decision;
      },
    });
    const anna = scene.group("ou_anna");
    const fetches = (place: string): string => `curl -sS --noproxy "" http://${place}/path`;
    expect(await anna(fetches(listed.place))).toContain("the owner denied it");
    expect([decisions, listed.asked]).toEqual([["deny"], []]);
    decision = "allow-once";
    expect(await anna(fetches(listed.place))).toContain("answer of the host");
    expect(listed.asked).toEqual(["/path"]);
    const refused = await anna(`${fetches(other.place)}; curl -sS --noproxy "*" --max-time 5 http://${other.place}/; env | grep -c PROXY`);
    expect(refused).toContain(`[network: refused, because ${other.place} is not among the allowed hosts]`);
    expect(refused).not.toContain("answer of the host");
    expect(other.asked).toEqual([]);
    const { stdout } = await scene.command("logs");
    expect(stdout).toContain("A request of a sandboxed command was refused");
    expect(stdout).toContain(`${other.place} is not among the allowed hosts`);
    const sockets = async (): Promise<readonly string[]> =>
      (await readdir(path.join(scene.home, "state", "sandbox"))).filter((name) => name.endsWith(".sock"));
    expect(await sockets()).toEqual([]);
    const explained = await scene.command("sandbox", "explain", "--session", `agent:main:feishu:group:${GROUP}`);
    expect(explained.stdout).toContain(
      `network    ${listed.place}, a.example (through the gateway's proxy; each command needs a decision)`,
    );
    // The owner's own commands on the host have nothing to do with it.
    expect(await scene.ownChat("echo proxy=$HTTP_PROXY")).toContain("proxy=\\n");
    const started = await scene.group("ou_anna")("sleep 271828; echo never");
    expect(started).toContain("runs on in the background");
    expect(await sockets()).toHaveLength(1);
    await scene.restart({}, "SIGKILL");
    expect(await sockets()).toEqual([]);
    for (const { server } of [listed, other]) server.close();
  });

  test("of the owner in a sandbox wait for a decision like those on the host", async () => {
    const listed = await startHost();
    let asked = 0;
    const decision = (): ApprovalDecision => {
      asked += 1;
      return "allow-once";
    };
    await using scene = await startScene({ sandbox: { mode: "all", network: { allow: [listed.place] } }, decision });
    expect(await scene.ownChat(`curl -sS --noproxy "" http://${listed.place}/`)).toContain("answer of the host");
    expect([asked, listed.asked]).toEqual([1, ["/"]]);
    listed.server.close();
  });
});

describe.runIf(process.platform === "linux")("factotum sandbox", () => {
  test("explains where commands run and why; lists and prunes workspaces", async () => {
    await using scene = await startScene();
    await scene.guest("echo mine >note");
    const main = await scene.command("sandbox", "explain");
    expect(main).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /backend +bubblewrap \(.*bwrap\)\nnetwork +none\nelevated +off \(tools\.elevated\.enabled is false\)\nlimits .*256 processes/,
      ) as string,
    });
    expect(main.stdout).toContain("the owner's commands run on the host, because the conversation is the owner's own");
    expect(main.stdout).toContain("other people's commands run in a sandbox, because the message is not the owner's");
    const group = JSON.parse(
      (await scene.command("sandbox", "explain", "--session", `agent:main:feishu:group:${GROUP}`, "--json")).stdout,
    ) as {
      readonly turns: readonly object[];
    };
    expect(group).toMatchObject({ isGroup: true, mode: "non-main", network: "none", backend: { type: "ready", name: "bubblewrap" } });
    expect(group.turns).toMatchObject([
      { who: "owner", reason: "group", writable: true },
      { who: "others", reason: "group", writable: true },
    ]);
    expect(await scene.command("sandbox", "explain", "--session", "nobody")).toMatchObject({ code: 2 });
    const [name = ""] = await readdir(path.join(scene.home, "sandboxes"));
    await writeFile(path.join(scene.home, "sandboxes", "other.txt"), "not a workspace");
    expect((await scene.command("sandbox", "list")).stdout).toMatch(new RegExp(`${name} +agent:main:\\S*ou_anna\\S* +just now +1 +1 KB`));
    expect((await scene.command("sandbox", "prune", "--older-than", "1h", "--yes")).stdout).toBe("0 workspaces were deleted.\n");
    expect(await scene.command("sandbox", "prune", "--older-than", "0s")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes") as string,
    });
    expect((await scene.command("sandbox", "prune", "--older-than", "0s", "--yes")).stdout).toBe("1 workspace was deleted.\n");
    expect(await readdir(path.join(scene.home, "sandboxes"))).toEqual(["other.txt"]);
    // It is made again when it is needed.
    expect(await scene.guest("ls -a | wc -l")).toContain("2");
  });
});
