import { mkdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { sayText } from "@factotum/testing-providers";
import { canMountDisk, mountSmallDisk, runCommand, startProduct } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { messageIdOf, startDiskScene } from "./disk-scene.ts";
import { waitForSent } from "./feishu-scene.ts";

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

test.runIf(canMountDisk("a disk that is full"))(
  "on a full disk running turns are answered, nothing new is accepted, and work resumes once there is space",
  { timeout: 300_000 },
  async () => {
    await using disk = mountSmallDisk();
    const home = path.join(disk.folder, "home");
    await using scene = await startDiskScene();
    const { feishu, model, config, say } = scene;
    await mkdir(home, { recursive: true });
    await using product = await startProduct({ config, home });
    await expect.poll(() => exists(path.join(home, "state", "reserve"))).toBe(true);
    const gate = model.hold();
    expect(await say(product, "the first one", 1)).toBe(200);
    await model.nextRequest();
    const filler = await disk.fill("filler");
    model.respond(() => sayText("It is answered."));
    gate.open();
    await waitForSent(feishu, 1);
    expect(await exists(path.join(home, "state", "reserve"))).toBe(false);

    expect(await say(product, "the second one", 2)).toBe(503);
    await waitForSent(feishu, 2);
    expect(feishu.sent.at(-1)?.parentId).toBe(messageIdOf(2));
    const ready = await fetch(`${product.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, reason: expect.stringContaining("space") as string }]);
    const status = await runCommand(["status"], { home });
    expect(status.stdout).toMatch(/storage {4}! full: /);

    // The rest of the reserve is gone too.
    const rest = await disk.fill("rest");
    const file = path.join(home, "factotum.json5");
    const written = await readFile(file, "utf8");
    const change = await runCommand(["config", "set", "agents.defaults.systemPrompt", "x".repeat(20_000)], { home });
    expect(change).toMatchObject({ code: 1, stderr: expect.stringContaining("free some space") as string });
    expect(await readFile(file, "utf8")).toBe(written);

    await rm(rest);
    await rm(filler);
    await expect.poll(async () => (await fetch(`${product.url}/readyz`)).status).toBe(200);
    expect(await exists(path.join(home, "state", "reserve"))).toBe(true);
    expect(await say(product, "the second one", 2)).toBe(200);
    await waitForSent(feishu, 3);
    expect(await product.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(feishu.sent).toHaveLength(3);
    expect(await readFile(path.join(home, "logs", "gateway.log"), "utf8")).toContain("There is space again");
  },
);

test.runIf(canMountDisk("a gateway that is killed on a full disk"))(
  "a gateway that was killed on a full disk does not start and says why, and once there is space it resumes the interrupted turn",
  { timeout: 300_000 },
  async () => {
    await using disk = mountSmallDisk();
    const home = path.join(disk.folder, "home");
    await using scene = await startDiskScene();
    const { feishu, model, config, say } = scene;
    await mkdir(home, { recursive: true });
    await using killed = await startProduct({ config, home });
    const gate = model.hold();
    expect(await say(killed, "the first one", 1)).toBe(200);
    await model.nextRequest();
    await killed.end("SIGKILL");
    await rm(path.join(home, "state", "reserve"), { force: true });
    const filler = await disk.fill("filler");
    model.respond(() => sayText("It is answered."));
    gate.open();

    const why = new RegExp(`The disk is full: \\d+ bytes are free on the file system ${disk.folder}, on which ${home} stands\\.`);
    for (const args of [
      ["gateway", "run", "--port", "0"],
      ["gateway", "start"],
    ])
      expect(await runCommand(args, { home })).toMatchObject({ code: 1, stderr: expect.stringMatching(why) as string });
    const [status, doctor] = await Promise.all([runCommand(["status"], { home }), runCommand(["doctor"], { home })]);
    expect(status.stdout).toMatch(new RegExp(`storage {4}! ${why.source}`));
    expect(doctor.stdout).toMatch(/ERROR +disk +The disk is full: 0 MB/);

    await rm(filler);
    await using _resumed = await startProduct({ home });
    await waitForSent(feishu, 1);
    expect(feishu.sent.at(-1)?.parentId).toBe(messageIdOf(1));
  },
);
