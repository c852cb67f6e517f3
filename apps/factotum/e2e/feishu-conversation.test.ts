import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { createScriptConversation, isPrefixOf } from "@factotum/testing-providers";
import type { JsonObject, CapturedRequest } from "@factotum/testing-providers";
import { describe, expect, test } from "vitest";
import { listing, startFeishuScene, TOOLS } from "./feishu-scene.ts";
import type { FeishuScene } from "./feishu-scene.ts";

const run = promisify(execFile);

interface Block {
  readonly type: string;
  /** The text of a tool result: a string, or blocks of text. */
  readonly content?: string | readonly { readonly text: string }[];
}

/** The tool results in a request, in order. */
function toolResults(request: CapturedRequest | undefined): readonly string[] {
  const messages = (request?.body?.["messages"] ?? []) as unknown as readonly { readonly content: readonly Block[] }[];
  return messages.flatMap(({ content }) =>
    content.filter((block) => block.type === "tool_result").map(({ content: result = "" }) => textOf(result)),
  );
}

function textOf(content: NonNullable<Block["content"]>): string {
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

async function expectOneFileAndOneReply(scene: FeishuScene): Promise<void> {
  const { scriptPath, scriptSource } = createScriptConversation;
  expect(await readFile(path.join(scene.workspace, scriptPath), "utf8")).toBe(scriptSource);
  expect((await readdir(scene.workspace)).filter((name) => name.startsWith("list_files"))).toEqual([scriptPath]);
  expect(scene.feishu.sent).toMatchObject([{ receiveId: "oc_dm", parentId: scene.messageId }]);
  expect(JSON.stringify(scene.feishu.sent[0]?.content)).toContain("list_files.py");
  expect(scene.model.violations).toEqual([]);
}

describe("a Feishu user asks for a script", () => {
  test("the agent reads the skill, lists the folder, writes the file and answers", async () => {
    await using scene = await startFeishuScene();
    const before = await listing(scene.workspace);
    expect((await scene.push()).status).toBe(200);
    await scene.waitForSent(1);

    const { requests } = scene.model;
    expect(requests).toHaveLength(4);
    for (const { body } of requests) {
      expect(((body?.["tools"] ?? []) as unknown as readonly JsonObject[]).map((tool) => tool["name"])).toEqual(TOOLS.toSorted());
    }
    for (let index = 1; index < requests.length; index += 1) {
      expect(isPrefixOf(requests[index - 1]?.body ?? {}, requests[index]?.body ?? {})).toBe(true);
    }
    const [skill, ls, write] = toolResults(requests[3]);
    expect(skill).toContain("create-python-script");
    expect(ls?.trimEnd().split("\n")).toEqual(before);
    const { size } = await stat(path.join(scene.workspace, "list_files.py"));
    expect(write).toBe(`Wrote list_files.py (${size} bytes)`);

    const { stdout } = await run("python3", [path.join(scene.workspace, "list_files.py")], { cwd: scene.workspace });
    expect(stdout.split("\n")).toContain("skills/create-python-script/SKILL.md");
    await expectOneFileAndOneReply(scene);
    expect(scene.product.output()).not.toContain("sk-ant-test");
    expect(scene.product.output()).not.toContain(scene.feishu.app.appSecret);
  });

  test("the same event again changes nothing, at once or after a restart", async () => {
    await using scene = await startFeishuScene();
    const pushes = await Promise.all(Array.from({ length: 10 }, async () => scene.push()));
    expect(pushes.map(({ status }) => status)).toEqual(pushes.map(() => 200));
    await scene.waitForSent(1);
    await scene.killAndStart();
    expect((await scene.push()).status).toBe(200);
    await scene.product.end("SIGTERM");
    expect(scene.model.requests).toHaveLength(4);
    await expectOneFileAndOneReply(scene);
  });

  test.each([
    ["a wrong signature", { signature: "wrong" }],
    ["no signature", { signature: "missing" }],
    ["a timestamp of yesterday", { timestampMs: Date.now() - 24 * 60 * 60 * 1000 }],
    ["a body changed on the way", { tamper: (body: string) => body.replace(/.{4}$/, 'AA"}') }],
  ] as const)("%s is refused and starts no turn", async (_name, options) => {
    await using scene = await startFeishuScene();
    const { status } = await scene.push(options);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    // The next accepted message is the first one that reaches the model.
    await scene.push();
    await scene.waitForSent(1);
    expect(scene.model.requests).toHaveLength(4);
  });

  test("a kill between the second and the third request leaves one file and one reply", async () => {
    await using scene = await startFeishuScene();
    await scene.push();
    await scene.model.nextRequest();
    const second = await scene.model.nextRequest();
    await second.ended;
    const gate = scene.model.hold();
    await scene.killAndStart();
    gate.open();
    await scene.waitForSent(1);
    await expectOneFileAndOneReply(scene);
  });

  test.each([1, 2, 3, 4])("a kill while request %i waits for its answer leaves one file and one reply", async (count) => {
    await using scene = await startFeishuScene();
    const { model } = scene;
    let gate = model.hold();
    await scene.push();
    for (let request = 1; request < count; request += 1) {
      await model.nextRequest();
      const answered = gate;
      gate = model.hold();
      answered.open();
    }
    await model.nextRequest();
    await scene.product.end("SIGKILL");
    gate.open();
    await scene.killAndStart();
    await scene.waitForSent(1);
    await expectOneFileAndOneReply(scene);
  });
});
