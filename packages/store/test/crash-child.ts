import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { OWNER, sampleEnd, sampleMessage, sampleOutbound, sampleTurn, userEntry } from "../contract/samples.ts";
import { openSqliteStore } from "../src/index.ts";
import { createTestClock, createTestLogger, TEST_RANDOM } from "./open-test-store.ts";

/** Works until it is killed, and reports each commit. Arguments: the folder, and the number of this boot. */
const [root = "", boot = ""] = process.argv.slice(2);
const store = await openSqliteStore({
  folder: join(root, "state"),
  copies: { folder: (agentId) => join(root, "agents", agentId), cwd: () => "/home/ada", agents: async () => [] },
  clock: createTestClock(),
  random: TEST_RANDOM,
  logger: createTestLogger(),
});

function say(fact: string): void {
  process.stdout.write(`${fact}\n`);
}

async function work(name: string): Promise<void> {
  const { input } = await store.acceptInput(sampleMessage(name), { admission: OWNER, receivedAtMs: 0 });
  say(`accepted ${name} ${input.id}`);
  await store.startTurn(
    sampleTurn(name, [input.id], {
      session: { ...sampleTurn(name, []).session, key: `agent:main:${name.slice(-1)}`, sessionId: `s-${name.slice(-1)}` },
    }),
  );
  say(`started ${name} ${input.id}`);
  await store.appendToTurn(name, { entries: [userEntry(name)], journal: [{ callId: "c", name: "ls", state: "started" }], timestampMs: 0 });
  say(`appended ${name} ${input.id}`);
  const { outbox } = await store.endTurn(sampleEnd(name, { outbox: [sampleOutbound(`${name}:0`, { state: "sending" })] }));
  say(`ended ${name} ${outbox[0]?.id}`);
}

await store.resumeTurns();
// A killed process would not store the compile cache.
flushCompileCache();
say("ready");
await Promise.all(
  Array.from({ length: 4 }, async (_, lane) => {
    for (let turn = 0; ; turn += 1) await work(`${boot}-${turn}-${lane}`);
  }),
);
