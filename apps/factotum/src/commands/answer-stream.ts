import { EXTERNAL_CALL } from "@factotum/agent-contract";
import type { ChatEntry, ChatEvent, ChatSubagent, ChatToolCall } from "@factotum/protocol";
import type { RpcClient } from "../rpc/rpc-client.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { paint } from "../runtime/paint.ts";

interface StreamOptions {
  readonly context: CliContext;
  /** Print the answer while it is written. */
  readonly isStreamed: boolean;
}

/** Prints the answer of a session's next run while it is written, and what waits for the owner in the session. */
export class AnswerStream implements Disposable {
  /** The run that started after this command subscribed, and the one that answers the results of sub-agents; absent while neither works. */
  runId: string | undefined;
  /** False if something else was running or waiting in the session: the answering run is unknown then, and nothing is printed. */
  readonly isOurs: boolean;
  /** The texts of the calls and questions that wait for the owner, as far as they are on the terminal. */
  readonly requests: Set<string> = new Set<string>();
  readonly #client: RpcClient;
  readonly #context: CliContext;
  readonly #isStreamed: boolean;
  readonly #calls = new Set<string>();
  /** By session. */
  readonly #subagents = new Map<string, ChatSubagent>();
  readonly #decisions = new Set<string>();
  #block: "text" | "thinking" = "text";
  #printed = "";
  #unfollow: () => void = () => undefined;

  private constructor(client: RpcClient, { context, isStreamed }: StreamOptions, isOurs: boolean) {
    this.#client = client;
    this.#context = context;
    this.#isStreamed = isStreamed;
    this.isOurs = isOurs;
  }

  /** Subscribes to a session; all later events are received. */
  static async open(sessionKey: string, client: RpcClient, options: StreamOptions): Promise<AnswerStream> {
    const early: ChatEvent[] = [];
    let receive = (event: ChatEvent): void => void early.push(event);
    let onApprovals = (): void => undefined;
    const unfollow = client.follow((name, payload) => {
      if (name === "chat" && payload.sessionKey === sessionKey) receive(payload.event);
      if (name === "approvals-change") onApprovals();
    });
    const { live, queued, subagents = [] } = await client.request("chat.subscribe", { sessionKey, limit: 1 });
    const stream = new AnswerStream(client, options, live === undefined && queued === 0);
    for (const one of subagents) stream.#subagents.set(one.sessionKey, one);
    // A connection that has ended is reported by the request for the answer.
    onApprovals = () => void stream.#showSubagentRequests().catch(() => undefined);
    stream.#unfollow = unfollow;
    receive = (event) => stream.#receive(event);
    for (const event of early) receive(event);
    return stream;
  }

  /** Stops printing; true if the answer is already on the terminal. */
  end(answer: string): boolean {
    this[Symbol.dispose]();
    if (this.#printed === "") return false;
    this.#endLine();
    return flat(this.#printed).includes(flat(answer));
  }

  [Symbol.dispose](): void {
    this.#unfollow();
  }

  #receive(event: ChatEvent): void {
    if (event.type === "entry") this.#showRequest(event.entry);
    if (event.type === "subagent-change") this.#showSubagent(event.subagent);
    if (!this.isOurs || !this.#isStreamed) return;
    if (event.type === "run-start") this.runId ??= event.runId;
    if (!("runId" in event) || event.runId === undefined || event.runId !== this.runId) return;
    switch (event.type) {
      case "block-start":
        this.#block = event.block;
        if (event.block === "text") this.#endLine();
        return;
      case "block-delta":
        if (this.#block === "text") this.#print(event.text);
        return;
      case "answer-restart":
        this.#say("the model is asked again; the text above does not count");
        return;
      case "tool-start":
        this.#sayCall(event.call);
        return;
      case "run-end":
        this.runId = undefined;
        return;
      case "run-start":
      case "tool-delta":
      case "entry":
    }
  }

  /** A run that waits for the owner says so at once: without a decision it goes no further. */
  #showRequest(entry: ChatEntry): void {
    if (entry.type !== "notice" || entry.request === undefined || this.requests.has(entry.text)) return;
    const { type, id } = entry.request;
    this.requests.add(entry.text);
    this.#endLine();
    const how = type === "decision" ? `approvals decide ${id} allow-once` : `agent --message "/answer ${id} <answer>"`;
    this.#context.note(`factotum: ${terminalText(entry.text)}\n\nfactotum: in another shell: factotum ${how}\n`);
  }

  #showSubagent(subagent: ChatSubagent): void {
    const { sessionKey, state } = subagent;
    const before = this.#subagents.get(sessionKey);
    this.#subagents.set(sessionKey, subagent);
    if (this.isOurs && this.#isStreamed && before?.state !== state) this.#say(`${subagentName(subagent)}: ${state}`);
  }

  /** What sub-agents ask is a notice without buttons in this conversation: the list of requests has what decides it. */
  async #showSubagentRequests(): Promise<void> {
    const { waiting } = await this.#client.request("approvals.list", {});
    for (const { id, sessionKey, toolName, text, reason } of waiting) {
      const subagent = this.#subagents.get(sessionKey);
      if (subagent === undefined || this.#decisions.has(id)) continue;
      this.#decisions.add(id);
      this.#endLine();
      const asks = `the ${subagentName(subagent)} wants to use ${toolName} and waits for your decision:\n\n${quoted(text)}\n\n${reason}`;
      this.#context.note(`factotum: ${terminalText(asks)}\n\nfactotum: in another shell: factotum approvals decide ${id} allow-once\n`);
    }
  }

  #endLine(): void {
    if (this.#printed !== "" && !this.#printed.endsWith("\n")) this.#print("\n");
  }

  /** What an external agent does itself is named as it is described first. */
  #sayCall({ id, name, argumentsText }: ChatToolCall): void {
    if (this.#calls.has(id)) return;
    this.#calls.add(id);
    this.#say(name === EXTERNAL_CALL ? externalWords(argumentsText) : name);
  }

  #say(words: string): void {
    this.#endLine();
    this.#context.note(`${paint(this.#context, "faint", `[${words}]`)}\n`);
  }

  #print(text: string): void {
    this.#printed += text;
    this.#context.print(terminalText(text));
  }
}

function externalWords(argumentsText: string): string {
  const { agent, title } = JSON.parse(argumentsText) as { readonly agent: string; readonly title: string };
  return terminalText(`${agent}: ${flat(title)}`);
}

/** By its label, else by its run id. */
function subagentName({ label, runId }: ChatSubagent): string {
  return terminalText(`sub-agent ${label === undefined ? runId.slice(0, 8) : JSON.stringify(flat(label))}`);
}

function quoted(text: string): string {
  return text.replaceAll(/^/gm, "> ");
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
