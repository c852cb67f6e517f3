import { afterEach, beforeEach, expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { FakeGateway } from "../../test/fake-gateway.ts";

const SESSION = "agent:main:main";
const REQUEST = "I want to use exec and wait for your decision:\n\n```\nls\n```";
const QUESTION = "Blue or red?";

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(async () => home[Symbol.asyncDispose]());

test.each([
  ["a pipe", {}, [], "Done.\n"],
  ["a terminal", { isTerminal: true }, [], "Done.\n"],
  ["a program that reads JSON", {}, ["--json"], '"text": "Done."'],
] as const)("calls and questions that wait are shown at once, and only once, to %s", async (_name, context, flags, answer) => {
  const shown = Promise.withResolvers<void>();
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async (method, _token, _params, emit) => {
      const notice = (id: string, text: string, request?: object): void =>
        emit("chat", {
          sessionKey: SESSION,
          event: { type: "entry", entry: { type: "notice", id, timestampMs: 1, level: "info", text, request } },
        });
      switch (method) {
        case "agents.list":
          return { agents: [{ id: "main", name: "Main", isDefault: true, mainSessionKey: SESSION, workspace: "/w" }] };
        case "chat.subscribe":
          return { sessionKey: SESSION, entries: [], queued: 0 };
        case "agent": {
          notice("1", "A notice of another kind");
          notice("2", REQUEST, { type: "decision", id: "K7RWQ2" });
          notice("3", QUESTION, { type: "answer", id: "QQQQQQ" });
          // The run goes on only after the person has seen both.
          await shown.promise;
          const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 };
          const notices = [REQUEST, QUESTION, "Another level was used"];
          return { sessionKey: SESSION, runId: "run-1", outcome: { type: "done" }, text: "Done.", usage, notices };
        }
        default:
          return undefined;
      }
    },
  });
  let noted = "";
  const note = (text: string): void => {
    noted += text;
    if (
      noted.includes("factotum approvals decide K7RWQ2 allow-once\n") &&
      noted.includes('factotum agent --message "/answer QQQQQQ <answer>"\n')
    )
      shown.resolve();
  };
  const { code, stdout } = await home.runWith({ ...context, note }, "agent", "-m", "list", ...flags);
  expect(code).toBe(0);
  expect(stdout).toContain(answer);
  expect(noted.split(REQUEST)).toHaveLength(2);
  expect(noted.split(QUESTION)).toHaveLength(2);
  expect(noted).not.toContain("A notice of another kind");
  expect(noted.includes("Another level was used")).toBe(flags.length === 0);
});

test("what a sub-agent of the run asks for is shown with its name, once", async () => {
  const shown = Promise.withResolvers<void>();
  const sessionKey = "agent:main:subagent:s-1";
  const subagent = {
    runId: "s-1",
    sessionKey,
    parentKey: SESSION,
    agentId: "main",
    depth: 1,
    label: "nightly",
    task: "t",
    state: "running",
  };
  const call = { agentId: "main", callId: "c", toolName: "exec", reason: "Rule exec.", requestedAtMs: 1, expiresAtMs: 2 };
  const waits = { ...call, isParked: false, decisions: ["allow-once", "deny"] };
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async (method, _token, _params, emit) => {
      switch (method) {
        case "agents.list":
          return { agents: [{ id: "main", name: "Main", isDefault: true, mainSessionKey: SESSION, workspace: "/w" }] };
        case "chat.subscribe":
          return { sessionKey: SESSION, entries: [], queued: 0 };
        case "approvals.list":
          return {
            waiting: [
              { ...waits, id: "K7RWQ2", sessionKey, text: "ls -l" },
              { ...waits, id: "ELSEWH", sessionKey: "agent:main:other", text: "ls -a" },
            ],
            grants: [],
          };
        case "agent": {
          emit("chat", { sessionKey: SESSION, event: { type: "subagent-change", subagent: { ...subagent, createdAtMs: 1, tokens: 0 } } });
          emit("approvals-change", {});
          await shown.promise;
          const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 };
          return { sessionKey: SESSION, runId: "run-1", outcome: { type: "done" }, text: "Done.", usage };
        }
        default:
          return undefined;
      }
    },
  });
  let noted = "";
  const note = (text: string): void => {
    noted += text;
    if (noted.includes("factotum approvals decide K7RWQ2 allow-once\n")) shown.resolve();
  };
  const { stdout } = await home.runWith({ note }, "agent", "-m", "go");
  expect(stdout).toBe("Done.\n");
  expect(noted).toContain('the sub-agent "nightly" wants to use exec and waits for your decision:\n\n> ls -l\n');
  expect(noted).not.toContain("ELSEWH");
});

test("a terminal shows each call once: by its tool, or as an external agent has described it first", async () => {
  const call = (id: string, name: string, args: object) => ({ id, name, argumentsText: JSON.stringify(args) });
  const calls = [
    call("c1", "ls", {}),
    call("c2", "agent_call", { title: "Edit\n\u001b[2Ja.txt", agent: "claude" }),
    call("c2", "agent_call", { title: "Edit a.txt and b.txt", agent: "claude" }),
  ];
  await using _gateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async (method, _token, _params, emit) => {
      const happen = (event: object): void => emit("chat", { sessionKey: SESSION, event: { runId: "run-1", ...event } });
      switch (method) {
        case "agents.list":
          return { agents: [{ id: "main", name: "Main", isDefault: true, mainSessionKey: SESSION, workspace: "/w" }] };
        case "chat.subscribe":
          return { sessionKey: SESSION, entries: [], queued: 0 };
        case "agent": {
          happen({ type: "run-start", startedAtMs: 0 });
          for (const one of calls) happen({ type: "tool-start", call: one });
          const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 };
          return { sessionKey: SESSION, runId: "run-1", outcome: { type: "done" }, text: "Done.", usage, notices: [] };
        }
        default:
          return undefined;
      }
    },
  });
  let noted = "";
  await home.runWith({ isTerminal: true, note: (text) => void (noted += text) }, "agent", "-m", "edit");
  expect(noted).toContain("[ls]\n[claude: Edit \\u{1b}[2Ja.txt]\n");
  expect(noted).not.toContain("b.txt");
});

test("a connection that ends before the answer says where the answer comes", async () => {
  const agents = [{ id: "main", name: "Main", isDefault: true, mainSessionKey: SESSION, workspace: "/w" }];
  const gateway: FakeGateway = await FakeGateway.start(home.factotumHome, {
    connect: async () => true,
    request: async (method) => {
      if (method === "agents.list") return { agents };
      if (method === "chat.subscribe") return { sessionKey: SESSION, entries: [], queued: 0 };
      return gateway[Symbol.asyncDispose]();
    },
  });
  const { code, stderr } = await home.run("agent", "-m", "go");
  expect(code).toBe(1);
  expect(stderr).toContain("The gateway closed the connection");
  expect(stderr).toContain(`factotum sessions show ${SESSION}`);
});
