import { afterEach, beforeEach, expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { FakeGateway } from "../../test/fake-gateway.ts";

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(async () => home[Symbol.asyncDispose]());

const approval = (id: string, toolName: string, text: string, rest: object = {}): object => ({
  id,
  agentId: "main",
  sessionKey: "agent:main:main",
  callId: "c1",
  toolName,
  text,
  reason: "Rule exec: it asks.",
  requestedAtMs: Date.now(),
  expiresAtMs: Date.now() + 60_000,
  isParked: false,
  decisions: ["allow-once", "deny"],
  ...rest,
});

const LONG = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");

async function startGateway(waiting: readonly object[], grants: readonly object[] = []): Promise<FakeGateway> {
  const results: Readonly<Record<string, unknown>> = {
    "approvals.list": { waiting, grants },
    "approvals.decide": { approval: waiting[0] },
  };
  return FakeGateway.start(home.factotumHome, { connect: async () => true, request: async (method) => results[method] });
}

test("the list shows actions in lines, and says which it cuts; show has all of them", async () => {
  const command = `echo ${"a".repeat(150)}\ntouch hidden\u{202e}`;
  await using _gateway = await startGateway([
    approval("AAAAAA", "exec", command, { askedIn: "Asked in the group." }),
    approval("BBBBBB", "write", LONG),
  ]);
  const { stdout } = await home.run("approvals", "list");
  expect(stdout).toContain(
    `AAAAAA  exec\n  | echo ${"a".repeat(150)}\n  | touch hidden\\u{202e}\n  Asked in the group.\n  Rule exec: it asks. Requested `,
  );
  expect(stdout).toContain("  | line 20\n  This is only its beginning, of 40 lines. All of it: factotum approvals show BBBBBB\n");
  expect(stdout).not.toContain("line 21");
  const shown = await home.run("approvals", "show", "bbb-bbb");
  expect(shown.stdout).toContain(`BBBBBB  write\n  | ${LONG.replaceAll("\n", "\n  | ")}\n  Rule exec`);
  expect(shown.stderr).toContain("factotum approvals decide BBBBBB allow-once|deny");
  expect(await home.run("approvals", "show", "CCCCCC")).toMatchObject({ code: 1 });
});

test("decide shows what was decided on", async () => {
  await using _gateway = await startGateway([approval("AAAAAA", "exec", `echo ${"a".repeat(150)}\ntouch hidden`)]);
  const { stdout } = await home.run("approvals", "decide", "AAAAAA", "allow-once");
  expect(stdout).toBe(`allow-once: AAAAAA  exec\n  | echo ${"a".repeat(150)}\n  | touch hidden\n`);
});

test("a decision that holds is shown with its action", async () => {
  await using _gateway = await startGateway([], [approval("AAAAAA", "exec", "ls", { decision: "allow-always", decidedAtMs: 1 })]);
  expect((await home.run("approvals", "list")).stdout).toBe("allow-always  AAAAAA  exec\n  | ls\n");
  expect((await home.run("approvals", "show", "AAAAAA")).stdout).toBe("allow-always  AAAAAA  exec\n  | ls\n");
});
