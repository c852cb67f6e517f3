import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ApprovalDecision } from "@factotum/protocol";
import { FakeFeishu, feishuMessageEvent, feishuWebhookRequest } from "@factotum/testing-channels";
import type { FeishuMessageInput } from "@factotum/testing-channels";
import { sayText, startStrictServer } from "@factotum/testing-providers";
import type { CapturedRequest, StrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { CommandOutcome, Product } from "@factotum/testing-product";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { decideApprovals } from "./decide-approvals.ts";
import { checkedOfficially } from "./check-official.ts";
import { feishuConfig, waitForSent } from "./feishu-scene.ts";

export const GROUP = "oc_group";
const PEOPLE = ["ou_owner", "ou_anna", "ou_bert", "ou_second"] as const;

/** The sender. `ou_owner` is the owner, `ou_second` another account of the owner's that only `session.identityLinks` knows. */
export type Person = (typeof PEOPLE)[number];

/** Options of a message. */
interface SayOptions {
  /** Messages that the bot sends in response; 1 by default. */
  readonly count?: number;
  readonly chatId?: string;
  /** Further fields of the event: mentions, another message type, the message that is replied to. */
  readonly event?: Partial<FeishuMessageInput>;
}

/** An owner, guests and a group on Feishu, and a model that repeats every canary word of its context. */
export interface GuestScene extends AsyncDisposable {
  readonly model: StrictServer;
  readonly feishu: FakeFeishu;
  readonly product: Product;
  /**
   * Sends a message, to a group if one is named, and returns what the bot has sent once there are `count` messages more, apart from requests for a decision.
   */
  say(person: Person, text: string, options?: SayOptions): Promise<readonly string[]>;
  /** The owner, with the gateway's token. */
  owner(text: string): Promise<string>;
  command(...args: readonly string[]): Promise<CommandOutcome>;
  /** Canary words in the newest model request, by first appearance. */
  readonly given: readonly string[];
  /** The newest model request, as text. */
  readonly request: string;
  /** Everything that the bot has sent. */
  readonly sent: readonly string[];
  /** Resolves once the bot has sent this many messages in total. */
  waitForSent(count: number): Promise<void>;
  /** Stops the product, with SIGTERM or another signal, and starts it again on the same state, with these settings. */
  restart(session: object, signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Applies these settings without a restart. */
  reload(session: object): Promise<void>;
}

/**
 * Starts it, with tool calls denied that need the owner's decision. With these keys of `session`, these files in the owner's workspace, settings of the group,
 * further keys of the configuration, and variables of the product.
 */
export async function startGuestScene(
  session: object = {},
  {
    files = {},
    group = {},
    extra = {},
    env = {},
    decision,
  }: {
    readonly files?: Readonly<Record<string, string>>;
    readonly group?: object;
    readonly extra?: object;
    readonly env?: Readonly<Record<string, string>>;
    /** The owner's decision on each call that waits for one; by default it is denied. */
    readonly decision?: (() => ApprovalDecision) | undefined;
  } = {},
): Promise<GuestScene> {
  const feishu = await FakeFeishu.start({ people: PEOPLE, chats: [GROUP, ...PEOPLE.map(chatOf)] });
  const model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond((request) => sayText(`I know: ${canaries(request).join(" ")}.`));
  const home = await mkdtemp(path.join(tmpdir(), "factotum-guests-"));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(home, "workspace", name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const configOf = (keys: object): object => ({
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" } } },
    session: keys,
    tools: { exec: { mode: "full" } },
    ...feishuConfig(feishu, "ou_owner", { allowFrom: [...PEOPLE], groups: { [GROUP]: group } }),
    ...extra,
  });
  let product = await startProduct({ config: configOf(session), home, env });
  await decideApprovals(product, decision);
  const request = (): CapturedRequest => {
    const newest = model.requests.findLast(({ method }) => method === "POST");
    if (newest === undefined) throw new Error("no request was made");
    return newest;
  };
  return {
    model,
    get product() {
      return product;
    },
    feishu,
    say: async (person, text, { count = 1, chatId = chatOf(person), event: input = {} } = {}) => {
      const before = feishu.sent.length;
      const messageId = `om_${randomBytes(16).toString("hex")}`;
      const isGroup = chatId === GROUP;
      const event = feishuMessageEvent(feishu.app, {
        chatId,
        chatType: isGroup ? "group" : "p2p",
        messageType: "text",
        content: { text: isGroup ? `@_user_1 ${text}` : text },
        senderOpenId: person,
        messageId,
        ...(isGroup ? { mentions: [{ key: "@_user_1", openId: feishu.app.bot.openId, name: feishu.app.bot.name }] } : {}),
        ...input,
      });
      feishu.addInbound({ messageId, chatId });
      await fetch(feishuWebhookRequest(feishu.app, `${product.url}/channels/feishu/default`, event));
      const answers = (): readonly string[] => feishu.sent.slice(before).map(({ content }) => JSON.stringify(content));
      // A request for a decision is no answer.
      const others = (): number => answers().filter((text) => text.includes("/approve ") || text.includes("asked in private")).length;
      for (let expected = count; feishu.sent.length - before < expected; expected = count + others())
        await waitForSent(feishu, before + expected);
      return answers();
    },
    owner: async (text) => (await runCommand(["agent", "--message", text], { home })).stdout,
    command: async (...args) => runCommand(args, { home }),
    get given() {
      return canaries(request());
    },
    get request() {
      return JSON.stringify(request().body);
    },
    get sent() {
      return feishu.sent.map(({ content }) => JSON.stringify(content));
    },
    waitForSent: async (count) => waitForSent(feishu, count),
    restart: async (keys, signal = "SIGTERM") => {
      await product.end(signal);
      product = await startProduct({ config: configOf(keys), home, env });
      await decideApprovals(product, decision);
    },
    reload: async (keys) => {
      await writeFile(path.join(home, "factotum.json5"), JSON.stringify(configOf(keys)));
      using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
      await client.request("config.reload", {});
    },
    [Symbol.asyncDispose]: async () => {
      await product[Symbol.asyncDispose]();
      await model.close();
      await feishu[Symbol.asyncDispose]();
    },
  };
}

/** The direct chat of a person. */
function chatOf(person: string): string {
  return `oc_${person.slice("ou_".length)}`;
}

/** What an echo of a request would reveal. */
function canaries({ body }: CapturedRequest): readonly string[] {
  return [...new Set(JSON.stringify(body).match(/canary-[a-z]+/g) ?? [])];
}
