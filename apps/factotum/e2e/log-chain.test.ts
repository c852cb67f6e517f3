import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { ANTHROPIC } from "./scene-model.ts";
import { startFeishuScene } from "./feishu-scene.ts";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly inputId?: string;
  readonly inputIds?: readonly string[];
  readonly turnId?: string;
  readonly outboxId?: string;
  readonly tool?: string;
}

test("from the event to the receipt every log line of a message names its input or its turn", async () => {
  await using scene = await startFeishuScene(ANTHROPIC, { env: { FACTOTUM_LOG_LEVEL: "debug" } });
  await scene.push();
  await scene.waitForSent(1);
  await scene.product.end("SIGTERM");
  const text = await readFile(path.join(scene.product.home, "logs", "gateway.log"), "utf8");
  const written = text.trimEnd().split("\n");
  const lines = written.map((line) => JSON.parse(line) as Line);
  const accepted = lines.find(({ message }) => message === "Input accepted");
  const started = lines.find(({ message }) => message === "Turn started");
  expect(accepted?.inputId).toMatch(/./);
  expect(started).toMatchObject({ inputIds: [accepted?.inputId], turnId: expect.any(String) as string });
  const chain = lines.filter(
    ({ inputId, turnId }) => inputId === accepted?.inputId || (turnId !== undefined && turnId === started?.turnId),
  );
  const call = ["Model asked", "Model answered"];
  const tool = ["Tool started", "Tool ended"];
  expect(chain.map(({ message }) => message)).toEqual([
    "Input accepted",
    "Turn started",
    ...call,
    ...tool,
    ...call,
    ...tool,
    ...call,
    ...tool,
    ...call,
    "Turn ended",
    "Message leaves",
    "Message delivered",
  ]);
  expect(chain.flatMap(({ tool: name, message }) => (message === "Tool started" ? [name] : []))).toEqual(["read", "ls", "write"]);
  expect(new Set(chain.flatMap(({ outboxId }) => outboxId ?? [])).size).toBe(1);
  // Lines between acceptance and the turn's start name the input.
  expect(lines.find(({ message }) => message === "Prompt rendered")?.inputIds).toEqual([accepted?.inputId]);
  expect(text).not.toMatch(/Python 脚本|list_files/);
});
