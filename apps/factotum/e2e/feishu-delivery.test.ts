import type { FeishuFault } from "@factotum/testing-channels";
import { describe, expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";

const REFUSED: FeishuFault = { type: "refuse", status: 400, code: 230001, message: "Your request contains an invalid request parameter." };
const SLOW_DOWN: FeishuFault = {
  type: "refuse",
  status: 429,
  code: 99991400,
  message: "request trigger frequency limit",
  headers: { "x-ogw-ratelimit-reset": "1" },
};

describe("a reply with a delivery problem", () => {
  test.each<[string, readonly FeishuFault[]]>([
    ["rejected for its content: in plain text, once", [REFUSED]],
    ["deferred with a delay: later, once", [SLOW_DOWN]],
    ["accepted, and the answer lost: once", [{ type: "accept-then-drop" }]],
    ["deferred, then rejected: in plain text, once", [SLOW_DOWN, REFUSED]],
  ])("%s", async (_name, faults) => {
    await using scene = await startFeishuScene();
    for (const fault of faults) scene.feishu.failNext(fault);
    await scene.push();
    await scene.waitForSent(1);
    await scene.product.end("SIGTERM");
    expect(scene.feishu.sent).toMatchObject([{ receiveId: "oc_dm", parentId: scene.messageId }]);
    const text = JSON.stringify(scene.feishu.sent[0]?.content);
    expect(text).toContain("list_files.py");
    expect(text.includes("`")).toBe(!faults.includes(REFUSED));
  });
});
