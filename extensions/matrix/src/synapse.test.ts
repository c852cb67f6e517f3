import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { foreignClientTests } from "../test/foreign-client.ts";
import { startSynapse } from "../test/homeservers.ts";
import type { Synapse } from "../test/homeservers.ts";

/** `pnpm test:slow` sets it to install a homeserver that others wrote, as root, which takes two minutes and 700 MB, once for a machine. */
const IS_WANTED = process.env["FACTOTUM_SYNAPSE"] === "1" && process.getuid?.() === 0;
const INSTALL_MS = 600_000;

describe.runIf(IS_WANTED)("on Synapse", () => {
  let synapse: Synapse | undefined;
  beforeAll(async () => {
    synapse = await startSynapse(process.env["FACTOTUM_SYNAPSE_DIR"] ?? join(tmpdir(), "factotum-synapse"));
  }, INSTALL_MS);
  afterAll(async () => {
    await synapse?.[Symbol.asyncDispose]();
  });
  foreignClientTests("the client of matrix-js-sdk", async () => {
    if (synapse === undefined) throw new Error("Synapse did not start");
    return synapse.create();
  });
});

test.skipIf(IS_WANTED)("Synapse is tested by pnpm test:slow", () => undefined);
