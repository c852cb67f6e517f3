/**
 * A server written by hand, for what a library would not do. It speaks the revision of 2025 over standard input and output, one JSON message a line. Every start
 * appends a line to the file STARTS; LIST chooses its list; with MODE=silent it answers nothing, and with MODE=strict it ends at a method that it does not know.
 */
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Record<string, unknown>;
    readonly capabilities?: Readonly<Record<string, unknown>>;
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

const { STARTS, LIST = "plain", MODE = "", CALLS } = process.env;
if (STARTS !== undefined) appendFileSync(STARTS, `${process.pid}\n`);
if (MODE === "broken") {
  process.stderr.write("Error: set API_KEY to your key\n");
  process.exit(3);
}

const OBJECT = { type: "object" } as const;
const tool = (name: string, more: object = {}): object => ({ name, description: `Does ${name}. And more.`, inputSchema: OBJECT, ...more });
const PLAIN = [
  "echo",
  "env",
  "fail",
  "image",
  "structured",
  "refuse",
  "hang",
  "slow",
  "flood",
  "spam",
  "wrong-ids",
  "die",
  "cwd",
  "roots",
  "ask",
  "ask-often",
  "sample",
  "sample-often",
];

let listed = 0;
let pages = 0;
function lists(): readonly unknown[] {
  switch (LIST) {
    case "many":
      return Array.from({ length: 500 }, (_, index) => tool(`tool-${index}`));
    case "too-many":
      return [
        ...Array.from({ length: 1_100 }, (_, index) => tool(`tool-${String(index).padStart(4, "0")}`)),
        ...Array.from({ length: 50 }, () => 1),
      ];
    case "pages":
    case "slow-pages":
      return [tool("echo")];
    case "large-pages":
      return [tool("echo", { description: "x".repeat(4_000_000) })];
    case "bad":
      return [
        tool("good"),
        tool("twice"),
        tool("twice"),
        tool("remote", { inputSchema: { type: "object", properties: { a: { $ref: "https://schemas.example/a.json" } } } }),
        tool("text", { inputSchema: "none" }),
        tool("deep", { inputSchema: { type: "object", properties: Array.from({ length: 40 }).reduce((inner) => ({ a: inner }), {}) } }),
        tool("large", { inputSchema: { type: "object", description: "x".repeat(40_000) } }),
        tool("name with spaces and a length that is much more than any model may have in a name of a tool"),
        "no tool",
      ];
    case "grows":
      return existsSync(`${STARTS}.more`) ? [tool("echo"), tool("spam"), tool("added")] : [tool("echo"), tool("spam")];
    case "changes-while-read":
      // Its last change comes before the answer that lacks it.
      listed += 1;
      if (listed === 2) send({ method: "notifications/tools/list_changed" });
      return [tool("spam"), ...(listed > 2 ? [tool("added")] : [])];
    default:
      return PLAIN.map((name) => tool(name, name === "echo" ? { annotations: { readOnlyHint: true, openWorldHint: false } } : {}));
  }
}

