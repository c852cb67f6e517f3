import { createScriptConversation, isPrefixOf } from "@factotum/testing-providers";
import { beforeAll, describe, expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";
import { SCENE_MODELS, WRITING_MODEL } from "./scene-model.ts";
import type { SceneModel } from "./scene-model.ts";
import { neutralTranscript, readStoredTranscript } from "./transcript.ts";

/** Runs the whole conversation on the built product and returns its stored transcript. */
async function converse(model: SceneModel): Promise<unknown> {
  await using scene = await startFeishuScene(model);
  await scene.push();
  await scene.waitForSent(1);
  const { product } = scene;
  await product.end("SIGTERM");
  expect(scene.model.violations).toEqual([]);
  const bodies = scene.model.requests.map(({ body }) => body ?? {});
  expect(bodies).toHaveLength(createScriptConversation.replies.length);
  for (const [index, body] of bodies.entries()) if (index > 0) expect(isPrefixOf(bodies[index - 1] ?? {}, body, model.format)).toBe(true);
  expect(bodies.map((body) => "tools" in body)).toEqual(bodies.map(() => model.inWriting !== true));
  return neutralTranscript(await readStoredTranscript(product.home));
}

describe("the same conversation on every wire format leaves the same transcript, and nothing is refused", () => {
  let expected: unknown;
  beforeAll(async () => {
    expected = await converse(SCENE_MODELS["anthropic-messages"]);
  });

  const models: readonly (readonly [string, SceneModel])[] = [...Object.entries(SCENE_MODELS), ["tools in writing", WRITING_MODEL]];
  const runs = models.flatMap(([name, model]) => [
    [name, "in events", model] as const,
    [name, "in single bytes", { ...model, singleBytes: true }] as const,
  ]);

  test.each(runs)("%s, %s", async (_name, _pieces, model) => {
    expect(await converse(model)).toEqual(expected);
  });

  test("covers the whole conversation", () => {
    const { scriptSource, answer, skillPath } = createScriptConversation;
    expect(expected).toMatchObject([
      { role: "user" },
      { role: "assistant", stopReason: "toolUse", content: [{ type: "toolCall", name: "read", arguments: { path: skillPath } }] },
      { role: "toolResult", toolName: "read", isError: false },
      { role: "assistant", stopReason: "toolUse", content: [{ type: "toolCall", name: "ls" }] },
      { role: "toolResult", toolName: "ls", isError: false },
      { role: "assistant", stopReason: "toolUse", content: [{ type: "toolCall", name: "write", arguments: { content: scriptSource } }] },
      { role: "toolResult", toolName: "write", isError: false },
      { role: "assistant", stopReason: "stop", content: [{ type: "text", text: answer }] },
    ]);
  });
});
