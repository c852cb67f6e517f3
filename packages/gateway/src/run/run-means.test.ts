import { externalModelInfo } from "@factotum/agent-contract";
import type { ExternalAgents, ExternalConversation, ModelClient, ModelEvent } from "@factotum/agent-contract";
import type { SessionRecord } from "@factotum/store";
import { expect, test } from "vitest";
import { realClock } from "../../test/gateway-harness.ts";
import { externalModel, NO_EXTERNAL_AGENTS } from "../agents/external-agent.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import { runMeans } from "./run-means.ts";

const CONFIG = { acp: { enabled: true, agents: { coder: { command: "coder", args: [], env: {}, mcpServers: [] } } } };
const REQUEST: Parameters<ModelClient["stream"]>[0] = { system: { stable: "", session: "" }, messages: [], tools: [] };

async function eventsOf(stream: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

interface Occasion {
  readonly kind?: PreparedTurn["turn"]["kind"];
  readonly facts?: Partial<PreparedTurn["facts"]>;
  readonly admission?: Partial<PreparedTurn["inputs"][number]["admission"]>;
  readonly begun?: Promise<void>;
  readonly external?: SessionRecord["overrides"]["external"];
}

/** The events of a turn that an external agent answers, and the conversations that it was given. */
async function ask({ kind = "user", facts = {}, admission = {}, begun = Promise.resolve(), external }: Occasion): Promise<{
  readonly events: readonly ModelEvent[];
  readonly given: readonly ExternalConversation[];
  readonly stored: readonly unknown[];
}> {
  const given: ExternalConversation[] = [];
  const stored: unknown[] = [];
  const agents: ExternalAgents = {
    ...NO_EXTERNAL_AGENTS,
    client: (id, conversation) => ({
      info: externalModelInfo(id),
      async *stream() {
        given.push(conversation);
        await conversation.remember("their-id");
        yield { type: "message-start" };
      },
    }),
  };
  const prepared = {
    turn: { kind, sessionKey: "agent:main:main", sessionId: "s1" },
    facts: { owner: true, ...facts },
    inputs: [{ admission: { owner: true, kind, ...admission } }],
    model: externalModel("coder", CONFIG),
    request: { tools: [] },
    beginning: { type: "new" },
  } as unknown as PreparedTurn;
  const record = { overrides: external === undefined ? {} : { external } } as SessionRecord;
  const means = runMeans(prepared, begun, {
    externalAgents: agents,
    store: {
      readSession: async () => record,
      patchSession: async (_key, patch) => {
        stored.push(patch.overrides);
        return record;
      },
    },
    clock: realClock,
  });
  const events = await eventsOf(means.models.model.client.stream(REQUEST, { signal: new AbortController().signal }));
  return { events, given, stored };
}

test("an external agent gets a prompt of the owner's turn once that is committed, and its own id is kept for the conversation", async () => {
  const { given, stored } = await ask({ external: { agent: "coder", sessionId: "s1", id: "before" } });
  expect(given).toMatchObject([{ known: "before", isResumed: false }]);
  expect(stored).toEqual([{ external: { agent: "coder", sessionId: "s1", id: "their-id" } }]);
  // Those of an earlier conversation, and of another agent, are not its own.
  const others = [
    { agent: "coder", sessionId: "s0", id: "old" },
    { agent: "other", sessionId: "s1", id: "theirs" },
  ];
  for (const external of others) expect((await ask({ external })).given[0]).not.toHaveProperty("known");
  await expect(ask({ begun: Promise.reject(new Error("not committed")) })).rejects.toThrow("not committed");
});

test.each<[string, Occasion]>([
  ["a guest's turn", { facts: { owner: false } }],
  ["a turn in a sandbox", { facts: { sandbox: { workspaceAccess: "rw", shared: true } } }],
  ["a heartbeat", { kind: "heartbeat" }],
  ["a job", { kind: "cron" }],
  ["a sub-agent of a job", { kind: "subagent", admission: { cause: "cron" } }],
  ["what a job has sent from another session", { kind: "a2a", admission: { cause: "cron" } }],
  [
    "what a sandboxed turn has caused, once its own session is in no sandbox",
    { kind: "subagent", admission: { confinement: { hosts: [] } } },
  ],
  ["notes", { kind: "memory" }],
])("%s does not reach it", async (_name, occasion) => {
  const { events, given } = await ask(occasion);
  expect(given).toEqual([]);
  expect(events).toMatchObject([{ type: "message-failed", error: { code: "denied", message: expect.stringContaining("Rule acp") } }]);
});

test("what asks it outside of a turn is refused, and an unknown one is named", async () => {
  const client = externalModel("coder", CONFIG).client;
  const events = await eventsOf(client.stream(REQUEST, { signal: new AbortController().signal }));
  expect(events).toMatchObject([{ type: "message-failed", error: { code: "denied" } }]);
  expect(() => externalModel("other", CONFIG)).toThrow(/acp.agents has coder/);
  expect(() => externalModel("coder", { acp: { ...CONFIG.acp, enabled: false } })).toThrow(/acp.enabled is false/);
});