const send = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id: Message["id"], result: object): void => send({ id, result });
const text = (value: string): object => ({ content: [{ type: "text", text: value }] });
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function call({ id, params }: Message): void {
  switch (params?.name) {
    case "echo":
      return answer(id, text(`heard ${JSON.stringify(params.arguments)}`));
    case "env":
      return answer(id, text(JSON.stringify(process.env)));
    case "cwd":
      return answer(id, text(process.cwd()));
    case "ask-often": {
      const answers: unknown[] = [];
      const again = (): void =>
        ask(
          "elicitation/create",
          { message: `Form ${answers.length + 1}`, requestedSchema: { type: "object", properties: {} } },
          (result) => {
            answers.push((result as { readonly action: string }).action);
            if (answers.length < Number(params.arguments?.["times"])) again();
            else answer(id, text(JSON.stringify(answers)));
          },
        );
      return again();
    }
    case "sample":
      if (clientCapabilities["sampling"] === undefined && params.arguments?.["anyway"] !== true) return answer(id, text("no sampling"));
      return ask("sampling/createMessage", params.arguments ?? {}, (result) => answer(id, text(JSON.stringify(result))));
    case "sample-often": {
      const answers: unknown[] = [];
      const again = (): void =>
        ask("sampling/createMessage", { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 9 }, (result) => {
          answers.push((result as { readonly code?: number }).code ?? "written");
          if (answers.length < Number(params.arguments?.["times"])) again();
          else answer(id, text(JSON.stringify(answers)));
        });
      return again();
    }
    case "ask":
      return ask("elicitation/create", params.arguments ?? {}, (result) => answer(id, text(JSON.stringify(result))));
    case "roots":
      if (clientCapabilities["roots"] === undefined) return answer(id, text("no roots"));
      return ask("roots/list", {}, (result) => answer(id, text(JSON.stringify(result))));
    case "fail":
      return answer(id, { ...text("no such city"), isError: true });
    case "image":
      return answer(id, {
        content: [
          { type: "image", data: PIXEL, mimeType: "image/png" },
          { type: "image", data: "AAAA", mimeType: "image/tiff" },
          { type: "resource", resource: { uri: "note://1", text: "a note" } },
          { type: "resource_link", uri: "file:///a", name: "a" },
        ],
      });
    case "structured":
      return answer(id, { content: [], structuredContent: { degrees: 21 } });
    case "refuse":
      return send({ id, error: { code: -32_602, message: "city is needed" } });
    case "slow": {
      const progressToken = params._meta?.progressToken;
      const steps = Number(params.arguments?.["steps"] ?? 4);
      let step = 0;
      const timer = setInterval(() => {
        step += 1;
        send({
          method: "notifications/progress",
          params: { progressToken, progress: step, total: steps, message: params.arguments?.["words"] ?? "at it" },
        });
        if (step < steps) return;
        clearInterval(timer);
        answer(id, text("finished"));
      }, 150);
      return;
    }
    case "flood": {
      const part = "x".repeat(1_000_000);
      for (let index = 0; index < 50; index += 1) process.stdout.write(part);
      return;
    }
    case "spam":
      for (let index = 0; index < 1_000; index += 1) send({ method: "notifications/tools/list_changed" });
      return answer(id, text("told"));
    case "wrong-ids":
      for (const wrong of [9_999, "none", null]) send({ id: wrong, result: text("not yours") });
      process.stdout.write("this is no message\n[]\n{}\n");
      return answer(id, text("right"));
    case "die":
      process.stderr.write("out of cheese\n");
      process.exit(1);
      return;
    default:
      return;
  }
}

/** Asks the client, and passes its answer on. */
const asked = new Map<number | string, (result: unknown) => void>();
function ask(method: string, params: object, then: (result: unknown) => void): void {
  const id = `ask-${asked.size}`;
  asked.set(id, then);
  send({ id, method, params });
}

let clientCapabilities: Readonly<Record<string, unknown>> = {};

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message;
  if (CALLS !== undefined) appendFileSync(CALLS, `${message.method ?? "answer"}\n`);
  if (MODE === "silent" || message.id === undefined) return;
  if (message.method === undefined) return asked.get(message.id)?.(message.result ?? message.error);
  switch (message.method) {
    case "initialize":
      clientCapabilities = message.params?.capabilities ?? {};
      return answer(message.id, {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "raw", version: "1" },
      });
    case "tools/list": {
      pages += 1;
      const page = { tools: lists(), ...(LIST.endsWith("pages") ? { nextCursor: String(pages) } : {}) };
      setTimeout(() => answer(message.id, page), LIST === "slow-pages" ? 50 : 0);
      return;
    }
    case "tools/call":
      return call(message);
    case "ping":
      return MODE === "deaf" ? undefined : answer(message.id, {});
    default:
      if (MODE === "strict") process.exit(1);
      return send({ id: message.id, error: { code: -32_601, message: "Method not found" } });
  }
});
