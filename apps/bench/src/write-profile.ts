import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createProductHome } from "./sides/product-side.ts";
import { startProvider } from "./sides/provider.ts";
import { TurnClient } from "./sides/turn-client.ts";
import { PLAIN_MESSAGE, TOOL_MESSAGE } from "./sides/wire.ts";

const FOLDER = fileURLToPath(new URL("../results/profiles/", import.meta.url));
const SESSIONS = 16;
const TURNS_PER_SESSION = 75;

/** Runs the gateway under a profiler with 16 active sessions, every fifth turn with a tool call; resolves with the folder of the profile. */
export async function writeProfile(entry: string | undefined): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  await using provider = await startProvider();
  await using home = await createProductHome(provider.url, entry);
  const side = await home.start({ env: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(FOLDER)}` } });
  try {
    using client = new TurnClient(side);
    const sessions = Array.from({ length: SESSIONS }, async (_, session) => {
      for (let turn = 0; turn < TURNS_PER_SESSION; turn += 1) {
        await client.turn(`profile-${session}`, turn % 5 === 4 ? TOOL_MESSAGE : PLAIN_MESSAGE);
      }
    });
    await Promise.all(sessions);
  } finally {
    // Only a process that ends by itself writes its profile.
    await side.product.end("SIGTERM");
  }
  return FOLDER;
}
