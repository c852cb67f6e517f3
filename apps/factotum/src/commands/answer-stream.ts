import { EXTERNAL_CALL } from "@factotum/agent-contract";
import type { ChatEntry, ChatEvent, ChatToolCall } from "@factotum/protocol";
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
  /** The run that started after this command subscribed; absent before that. */
  runId: string | undefined;
  /** False if something else was running or waiting in the session: the answering run is unknown then, and nothing is printed. */
  readonly isOurs: boolean;
  /** The texts of the calls and questions that wait for the owner, as far as they are on the terminal. */
  readonly requests: Set<string> = new Set<string>();
  readonly #context: CliContext;
  readonly #isStreamed: boolean;
  readonly #calls = new Set<string>();
  #block: "text" | "thinking" = "text";
  #printed = "";
  #unfollow: () => void = () => undefined;

  private constructor({ context, isStreamed }: StreamOptions, isOurs: boolean) {
    this.#context = context;
    this.#isStreamed = isStreamed;
    this.isOurs = isOurs;
  }

  /** Subscribes to a session; all later events are received. */
  static async open(sessionKey: string, client: RpcClient, options: StreamOptions): Promise<AnswerStream> {
    const early: ChatEvent[] = [];
    let receive = (event: ChatEvent): void => void early.push(event);
    const unfollow = client.follow((name, payload) => {
      if (name === "chat" && payload.sessionKey === sessionKey) receive(payload.event);
    });
    const { live, queued } = await client.request("chat.subscribe", { sessionKey, limit: 1 });
    const stream = new AnswerStream(options, live === undefined && queued === 0);
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
      case "run-start":
      case "tool-delta":
      case "entry":
      case "run-end":
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

function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
