import type { Clock, Logger, ToolCall } from "@factotum/agent-contract";
import type { Answer, AnswerEnd, AnswerEvent } from "../completions/answer.ts";
import { failureStatus, renderFailure, retryHeaders } from "../completions/respond.ts";
import { respondWithEvents } from "../completions/respond-with-events.ts";
import { endType, renderCall, renderMessage, renderResponse, renderText, renderUnfinished } from "./render-response.ts";
import type { ResponseIdentity } from "./render-response.ts";

/** Waits for the complete answer. */
export async function respondWhole(answer: Answer, identity: ResponseIdentity): Promise<Response> {
  const { headers } = answer;
  let text = "";
  for await (const event of answer.events) {
    if (event.type === "text" || event.type === "notice") text += event.text;
    if (event.type === "failed")
      return Response.json(renderFailure(event), { status: failureStatus(event), headers: { ...headers, ...retryHeaders(event) } });
    if (event.type === "done" || event.type === "notice") return Response.json(renderResponse(identity, text, event), { headers });
  }
  throw new Error("the answer's events ended without an end");
}

/** Streams the answer, with the events of OpenAI's Responses API. */
export function respondStreaming(
  answer: Answer,
  identity: ResponseIdentity,
  parts: { readonly clock: Clock; readonly logger: Logger },
): Response {
  const stream = new ResponseEvents(identity);
  return respondWithEvents(answer, { begin: () => stream.begin(), render: (event) => stream.render(event) }, parts);
}

/** The events of one response, numbered in the order in which they are sent. */
class ResponseEvents {
  readonly #identity: ResponseIdentity;
  #number = 0;
  #text = "";

  constructor(identity: ResponseIdentity) {
    this.#identity = identity;
  }

  begin(): readonly string[] {
    const response = renderUnfinished(this.#identity);
    return [this.#frame("response.created", { response }), this.#frame("response.in_progress", { response })];
  }

  render(event: AnswerEvent): readonly string[] {
    switch (event.type) {
      case "text":
        return this.#addText(event.text);
      case "notice":
        return [...this.#addText(event.text), ...this.#end(event)];
      case "done":
      case "failed":
        return this.#end(event);
      case "reasoning":
      case "withdrawal":
        return [];
      default:
        return event satisfies never;
    }
  }

  #addText(delta: string): readonly string[] {
    const begins = this.#text === "" ? this.#beginText() : [];
    this.#text += delta;
    return [...begins, this.#frame("response.output_text.delta", { ...this.#place, delta, logprobs: [] })];
  }

  #beginText(): readonly string[] {
    const { messageId } = this.#identity;
    return [
      this.#frame("response.output_item.added", { output_index: 0, item: renderMessage(messageId, "", "in_progress") }),
      this.#frame("response.content_part.added", { ...this.#place, part: renderText("") }),
    ];
  }

  /** Where the text is. */
  get #place(): object {
    return { item_id: this.#identity.messageId, output_index: 0, content_index: 0 };
  }

  #end(end: AnswerEnd): readonly string[] {
    const text = this.#text;
    const { messageId } = this.#identity;
    const said =
      text === ""
        ? []
        : [
            this.#frame("response.output_text.done", { ...this.#place, text, logprobs: [] }),
            this.#frame("response.content_part.done", { ...this.#place, part: renderText(text) }),
            this.#frame("response.output_item.done", { output_index: 0, item: renderMessage(messageId, text, "completed") }),
          ];
    const calls = end.type === "done" ? end.calls : [];
    const called = calls.flatMap((call, index) => this.#call(call, index + (text === "" ? 0 : 1)));
    return [...said, ...called, this.#frame(endType(end), { response: renderResponse(this.#identity, text, end) })];
  }

  #call(call: ToolCall, outputIndex: number): readonly string[] {
    const place = { item_id: `fc_${call.id}`, output_index: outputIndex };
    const text = JSON.stringify(call.arguments);
    return [
      this.#frame("response.output_item.added", { output_index: outputIndex, item: renderCall(call, "in_progress") }),
      this.#frame("response.function_call_arguments.delta", { ...place, delta: text }),
      this.#frame("response.function_call_arguments.done", { ...place, name: call.name, arguments: text }),
      this.#frame("response.output_item.done", { output_index: outputIndex, item: renderCall(call, "completed") }),
    ];
  }

  #frame(type: string, fields: object): string {
    const data = { type, sequence_number: this.#number++, ...fields };
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
