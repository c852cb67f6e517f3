import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A channel with a login: a text, a link, a QR code and a question, whose right answer is `1234`. It is connected after it. */
const ENTRY = `
let isLoggedIn = false;
const CAPABILITIES = {
  addressing: "platform",
  inbound: { delivery: "redelivers", transport: "polling" },
  text: { maxLength: 2000, unit: "utf16", markdown: "none", dialect: "plain" },
  threads: "flat", edit: false, delete: false, reactions: false, polls: false, typing: false, media: [],
  nativeCommands: false, buttons: false, cards: false, streaming: "none", optional: ["login"],
};
const create = (_, host) => ({
  capabilities: CAPABILITIES,
  start: async () => {},
  handleWebhook: async () => new Response(undefined, { status: 404 }),
  send: async () => ({ type: "rejected", code: "rejected", retry: { type: "never" } }),
  act: async () => { throw new Error("no actions"); },
  fetchAttachment: async () => { throw new Error("no attachments"); },
  fetchContext: async () => ({}),
  resolveTarget: async (id) => ({ channel: "lantern", accountId: host.accountId, conversation: { kind: "direct", id } }),
  health: () => (isLoggedIn ? { state: "connected" } : { state: "disconnected", detail: "nobody has logged in" }),
  stop: async () => {},
  async *login() {
    yield { type: "text", text: "Open Lantern on your phone." };
    yield { type: "link", url: "https://lantern.example/help", text: "Help:" };
    yield { type: "link", url: "javascript:alert(1)", text: "Not a web address:" };
    yield { type: "qr", content: "lantern:pair:42", text: "Scan this code." };
    const { promise, resolve } = Promise.withResolvers();
    yield { type: "ask", text: "Code on your phone", isSecret: false, answer: resolve };
    if ((await promise) !== "1234") return;
    isLoggedIn = true;
    yield { type: "done", text: "Logged in as Lamp." };
  },
});
const parse = (config) => config;
export const lanternExtension = {
  id: "lantern", api: 1, create,
  configSchema: { parse, safeParse: (config) => ({ success: true, data: config }) },
};
`;

/** Installs the extension in a state directory, as `factotum plugins add` leaves it. */
export async function writeLoginExtension(home: string): Promise<void> {
  const folder = "extensions/project-1/node_modules/lantern-post";
  const factotum = {
    api: 1,
    provides: [{ type: "channel", id: "lantern", entry: "./dist/index.mjs", configSchema: "./dist/config.schema.json" }],
    permissions: [],
  };
  const files = {
    [`${folder}/package.json`]: JSON.stringify({ name: "lantern-post", version: "1.0.0", type: "module", files: ["dist"], factotum }),
    [`${folder}/dist/index.mjs`]: ENTRY,
    [`${folder}/dist/config.schema.json`]: JSON.stringify({ type: "object", properties: {}, additionalProperties: false }),
    "extensions/project-1/package.json": JSON.stringify({ private: true, factotum: { extensions: ["lantern-post"] } }),
    "extensions/current": "project-1\n",
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), text);
  }
}
