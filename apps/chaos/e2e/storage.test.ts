import { rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { checkLedger, describeLedger } from "@factotum/testing-chaos";
import { canMountDisk, mountSmallDisk, runCommand } from "@factotum/testing-product";
import { Scene } from "../src/scene/scene.ts";
import { seededRandom } from "../src/scene/seeded-random.ts";

const STALL_MS = 120_000;
const PEOPLE = 20;

async function expectClean(scene: Scene): Promise<void> {
  const ledger = scene.ledger();
  const report = checkLedger(ledger);
  expect(report.isClean, describeLedger(ledger, report)).toBe(true);
  expect(await scene.doubledEffects()).toEqual([]);
  expect(scene.checkDatabase()).toEqual([]);
}

test(
  "sequential commands while the gateway works: each is answered, nothing is lost, and the store is sound",
  { timeout: 600_000 },
  async () => {
    await using scene = await Scene.start({ conversations: PEOPLE });
    const product = await scene.boot();
    const commands = [["status"], ["sessions", "list"], ["deadletters", "list"], ["config", "validate"], ["status", "--json"]];
    let isWorking = true;
    const work = (async () => {
      for (let round = 0; round < 3; round += 1) {
        const said = Array.from({ length: PEOPLE }, (_, index) => scene.say(index));
        await Promise.all(said.map(async (one) => scene.push(one, product)));
        expect(await scene.wire.until(() => scene.isAnswered(...said), { stallMs: STALL_MS })).toBe(true);
      }
    })().finally(() => (isWorking = false));
    let count = 0;
    for (; isWorking || count < commands.length; count += 1) {
      const command = commands[count % commands.length] ?? [];
      const { code, stdout, stderr } = await runCommand(command, { home: scene.home });
      expect(code, `${command.join(" ")}: ${stderr}${stdout}`).toBe(0);
    }
    await work;
    expect(await product.end("SIGTERM")).toEqual({ code: 0, signal: null });
    await expectClean(scene);
  },
);

/** `pnpm test:slow` has 50. */
const FILLS = Number(process.env["FACTOTUM_CHAOS_FILLS"] ?? 2);
const SEED = 20_261_122;

test.runIf(canMountDisk("a disk that fills up under load"))(
  `a disk that fills up at ${FILLS} random moments: accepted messages are answered once, and the rest is accepted once there is space`,
  // Checks for space back off, up to half a minute.
  { timeout: 900_000 + FILLS * 60_000 },
  async () => {
    await using disk = mountSmallDisk();
    await using scene = await Scene.start({ conversations: PEOPLE, home: path.join(disk.folder, "home") });
    const random = seededRandom(SEED);
    const product = await scene.boot();
    const isReady = async (): Promise<boolean> => (await fetch(`${product.url}/readyz`)).ok;
    for (let fill = 0; fill < FILLS; fill += 1) {
      const about = `seed ${SEED}, fill ${fill}`;
      const before = scene.wire.count;
      const moment = random.between(1, 60);
      const first = Array.from({ length: PEOPLE }, (_, index) => scene.push(scene.say(index), product));
      expect(await scene.wire.until(() => scene.wire.count - before >= moment, { stallMs: STALL_MS }), about).toBe(true);
      const filler = await disk.fill("filler");
      await Promise.all(first);
      // The write-ahead log may have room for more than one round on a disk that is full.
      const isReadyAfterRound = async (): Promise<boolean> => {
        await Promise.all(Array.from({ length: PEOPLE }, (_, index) => scene.push(scene.say(index), product)));
        return isReady();
      };
      await expect.poll(isReadyAfterRound, { message: about, timeout: STALL_MS }).toBe(false);
      await rm(filler);
      await expect.poll(isReady, { message: about, timeout: STALL_MS }).toBe(true);
      await scene.pushAgain(product);
      expect(await scene.wire.until(() => scene.isQuiet, { stallMs: STALL_MS }), about).toBe(true);
    }
    expect(scene.unacknowledged).toEqual([]);
    expect(await product.end("SIGTERM")).toEqual({ code: 0, signal: null });
    await expectClean(scene);
  },
);
