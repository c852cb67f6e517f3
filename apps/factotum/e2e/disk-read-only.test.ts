import { mkdir } from "node:fs/promises";
import path from "node:path";
import { sayText } from "@factotum/testing-providers";
import { canMountFailingDisk, mountFailingDisk, runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { messageIdOf, startDiskScene } from "./disk-scene.ts";
import { waitForSent } from "./feishu-scene.ts";

test.runIf(canMountFailingDisk("a disk that turns read-only"))(
  "on a disk that turns read-only nothing new is accepted, and accepted messages are answered once it is writable again",
  { timeout: 300_000 },
  async () => {
    await using disk = await mountFailingDisk();
    const home = path.join(disk.folder, "home");
    await mkdir(home);
    await using scene = await startDiskScene();
    const { feishu, model, config, say } = scene;
    await using first = await startProduct({ config, home });
    const gate = model.hold();
    expect(await say(first, "the first one", 1)).toBe(200);
    await model.nextRequest();
    disk.fail();
    model.respond(() => sayText("It is answered."));
    gate.open();
    await expect.poll(async () => (await fetch(`${first.url}/readyz`)).status).toBe(503);
    expect(await (await fetch(`${first.url}/readyz`)).json()).toEqual({
      ready: false,
      reason: expect.stringContaining("nothing was stored") as string,
    });
    expect(await say(first, "the second one", 2)).toBe(503);
    const status = await runCommand(["status"], { home });
    expect(status.stdout).toMatch(/storage {4}! full: /);
    // No answer is sent that is not on disk; senders of refused messages are notified.
    await waitForSent(feishu, 1);
    expect(feishu.sent.map(({ parentId }) => parentId)).toEqual([messageIdOf(2)]);
    await first.end("SIGTERM");

    disk.repair();
    await using second = await startProduct({ home });
    await waitForSent(feishu, 2);
    expect(await say(second, "the second one", 2)).toBe(200);
    await waitForSent(feishu, 3);
    expect(await second.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(feishu.sent.map(({ parentId }) => parentId)).toEqual([2, 1, 2].map(messageIdOf));
  },
);
