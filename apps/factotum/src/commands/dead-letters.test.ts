import { join } from "node:path";
import { messageId } from "@factotum/channel-contract";
import type { DeadLetter, RpcMethods } from "@factotum/protocol";
import { openSqliteStore } from "@factotum/store";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";

const KEY = "agent:main:main";
const target = { channel: "gone", accountId: "default", conversation: { kind: "direct", id: "dm-7" } } as const;
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => silent };

/** Creates dead letters: a message without an answer, a refused part, and an ambiguous one. */
async function leaveDeadLetters(cli: CliHome): Promise<{ readonly input: string; readonly refused: string; readonly lost: string }> {
  const store = await openSqliteStore({
    folder: join(cli.factotumHome, "state"),
    copies: {
      folder: (agentId) => join(cli.factotumHome, "agents", agentId, "sessions"),
      cwd: () => cli.factotumHome,
      agents: async () => [],
    },
    clock: systemClock,
    random: systemRandom,
    logger: silent,
  });
  const now = Date.now();
  const { input } = await store.acceptInput(
    {
      origin: { channel: "cli", accountId: "default", conversation: { kind: "direct", id: KEY } },
      eventId: "1",
      messageId: messageId("1"),
      timestampMs: now,
      event: { type: "message" },
      sender: { id: "owner", isBot: false },
      text: "list the files \u001b]52;c;cHdu\u0007\u009b31m",
      mentionsBot: true,
      attachments: [],
    },
    { admission: { owner: true, kind: "user", sessionKey: KEY }, receivedAtMs: now },
  );
  await store.settleInputs([input.id], { type: "dead", reason: "it stopped the gateway" });
  const common = { sessionKey: KEY, target, purpose: "reply", dueAtMs: now, expiresAtMs: now + 1e6, state: "sending" } as const;
  const rows = await store.addOutbound(
    ["refused", "lost"].map((text) => ({ ...common, outbound: { type: "text", text }, idempotencyKey: text })),
  );
  const [refused = "", lost = ""] = rows.map(({ id }) => id);
  await store.settleOutbound(
    refused,
    { type: "receipt", receipt: { type: "rejected", code: "forbidden", retry: { type: "never" } } },
    { nowMs: now },
  );
  await store.settleOutbound(lost, { type: "receipt", receipt: { type: "ambiguous", cause: "no answer came" } }, { nowMs: now });
  await store.close();
  return { input: input.id, refused, lost };
}

test("dead letters are listed, shown, replayed and purged from the command line", async () => {
  await using cli = await CliHome.create();
  const { input, refused, lost } = await leaveDeadLetters(cli);
  expect((await cli.run("deadletters", "list")).code).toBe(3);
  const running = cli.spawn("gateway", "run", "--setup", "--port", "0");
  await running.waitFor(/#token=/);
  const list = async (...args: readonly string[]): Promise<RpcMethods["deadletters.list"]["result"]> =>
    JSON.parse((await cli.run("deadletters", "list", "--json", ...args)).stdout) as RpcMethods["deadletters.list"]["result"];
  const ids = (letters: readonly DeadLetter[]): readonly string[] => letters.map(({ id }) => id).toSorted();

  expect(ids((await list()).letters)).toEqual([input, refused, lost].toSorted());
  expect(ids((await list("--type", "outbound")).letters)).toEqual([refused, lost].toSorted());
  const first = await list("--limit", "1");
  expect(ids([...first.letters, ...(await list("--cursor", first.cursor ?? "")).letters])).toEqual([input, refused, lost].toSorted());
  const people = (await cli.run("deadletters", "list")).stdout;
  expect(people).toContain("it stopped the gateway");
  expect(people).toContain("a replay needs --yes");
  const shown = (await cli.run("deadletters", "show", input)).stdout;
  for (const text of [people, shown]) {
    expect(text).toContain("list the files \\u{1b}]52");
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  }

  expect((await cli.run("deadletters", "show", input)).stdout).toContain("list the files");
  expect(JSON.parse((await cli.run("deadletters", "show", lost, "--json")).stdout)).toMatchObject({
    letter: { id: lost, state: "ambiguous", sessionKey: KEY, channel: "gone", conversation: "dm-7" },
    payload: { outbound: { text: "lost" }, target },
  });
  expect((await cli.run("deadletters", "show", "nothing")).code).toBe(1);

  const risky = await cli.run("deadletters", "replay", lost);
  expect(risky).toMatchObject({ code: 1, stdout: "" });
  expect(risky.stderr).toContain("--yes");
  expect(ids((await list()).letters)).toContain(lost);
  expect((await cli.run("deadletters", "replay", lost, "--yes")).code).toBe(0);
  expect((await cli.run("deadletters", "replay", input)).stdout).toContain(KEY);
  expect(ids((await list()).letters)).toEqual([refused]);
  const answered = await cli.run("agent", "-m", "hello", "--json");
  expect(answered.code).toBe(0);
  // The replayed message was the first turn of the conversation.
  expect((await cli.run("context", "--turn", "2")).code).toBe(0);

  for (const args of [["purge"], ["purge", refused, "--older-than", "1d"], ["purge", "--older-than", "soon"]]) {
    expect((await cli.run("deadletters", ...args)).code).toBe(2);
  }
  expect((await cli.run("deadletters", "purge", "--older-than", "1d")).stdout).toContain("0 dead letters are");
  expect(JSON.parse((await cli.run("deadletters", "purge", refused, "--json")).stdout)).toEqual({ purged: 1 });
  expect((await list()).letters).toEqual([]);
  expect((await cli.run("deadletters", "list")).stderr).toContain("no dead letters");
});
