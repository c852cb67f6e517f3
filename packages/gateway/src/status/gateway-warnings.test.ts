import type { GatewayStatus } from "@factotum/protocol";
import { describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";
import { gatewayWarnings } from "./gateway-warnings.ts";
import type { WarningSources } from "./gateway-warnings.ts";

const CONFIG: GatewayStatus["config"] = {
  path: "/home/me/.factotum/factotum.json5",
  fileHash: "a",
  runningHash: "a",
  problems: [],
  needsRestart: [],
  commandPolicy: [],
  inactive: ["cron"],
};
const LATE = {
  target: { channel: "chat", accountId: "a", conversation: { kind: "direct", id: "dm-1" } },
  sinceMs: 0,
  reason: "rate-limited: slow down",
  isLate: true,
} as const;
const DAMAGE: WarningSources["damage"][number] = { id: "d1", kind: "database", atMs: 0, text: "", count: 1, isComplete: false };
const WELL: WarningSources = {
  config: CONFIG,
  storage: { problem: undefined, shortage: undefined },
  damage: [],
  sharedSessions: [],
  pairings: [],
  mediaProblems: [],
  toolProblems: [],
  externalProblems: [{ id: "there", problem: undefined }],
  failedRuns: [],
  blocked: [{ target: LATE.target, sinceMs: 0, reason: "rate-limited", isLate: false }],
  channels: (["starting", "connected", "stopped", "disabled"] as const).map((state) => ({ channel: "chat", accountId: state, state })),
};

describe("warnings for the owner", () => {
  test("are empty without problems", () => {
    expect(gatewayWarnings(WELL)).toEqual([]);
    expect(
      gatewayWarnings({
        ...WELL,
        config: { path: "/x", runningHash: "", problems: [], needsRestart: [], inactive: [], commandPolicy: [] },
      }),
    ).toEqual([]);
  });

  test.each<[string, Partial<WarningSources>, string, RegExp]>([
    [
      "a person who asks to be admitted",
      {
        pairings: [
          {
            channel: "chat",
            accountId: "a",
            senderId: "U1",
            senderName: 'Ann"',
            origin: LATE.target,
            code: "K7RWQ2MX",
            state: "pending",
            requestedAtMs: 0,
            expiresAtMs: 1,
          },
        ],
      },
      "warning pairing:K7RWQ2MX",
      /^U1, who writes as "Ann\\"", asks to write to chat\/a \(code K7RWQ2MX\)\..*pairing approve K7RWQ2MX/,
    ],
    [
      "a file that is not used",
      { config: { ...CONFIG, fileHash: "b", problems: ["bindings: 7 is no list"] } },
      "error config",
      /not used.*7 is no list\..*config validate/,
    ],
    [
      "a file that is gone",
      {
        config: {
          path: "/x/y.json5",
          runningHash: "a",
          problems: ["/x/y.json5 is not there any more"],
          needsRestart: [],
          inactive: [],
          commandPolicy: [],
        },
      },
      "error config",
      /^\/x\/y\.json5 is not there any more\. It is used as soon as it is there\./,
    ],
    ["a misspelt key", { config: { ...CONFIG, problems: ["agnets: unknown key"] } }, "warning config", /agnets: unknown key/],
    [
      "keys for a restart",
      { config: { ...CONFIG, needsRestart: ["gateway.port", "gateway.bind"] } },
      "warning restart",
      /gateway\.port, gateway\.bind.*gateway restart/,
    ],
    [
      "a failed run",
      { failedRuns: [{ agentId: "main", sessionKey: "agent:main:main", text: "There is no key.", atMs: 1, needsOwner: true }] },
      "error run:main",
      /agent main failed\. There is no key\./,
    ],
    [
      "a provider that is overloaded",
      { failedRuns: [{ agentId: "main", sessionKey: "agent:main:main", text: "It is overloaded.", atMs: 1, needsOwner: false }] },
      "warning run:main",
      /It is overloaded/,
    ],
    [
      "a source of tools that cannot be used",
      { toolProblems: [{ source: "mcp:files", problem: "it has ended" }] },
      "warning tools:mcp:files",
      /^The tools of mcp:files cannot be used: it has ended\./,
    ],
    [
      "a full disk",
      { storage: { problem: { reason: "The disk is full. Free some space.", sinceMs: 1 }, shortage: undefined } },
      "error storage",
      /No messages are taken\. The disk is full\. Free/,
    ],
    [
      "a disk that is nearly full",
      { storage: { problem: undefined, shortage: "32 MB cannot be kept" } },
      "warning storage",
      /nearly full\. 32 MB/,
    ],
    [
      "damaged rows",
      { damage: [{ ...DAMAGE, kind: "rows", text: "Parts are left out.", count: 2, sessionKey: "agent:main:main" }] },
      "error damage",
      /^1970-01-01 00:00 UTC: Parts are left out\. \(2 rows in agent:main:main\.\).*damage acknowledge/,
    ],
    [
      "a database put together whole",
      { damage: [{ ...DAMAGE, text: "Nothing is lost.", isComplete: true, path: "/x/damaged" }] },
      "warning damage",
      /Nothing is lost\. The files from before are kept in \/x\/damaged/,
    ],
    ["a lost database", { damage: [{ ...DAMAGE, text: "My database was missing." }] }, "error damage", /My database was missing/],
    [
      "snapshots of another database",
      { damage: [{ ...DAMAGE, kind: "snapshots", text: "They are kept." }] },
      "error damage",
      /They are kept/,
    ],
    [
      "more damage than is listed",
      { damage: Array.from({ length: 5 }, (_, n) => ({ ...DAMAGE, id: `d${n}`, text: `Number ${n}.` })) },
      "error damage",
      /Number 4\..*Number 3\..*Number 2\..*more damage of 2 kinds/,
    ],
    [
      "an account that cannot start",
      { channels: [{ channel: "chat", accountId: "a", state: "failed", detail: "no key" }] },
      "error channel:chat/a",
      /could not be started: no key\..*channels\.chat/,
    ],
    [
      "an account that is away",
      { channels: [{ channel: "chat", accountId: "a", state: "disconnected" }] },
      "error channel:chat/a",
      /not connected\..*waits/,
    ],
    [
      "a session of several people",
      { sharedSessions: ["agent:main:main"] },
      "warning sharing:agent:main:main",
      /agent:main:main.*others have said\..*session\.sharedMain/,
    ],
    [
      "an account that is half there",
      { channels: [{ channel: "chat", accountId: "a", state: "degraded", detail: "slow" }] },
      "warning channel:chat/a",
      /slow\./,
    ],
    [
      "a message that is late",
      { blocked: [LATE] },
      "warning late:chat/a",
      /a conversation on chat\/a wait since 1970-01-01 00:00 UTC: rate-limited: slow down\..*factotum status/,
    ],
    ["messages of an account that are late", { blocked: [LATE, LATE] }, "warning late:chat/a", /2 conversations on chat\/a/],
  ])("%s", (_name, change, what, words) => {
    const warnings = gatewayWarnings({ ...WELL, ...change });
    expect(warnings.map(({ level, id }) => `${level} ${id}`)).toEqual([what]);
    expect(warnings.map(({ text, fix = "" }) => `${text} ${fix}`)[0]).toMatch(words);
  });

  test("come worst first, one per subject", () => {
    const channels = [
      { channel: "chat", accountId: "a", state: "degraded" as const },
      { channel: "chat", accountId: "b", state: "failed" as const },
    ];
    const config = { ...CONFIG, needsRestart: ["gateway.port"] };
    const ids = gatewayWarnings({ ...WELL, channels, config, damage: [DAMAGE] }).map(({ id }) => id);
    expect(ids).toEqual(["channel:chat/b", "damage", "restart", "channel:chat/a"]);
  });
});

test("what a warning says is also data: its subject, and the names and reasons as they are", () => {
  const channels = [{ channel: "chat", accountId: "a", state: "failed", detail: "no \u202Eroute" } as const];
  const [channel] = gatewayWarnings({ ...WELL, channels });
  expect(channel).toMatchObject({ facts: { code: "channel-failed", values: { account: "chat/a", reason: "no \u202Eroute" } } });
  const [restart] = gatewayWarnings({ ...WELL, config: { ...CONFIG, needsRestart: ["gateway.port", "gateway.bind"] } });
  expect(restart).toMatchObject({ facts: { code: "restart-needed", values: { keys: "gateway.port, gateway.bind" } } });
});

test("clients can request them, and are notified of changes and of the health of channels while connected", async () => {
  const LOOKS_MS = [1_000, 5_000];
  const looks = new Set<() => void>();
  let scheduled = 0;
  const clock: typeof realClock = {
    ...realClock,
    schedule: (delayMs, callback) => {
      if (!LOOKS_MS.includes(delayMs)) return realClock.schedule(delayMs, callback);
      if (delayMs === 5_000) scheduled += 1;
      looks.add(callback);
      return { [Symbol.dispose]: () => void looks.delete(callback) };
    },
  };
  const look = (): void => {
    const waiting = Array.from(looks);
    for (const callback of waiting) if (looks.delete(callback)) callback();
  };
  const platform = new TestPlatform();
  const account = platform.account();
  let state: "connected" | "disconnected" = "connected";
  let evidenceAtMs = 20_000;
  const accounts = [
    {
      ...account,
      create: async (...given: Parameters<typeof account.create>) => ({
        ...(await account.create(...given)),
        health: () => ({ state, evidenceAtMs }),
      }),
    },
  ];
  await using running = await startTestGateway({ accounts, clock });
  await running.gateway.engine.idle();
  expect(scheduled).toBe(0);
  const client = await TestClient.connect(running.gateway.url, running.token);
  expect(await client.call("warnings.list", {})).toEqual({ warnings: [] });
  const changes = (event = "warnings-change") =>
    client.frames.flatMap((frame) => (frame.type === "event" && frame.event === event ? [frame.payload] : []));
  look();
  evidenceAtMs = 29_999;
  look();
  state = "disconnected";
  look();
  await client.until(() => changes()[0]);
  look();
  state = "connected";
  look();
  await client.until(() => changes()[1]);
  expect(changes()).toEqual([{ warnings: [expect.objectContaining({ id: "channel:test/default" })] }, { warnings: [] }]);
  expect(changes("channels-change")).toHaveLength(2);
  evidenceAtMs = 30_000;
  look();
  await client.until(() => changes("channels-change")[2]);
  expect(changes()).toHaveLength(2);
  client[Symbol.dispose]();
  await client.closed;
  await expect.poll(() => (look(), looks.size)).toBe(0);
});
