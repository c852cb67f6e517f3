import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The JSON Schema of an account of the test channel. */
const SCHEMA = {
  type: "object",
  properties: {
    loft: { type: "string", format: "uri", description: "Address of the loft." },
    token: { type: "string", minLength: 1, description: "The loft's token." },
    flock: { type: "string", enum: ["grey", "white"], default: "grey", description: "Kind of pigeons." },
  },
  required: ["loft", "token"],
  additionalProperties: false,
};

/** Sends texts as HTTP posts to the loft, and asks the loft for messages, one long poll after the other. */
const ENTRY = `
const CAPABILITIES = {
  addressing: "platform",
  inbound: { delivery: "redelivers", transport: "polling" },
  text: { maxLength: 2000, unit: "utf16", markdown: "none", dialect: "plain" },
  threads: "flat", edit: false, delete: false, reactions: false, polls: false, typing: false, media: [],
  nativeCommands: false, buttons: false, cards: false, streaming: "none", optional: ["probe"], events: ["moved"],
};
const parse = (config) => {
  if (typeof config?.loft !== "string" || typeof config?.token !== "string") throw new Error("loft and token are needed");
  return config;
};
function create({ loft, token }, host) {
  const stopping = new AbortController();
  let state = "starting";
  let polling;
  const call = async (path, init = {}) => {
    const response = await host.fetch(new URL(path, loft), { ...init, headers: { authorization: token, "content-type": "application/json" } });
    if (!response.ok) throw new Error("the loft answered " + response.status);
    return response.json();
  };
  const originOf = (id, kind = "direct") => ({ channel: "pigeon", accountId: host.accountId, conversation: { kind, id } });
  const poll = async () => {
    while (!stopping.signal.aborted) {
      try {
        const { messages } = await call("/messages", { signal: stopping.signal });
        state = "connected";
        for (const { id, from, text, group, movedTo } of messages) {
          await host.receive({
            origin: group === undefined ? originOf(from) : originOf(group, "group"), eventId: id, messageId: id, timestampMs: host.clock.now(),
            event: movedTo === undefined ? { type: "message" } : { type: "moved", to: { kind: "group", id: movedTo } },
            sender: { id: from, isBot: false }, text, mentionsBot: group !== undefined, attachments: [],
          });
          await call("/acknowledge", { method: "POST", body: JSON.stringify({ id }), signal: stopping.signal });
        }
      } catch (error) {
        if (stopping.signal.aborted) return;
        state = "disconnected";
        await new Promise((resolve) => host.clock.schedule(200, resolve));
      }
    }
  };
  return {
    capabilities: CAPABILITIES,
    start: async () => { polling ??= poll(); },
    handleWebhook: async () => new Response(undefined, { status: 404 }),
    send: async (target, outbound, { signal }) => {
      if (outbound.type !== "text") return { type: "rejected", code: "rejected", retry: { type: "never" } };
      const { id } = await call("/send", { method: "POST", body: JSON.stringify({ to: target.conversation.id, text: outbound.text }), signal });
      return { type: "accepted", messageIds: [id] };
    },
    act: async () => { throw new Error("no actions"); },
    fetchAttachment: async () => { throw new Error("no attachments"); },
    fetchContext: async () => ({}),
    resolveTarget: async (query) => originOf(query),
    health: () => ({ state }),
    probe: async ({ signal }) => ({ account: await call("/me", { signal }), missingPermissions: [] }),
    stop: async () => { stopping.abort(); await polling; state = "stopped"; },
  };
}
export const pigeonExtension = {
  id: "pigeon", api: 1, create,
  configSchema: {
    parse,
    safeParse: (config) =>
      /^ftp:/.test(config.loft)
        ? { success: false, error: { issues: [{ code: "custom", path: ["loft"], message: "an address of http or https is expected" }] } }
        : { success: true, data: parse(config) },
  },
};
`;

/** The faults that a test package can have. */
export const FAULTY_ENTRIES = {
  "missing export": "export const other = {};",
  throws: 'throw new Error("no wings");',
  hangs: "await new Promise(() => {});",
  "is no extension": "export const pigeonExtension = {};",
  "has another id": 'export const pigeonExtension = { id: "raven", api: 1, configSchema: { parse: (x) => x }, create: () => ({}) };',
} as const;

/** Parts of the test package that differ. */
export interface PackageOptions {
  readonly name?: string;
  readonly version?: string;
  readonly entry?: string;
  /** Merged into the manifest. */
  readonly manifest?: object;
  readonly id?: string;
  /** Text of the schema file; null leaves it out. */
  readonly schema?: string | null;
}

/** Writes the package of a channel with a foreign name: plain JavaScript without dependencies. */
export async function writeExtension(folder: string, options: PackageOptions = {}): Promise<string> {
  const { name = "pigeon-post", version = "1.0.0", entry = ENTRY, manifest = {}, id = "pigeon", schema = JSON.stringify(SCHEMA) } = options;
  const factotum = {
    api: 1,
    provides: [{ type: "channel", id, entry: "./dist/index.mjs", configSchema: "./dist/config.schema.json" }],
    permissions: ["network:127.0.0.1", "secrets:LOFT_TOKEN"],
    ...manifest,
  };
  const files = {
    "package.json": JSON.stringify({ name, version, type: "module", files: ["dist"], factotum }),
    "dist/index.mjs": entry,
    ...(schema === null ? {} : { "dist/config.schema.json": schema }),
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return folder;
}

/** Writes a project with listed packages as `factotum plugins` leaves it in a state directory. */
export async function writeInstalled(home: string, packages: readonly PackageOptions[]): Promise<string> {
  const project = join(home, "extensions", "project-1");
  const names: string[] = [];
  for (const options of packages) {
    const { name = "pigeon-post" } = options;
    await writeExtension(join(project, "node_modules", name), options);
    names.push(name);
  }
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, factotum: { extensions: names } }));
  await writeFile(join(home, "extensions", "current"), "project-1\n");
  return project;
}

/** Writes a package that brings skills, each with the given body, and nothing else. */
export async function writeSkillPackage(folder: string, bodies: Readonly<Record<string, string>>, version = "1.0.0"): Promise<string> {
  const factotum = { api: 1, provides: [{ type: "skills", path: "./skills" }] };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "bird-skills", version, files: ["skills"], factotum }));
  for (const [name, body] of Object.entries(bodies)) {
    const file = join(folder, "skills", name, "SKILL.md");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `---\nname: ${name}\ndescription: The skill ${name}.\n---\n\n${body}\n`);
  }
  return folder;
}
