import { checkLedger, describeLedger } from "@factotum/testing-chaos";
import type { Ledger, LedgerInput } from "@factotum/testing-chaos";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { prepareReply, startAnthropicServer, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer, PreparedReply } from "@factotum/testing-providers";
import { chatOf, personOf, productConfig } from "../scene/product-config.ts";
import { makeSoakHome } from "./soak-home.ts";

/** Timeout of one turn. Not a measurement. */
const TURN_LIMIT_MS = 120_000;

/** One in this many turns runs a command. */
const TOOL_EVERY = 40;

/** One in this many people talks over HTTP, the others in chats. */
const HTTP_EVERY = 2;

/**
 * One in this many people is an owner in chats, who sends the messages that need a command. Ids of owners are in every prompt: thousands of them would dominate
 * the requests.
 */
const OWNER_EVERY = 100;

const TOOL_WORDS = "with a command";
const ANSWER = "All is well.";

/** Many people, a platform, and a model that answers at once. */
export class SoakScene implements AsyncDisposable {
  readonly product: Product;
  readonly #feishu: FakeFeishu;
  readonly #model: AnthropicServer;
  readonly #said: LedgerInput[] = [];
  readonly #waiting = new Map<string, () => void>();
  #looked = 0;

  private constructor(parts: { readonly product: Product; readonly feishu: FakeFeishu; readonly model: AnthropicServer }) {
    this.product = parts.product;
    this.#feishu = parts.feishu;
    this.#model = parts.model;
    this.#feishu.watch(() => this.#recordSent());
  }

  static async start(options: {
    readonly sessions: number;
    readonly entry?: string;
    readonly env: Readonly<Record<string, string>>;
  }): Promise<SoakScene> {
    const { sessions, entry, env } = options;
    const all = Array.from({ length: sessions }, (_, index) => index);
    const people = all.map(personOf);
    const feishu = await FakeFeishu.start({ people, chats: all.map(chatOf), keepsConnections: true });
    const model = await startAnthropicServer();
    const answer = prepareReply(ANSWER);
    model.instantReply((body) => (wantsTool(body) ? prepareCall() : answer));
    const owners = people.filter((_, index) => index % OWNER_EVERY === 0);
    const config = productConfig(feishu, model.baseUrl, { people, owners });
    const product = await startProduct({ config, env, home: await makeSoakHome(), ...(entry !== undefined && { entry }) });
    return new SoakScene({ product, feishu, model });
  }

  /** One complete turn. `number` names it, and determines its kind. */
  async turn(number: number, person: number): Promise<void> {
    const hasTool = number % TOOL_EVERY === 0;
    const text = `Message ${number}, please look after it${hasTool ? ` ${TOOL_WORDS}` : ""}.`;
    if (person % HTTP_EVERY === 1) await this.#ask(text, person);
    else await this.#say(number, text, hasTool ? person - (person % OWNER_EVERY) : person);
  }

  /** No turn is running: idle pooled connections are closed. Their number is the past maximum of concurrent ones. */
  closeIdleConnections(): void {
    this.#feishu.closeIdleConnections();
    this.#model.closeIdleConnections();
  }

  /** Stops the product. Rejects if it does not stop cleanly. */
  async stop(): Promise<void> {
    const { code } = await this.product.end("SIGTERM");
    if (code !== 0) throw new Error(`The product did not stop cleanly (${code}). It printed:\n${this.product.output()}`);
  }

  /** Problems with the answers in the chats, for people: each message must have one, in its own chat. */
  ledgerProblems(): string[] {
    const ledger: Ledger = {
      inputs: this.#said,
      sends: this.#feishu.sent.map(({ messageId, receiveId, parentId }) => {
        return { id: messageId, conversation: receiveId, answers: parentId, part: 0, shown: true, onWireAtKill: false };
      }),
      idempotentSends: true,
    };
    const report = checkLedger(ledger);
    return report.isClean ? [] : describeLedger(ledger, report).split("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.product[Symbol.asyncDispose]();
    await this.#model.close();
    await this.#feishu[Symbol.asyncDispose]();
  }

  async #say(number: number, text: string, person: number): Promise<void> {
    const { app } = this.#feishu;
    const chatId = chatOf(person);
    const messageId = `om_${String(number).padStart(32, "0")}`;
    this.#feishu.addInbound({ messageId, chatId });
    this.#said.push({ id: messageId, conversation: chatId, acknowledged: true });
    const sender = { senderOpenId: personOf(person), messageId };
    const event = feishuMessageEvent(app, { chatId, chatType: "p2p", messageType: "text", content: { text }, ...sender });
    const answered = Promise.withResolvers<void>();
    this.#waiting.set(messageId, answered.resolve);
    const limit = setTimeout(
      () => answered.reject(new Error(`Message ${number} was not answered. The product printed:\n${this.product.output()}`)),
      TURN_LIMIT_MS,
    );
    try {
      const taken = await fetch(feishuWebhookRequest(app, `${this.product.url}/channels/feishu/default`, event));
      await taken.arrayBuffer();
      if (!taken.ok) throw new Error(`Message ${number} was not taken: ${taken.status}.`);
      await answered.promise;
    } finally {
      clearTimeout(limit);
      this.#waiting.delete(messageId);
    }
  }

  async #ask(text: string, person: number): Promise<void> {
    const { url, token } = this.product;
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      signal: AbortSignal.timeout(TURN_LIMIT_MS),
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, "x-factotum-session": `soak-${person}` },
      body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: text }] }),
    });
    const answer = await response.text();
    if (!answer.includes(ANSWER)) throw new Error(`A turn over HTTP was answered with ${response.status}: ${answer.slice(0, 500)}`);
  }

  #recordSent(): void {
    for (const { parentId } of this.#feishu.sent.slice(this.#looked)) this.#waiting.get(parentId ?? "")?.();
    this.#looked = this.#feishu.sent.length;
    // They are not needed any more, and a long run makes hundreds of thousands.
    this.#feishu.requests.length = 0;
  }
}

/** True while the newest message that asks for the tool has no result. */
function wantsTool(body: Buffer): boolean {
  return body.lastIndexOf(TOOL_WORDS) > Math.max(body.lastIndexOf('"tool_result"'), body.lastIndexOf(ANSWER));
}

/** Created for each answer, so that ids of calls do not repeat. */
function prepareCall(): PreparedReply {
  const reply = toolReply({ name: "exec", input: { command: "true" } });
  if (reply.type !== "message") throw new TypeError("A call is a message.");
  return prepareReply(reply);
}
