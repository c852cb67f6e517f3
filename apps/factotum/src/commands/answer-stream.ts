import type { ChatEvent } from "@factotum/protocol";
import type { RpcClient } from "../rpc/rpc-client.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { paint } from "../runtime/paint.ts";

/** Prints the answer of a session's next run while it is written. */
export class AnswerStream implements Disposable {
  /** The run that started after this command subscribed; absent before that. */
  runId: string | undefined;
  /** False if something else was running or waiting in the session: the answering run is unknown then, and nothing is printed. */
  readonly isOurs: boolean;
  readonly #context: CliContext;
  #block: "text" | "thinking" = "text";
  #printed = "";
  #unfollow: () => void = () => undefined;

  private constructor(context: CliContext, isOurs: boolean) {
    this.#context = context;
    this.isOurs = isOurs;
  }

  /** Subscribes to a session; all later events are received. */
  static async open(sessionKey: string, client: RpcClient, context: CliContext): Promise<AnswerStream> {
    const early: ChatEvent[] = [];
    let receive = (event: ChatEvent): void => void early.push(event);
    const unfollow = client.follow((name, payload) => {
      if (name === "chat" && payload.sessionKey === sessionKey) receive(payload.event);
    });
    const { live, queued } = await client.request("chat.subscribe", { sessionKey, limit: 1 });
    const stream = new AnswerStream(context, live === undefined && queued === 0);
    stream.#unfollow = unfollow;
    receive = (event) => stream.#receive(event);
    for (const event of early) receive(event);
    return stream;
  }

  /** Stops printing; true if the answer is already on the terminal. */
  end(answer: string): boolean {
    this[Symbol.dispose]();
    if (this.#printed === "") return false;
    if (!this.#printed.endsWith("\n")) this.#print("\n");
    return flat(this.#printed).includes(flat(answer));
  }

  [Symbol.dispose](): void {
    this.#unfollow();
  }

  #receive(event: ChatEvent): void {
    if (!this.isOurs) return;
    if (event.type === "run-start") this.runId ??= event.runId;
    if (!("runId" in event) || event.runId === undefined || event.runId !== this.runId) return;
    switch (event.type) {
      case "block-start":
        this.#block = event.block;
        if (event.block === "text" && this.#printed !== "" && !this.#printed.endsWith("\n")) this.#print("\n");
        return;
      case "block-delta":
        if (this.#block === "text") this.#print(event.text);
        return;
      case "answer-restart":
        this.#say("the model is asked again; the text above does not count");
        return;
      case "tool-start":
        this.#say(event.call.name);
        return;
      case "run-start":
      case "tool-delta":
      case "entry":
      case "run-end":
    }
  }

  #say(words: string): void {
    const lineBreak = this.#printed === "" || this.#printed.endsWith("\n") ? "" : "\n";
    if (lineBreak !== "") this.#print(lineBreak);
    this.#context.note(`${paint(this.#context, "faint", `[${words}]`)}\n`);
  }

  #print(text: string): void {
    this.#printed += text;
    this.#context.print(terminalText(text));
  }
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
