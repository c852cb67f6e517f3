import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What the sample adapter has sent, and the adapter itself. */
export interface SampleModule {
  readonly sent: readonly { readonly threadId: string; readonly message: unknown }[];
  readonly adapters: readonly SampleAdapter[];
}

/** Controls of the sample adapter. */
interface SampleAdapter {
  readonly options: Readonly<Record<string, unknown>> & { readonly logger: { warn(message: string, fields: object): void } };
  /** An event that no request brought. */
  happen(event: object): Promise<unknown>;
}

/** A folder of the owner with an installed adapter. */
export interface SampleProject extends AsyncDisposable {
  /** Where the channel is, below the folder. */
  readonly from: string;
  /** The folder itself. */
  readonly folder: string;
  load(): Promise<SampleModule>;
}

/** A small adapter: a request has one event, and what it renders is more than twice as long. */
const SOURCE = `
export const sent = [];
export const adapters = [];
export function createSampleAdapter(options) {
  if (options.refuse) throw new Error("no \\"secret words\\" today");
  let chat;
  const post = (threadId, message) => ({ id: "sent-" + sent.push({ threadId, message }), threadId, raw: {} });
  const authorOf = (id) => ({ userId: id, userName: id, fullName: "The " + id, isBot: false, isMe: id === "me" });
  const messageOf = (event) => ({
    id: event.id, threadId: event.thread, text: event.text, formatted: event.formatted ?? { type: "root", children: [] }, raw: event,
    author: authorOf(event.from), attachments: event.attachments ?? [], links: [],
    metadata: { dateSent: new Date(1_700_000_000_000), edited: event.edited === true },
  });
  const take = (event, given) => {
    const adapter = self;
    if (event.type === "delete") return chat.processMessageDeleted({ adapter, channelId: event.thread, threadId: event.thread, messageId: event.id, raw: event, previousMessage: event.from && messageOf(event) }, given);
    if (event.type === "command") return chat.processSlashCommand({ adapter, channelId: event.thread, command: "/think", text: "high", user: authorOf(event.from), raw: event }, given);
    if (event.type === "broken") return chat.processMessage(adapter, event.thread, async () => { throw new Error("unreadable"); }, given);
    return chat.processMessage(adapter, event.thread, messageOf(event), given);
  };
  const self = {
    name: "sample", userName: "sample", options,
    async initialize(given) { chat = given; if (options.fails) throw Object.assign(new Error("offline"), { code: "NETWORK_ERROR", originalError: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) }); },
    async handleWebhook(request, given) {
      const event = await request.json();
      if (event.type === "throws") throw new TypeError("what is this?");
      if (event.type === "fails") throw Object.assign(new Error("later"), { code: "NETWORK_ERROR" });
      if (event.type === "state") { await chat.getState().set("seen", event.id); return new Response("no", { status: event.status }); }
      if (event.type === "seen") return new Response(String(await chat.getState().get("seen")));
      take(event, given);
      return new Response("taken");
    },
    happen: (event) => take(event),
    postMessage: async (threadId, message) => (message.markdown === "hang" ? new Promise(() => post(threadId, message)) : post(threadId, message)),
    channelIdFromThreadId: (id) => id.split(":").slice(0, 2).join(":"),
    decodeThreadId: (id) => id,
    isDM: (id) => id.startsWith("sample:d"),
    parseMessage() { throw new Error("no message"); },
    renderFormatted: (root) => JSON.stringify(root).repeat(2),
    getUser: async (id) => (id === "ada" ? { userId: "ada", userName: "ada", fullName: "Ada", isBot: false } : null),
    fetchThread: async (id) => ({ id, channelId: id, channelName: "The room", metadata: {} }),
  };
  adapters.push(self);
  return self;
}
`;

const PACKAGE = {
  name: "sample-adapter",
  version: "1.2.3",
  type: "module",
  exports: { ".": { types: "./x.d.ts", import: "./index.mjs" } },
};

/** Installs the sample adapter in a temporary folder. */
export async function installSample({
  source = SOURCE,
  manifest = { dependencies: { chat: "4.41.1" } },
  listed = true,
}: {
  readonly source?: string;
  readonly manifest?: object;
  readonly listed?: boolean;
} = {}): Promise<SampleProject> {
  const folder = await mkdtemp(join(tmpdir(), "factotum-chat-sdk-"));
  const adapter = join(folder, "node_modules", "sample-adapter");
  const from = join(folder, "project-1", "node_modules", "@factotum", "chat-sdk", "dist");
  await mkdir(adapter, { recursive: true });
  await mkdir(from, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify(listed ? { dependencies: { "sample-adapter": "1.2.3" } } : {}));
  await writeFile(join(adapter, "package.json"), JSON.stringify({ ...PACKAGE, ...manifest }));
  await writeFile(join(adapter, "index.mjs"), source);
  return {
    folder,
    from,
    load: async () => (await import(pathToFileURL(join(adapter, "index.mjs")).href)) as SampleModule,
    [Symbol.asyncDispose]: async () => rm(folder, { recursive: true, force: true }),
  };
}
