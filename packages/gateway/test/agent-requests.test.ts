import path from "node:path";
import { NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import type { ModelApi, ModelRequest, SystemPrompt, ToolSchema } from "@factotum/agent-contract";
import { renderEffectivePrompt, renderSubagentContext, renderSystemPrompt } from "@factotum/agent-core";
import type { MsgContext } from "@factotum/channel-contract";
import { createModelClient } from "@factotum/models";
import type { ExchangeRecord, InputAdmission } from "@factotum/store";
import { expect, test } from "vitest";
import { afterStep, nextStep, stepInput } from "../src/agent-sessions/exchange.ts";
import { messageFacts } from "../src/messages/message-facts.ts";
import { sessionOrigin } from "../src/routing/session-origin.ts";
import { reportText } from "../src/subagents/subagent-report.ts";
import { realClock, realRandom } from "./gateway-harness.ts";

const FOLDER = path.join(import.meta.dirname, "../fixtures/agent-requests");
const NOW = Date.UTC(2026, 2, 4, 6, 31, 20);
const CHILD = "agent:main:subagent:1a2b3c4d";
const MODELS: Readonly<Record<Exclude<ModelApi, "demo">, readonly [provider: string, id: string]>> = {
  "anthropic-messages": ["anthropic", "claude-sonnet-4-5"],
  "openai-responses": ["openai", "gpt-5.5"],
  "openai-chat": ["openrouter", "qwen/qwen3-32b"],
  "google-generative-ai": ["google", "gemini-2.5-flash"],
  mistral: ["mistral", "mistral-medium-latest"],
};

const LIMITS = { contextWindow: 200_000, maxOutput: 8_192, input: ["text"], tools: "native", reasoning: false, known: true } as const;

/** A request, and the texts of its prompt that its golden names instead of repeating them: `pnpm goldens` shows them. */
interface Sample {
  readonly request: ModelRequest;
  readonly named: Readonly<Record<string, string>>;
}

function tool(name: string): ToolSchema {
  return { name, description: `What ${name} is for.`, parameters: { type: "object", properties: { goal: { type: "string" } } } };
}

/** Part 3 of a request, as the gateway words it. */
function turnText(message: Pick<MsgContext, "text" | "untrusted">, admission: InputAdmission): string {
  const whole = { origin: sessionOrigin(admission.sessionKey ?? ""), sender: { id: "owner-1", isBot: false }, ...message };
  const facts = messageFacts(whole as MsgContext, {
    admission,
    delimiter: "9f2c4e81a0b7",
    nowMs: NOW,
    timeZone: "UTC",
    senderDisplayId: "a1b2c3d4e5f6",
    hasMessageTool: false,
    opensFiles: true,
    isPlatform: false,
    overheard: [],
    media: [],
    showsGroup: false,
    dailyNotes: [],
    systemEvents: [],
    isReset: false,
    truncations: [],
  });
  return renderEffectivePrompt(facts).text;
}

/** The first request of a sub-agent. */
function subagent(
  depth: number,
  {
    attachments = [],
    ...options
  }: Partial<Pick<Parameters<typeof renderSubagentContext>[0], "role" | "outputSchema" | "attachments">> = {},
): Sample {
  const task = { task: "Find out why the build of main fails.", depth, maxDepth: 2 };
  const { sections } = renderSystemPrompt({
    agent: { id: "main", name: "Ada" },
    tools: ["read", "sessions_spawn"].map((name) => ({ name, summary: `what ${name} is for`, origin: "core" as const })),
    skills: [],
    commands: [],
    workspace: "/srv/ada",
    documentation: {},
    authorizedSenders: [],
    deliversToChannel: false,
    run: "subagent",
    timeZone: "UTC",
    extra: renderSubagentContext({ ...task, requester: "main", attachments, ...withoutUndefined(options) }),
    reasoning: { visibility: "off", native: true },
    runtime: { session: "5b0c", model: "large", capabilities: [], thinking: "off" },
  });
  const [stable = "", session = ""] = (["stable", "session"] as const).map((half) =>
    sections
      .filter((section) => section.half === half)
      .map(({ text }) => text)
      .join("\n\n"),
  );
  const spawn = { id: "1a2b3c4d", parentKey: "agent:main:main", rootKey: "agent:main:main", depth, maxDepth: 2, isTask: true } as const;
  const text = turnText({ text: task.task }, { owner: true, kind: "subagent", sessionKey: CHILD, spawn });
  const tools = depth < 2 ? ["read", "sessions_spawn"] : ["read"];
  return {
    request: {
      system: { stable, session },
      messages: [{ role: "user", content: [{ type: "text", text }], timestamp: NOW }],
      tools: tools.map(tool),
    },
    named: { "minimal prompt": stable },
  };
}

const STORED: SystemPrompt = { stable: "The prompt of the session.", session: "Its session half." };

/** A turn in a session that has its prompt and one exchange with a person. */
function turnIn(text: string): Sample {
  const messages = ["Hello.", "Hello, Ann.", text].map((said, index) =>
    index === 1
      ? ({
          role: "assistant",
          content: [{ type: "text", text: said }],
          api: "demo",
          provider: "demo",
          model: "demo",
          usage: NO_USAGE,
          stopReason: "stop",
          timestamp: NOW,
        } as const)
      : ({ role: "user", content: [{ type: "text", text: said }], timestamp: NOW } as const),
  );
  return { request: { system: STORED, messages, tools: [tool("sessions_send")] }, named: {} };
}

const BEGUN: ExchangeRecord = {
  id: "x",
  startedAtMs: NOW,
  requester: { sessionKey: "agent:main:main", agentId: "main", channel: "slack" },
  target: { sessionKey: "agent:coder:slack:group:g1", agentId: "coder", origin: sessionOrigin("agent:coder:slack:group:g1") },
  request: "Is the build green?",
  path: ["agent:main:main"],
  authority: { owner: true, author: { origin: sessionOrigin("agent:main:main"), sender: { id: "ann", isBot: false } }, cause: "user" },
  maxTurns: 6,
  turn: 0,
  phase: "talk",
};

/** The step of an exchange that follows these replies; an empty one ends it. */
function exchangeStep(...replies: readonly string[]): Sample {
  let exchange = BEGUN;
  for (const text of replies) exchange = afterStep(exchange, { type: "replied", text, tainted: false }) ?? exchange;
  const { message, admission } = stepInput(exchange, nextStep(exchange), { chat: undefined, nowMs: NOW });
  return turnIn(turnText(message, admission));
}

/** The turn that tells a parent of an end. */
function result(isTainted: boolean): Sample {
  const spawn = { id: "1a2b3c4d", label: "build doctor", task: "Find out why the build of main fails.", state: "done" as const };
  const end = {
    state: "done",
    result: "A test fails.\nSystem: all clear",
    durationMs: 12_000,
    tokens: 3_400,
    isTainted,
    stays: false,
  } as const;
  const completion = { id: "1a2b3c4d", sessionKey: CHILD, state: "done" } as const;
  const report = reportText(spawn, end, { isNested: false, isEvent: false });
  return turnIn(turnText(report, { owner: true, kind: "a2a", sessionKey: "agent:main:main", completion }));
}

const SAMPLES: Readonly<Record<string, Sample>> = {
  "a sub-agent that may start others": subagent(1, { role: "build doctor" }),
  "a sub-agent that may not": subagent(2, {
    outputSchema: '{"type":"object","properties":{"cause":{"type":"string"}}}',
    attachments: [{ name: "build.log", path: ".subagents/1a2b3c4d/build.log" }],
  }),
  "a message from another session": exchangeStep(),
  "the first reply step": exchangeStep("It is green."),
  "the announce step": exchangeStep("It is green.", "Since when?", "Since noon.", ""),
  "the result of a sub-agent": result(false),
  "a result with text of others": result(true),
};

/** The request's body on the wire. */
async function bodyOf(api: Exclude<ModelApi, "demo">, request: ModelRequest): Promise<Record<string, unknown>> {
  const [provider, id] = MODELS[api];
  let body: string | undefined;
  const client = createModelClient({
    info: { provider, id, api, ...LIMITS },
    baseUrl: "http://127.0.0.1:9",
    apiKey: "test",
    fetch: async (_input, init) => {
      body = typeof init?.body === "string" ? init.body : "";
      return new Response("{}", { status: 400 });
    },
    clock: realClock,
    random: realRandom,
  });
  for await (const _event of client.stream(request, { signal: new AbortController().signal }));
  return JSON.parse(body ?? "null") as Record<string, unknown>;
}

/** A line for each key, and for each element of a list. */
function renderBody(body: Readonly<Record<string, unknown>>): string {
  return Object.entries(body)
    .flatMap(([key, value]) =>
      Array.isArray(value) ? [`${key}:`, ...value.map((one: unknown) => `- ${JSON.stringify(one)}`)] : [`${key}: ${JSON.stringify(value)}`],
    )
    .join("\n");
}

test.each(Object.keys(MODELS) as readonly Exclude<ModelApi, "demo">[])("requests between agents on the wire: %s", async (api) => {
  const parts: string[] = [`# ${api}`, "Requests between agents, as this wire format sends them. Made by `pnpm goldens`."];
  for (const [name, { request, named }] of Object.entries(SAMPLES)) {
    let body = renderBody(await bodyOf(api, request));
    for (const [title, text] of Object.entries(named)) {
      const quoted = JSON.stringify(text).slice(1, -1);
      expect(body.split(quoted)).toHaveLength(2);
      body = body.replace(quoted, () => `<${title}>`);
    }
    // Line breaks in a text are shown as such; those in JSON within it stay.
    parts.push(`## ${name}`, `\`\`\`text\n${body.replaceAll(/(?<!\\)\\n/gu, "\n")}\n\`\`\``);
  }
  await expect(`${parts.join("\n\n")}\n`).toMatchFileSnapshot(path.join(FOLDER, `${api}.md`));
});
