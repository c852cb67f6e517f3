import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fullDocument, sampleChannels } from "../../test/sample.ts";
import { formatKeyPath, parseKeyPath, valueAt, withValue, without, type KeyPath } from "../document/key-path.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { PROVIDER_NAMES } from "../models/provider-names.ts";
import { ConfigDocumentSchema } from "../schema/root.ts";
import { loadChannelSchemas } from "./channel-source.ts";
import { configJsonSchema, knownKeys } from "./json-schema.ts";
import { formatProblem, isFatal, type ConfigProblem } from "./problem.ts";
import { isRestriction } from "./restrictions.ts";
import { validateDocument } from "./validate-document.ts";

const { channels } = sampleChannels();
const schema = configJsonSchema(await loadChannelSchemas(channels));

/** Every path of the full document at which the schema names the key: maps with free names are excluded. */
function namedPaths(value: unknown, path: KeyPath = []): KeyPath[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => namedPaths(entry, [...path, index]));
  if (!isPlainObject(value)) return [];
  const known = knownKeys(schema, path);
  return Object.entries(value).flatMap(([key, entry]) => [
    ...(known.includes(key) ? [[...path, key]] : []),
    ...namedPaths(entry, [...path, key]),
  ]);
}

const isFree = (path: KeyPath): boolean => /^(tools\.web\.\w+|.*\.(params|config))$/.test(formatKeyPath(path));
const paths = namedPaths(fullDocument).filter((path) => !isSecretForm(path));

/** `{env}`, `{file}` and `{exec}` are forms of a value, not keys of the schema. */
function isSecretForm(path: KeyPath): boolean {
  const parent = valueAt(fullDocument, path.slice(0, -1));
  return (
    isPlainObject(parent) && Object.keys(parent).length === 1 && ["env", "file", "exec"].includes(String(path.at(-1))) && path.length > 2
  );
}

/** A value of another type than the present one. No key accepts a list of lists of booleans. */
const WRONG = [[true]];

async function check(document: Document): Promise<{ readonly types: readonly string[]; readonly paths: readonly string[] }> {
  const { problems, valid } = await validateDocument(document, channels);
  expect(valid === undefined).toBe(problems.some(isFatal));
  return { types: problems.map(({ type }) => type), paths: problems.map(({ path }) => path) };
}

test("accepts the full document, which sets every key of the schema", async () => {
  expect(paths.length).toBeGreaterThan(200);
  expect(await check(fullDocument)).toEqual({ types: [], paths: [] });
  const missing = Object.keys(ConfigDocumentSchema.parse({}) as object).filter((key) => !Object.hasOwn(fullDocument, key));
  expect(missing).toEqual([]);
  const unset = allObjects(fullDocument).flatMap((path) =>
    knownKeys(schema, path)
      .filter((key) => valueAt(fullDocument, [...path, key]) === undefined)
      .map((key) => formatKeyPath([...path, key])),
  );
  // Refused restrictions, other forms of the same value, keys of only the defaults or only the list, and inherited keys.
  const elsewhere =
    /^(\$schema|models\.providers\.shared\.|agents\.list|channels\.(defaults|webchat|chatter\.)|mcp\.servers|.*\.(env|file|exec)$|.*\.(resetBy\w+)\..*|tools\.(byProvider|approvals$|exec\.allow$)|agents\.defaults\.sandbox\.network$|.*groups\.g1\.tools)/;
  expect(unset.filter((path) => !elsewhere.test(path))).toEqual([]);
});

function allObjects(value: unknown, path: KeyPath = []): KeyPath[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => allObjects(entry, [...path, index]));
  if (!isPlainObject(value) || isFree(path)) return [];
  return [path, ...Object.entries(value).flatMap(([key, entry]) => allObjects(entry, [...path, key]))];
}

/** The problem reported for a misspelt key: if it is a restriction, or is above or below one, the start is refused. */
function typeOfMisspelt(path: KeyPath): RegExp {
  const place = formatKeyPath(path);
  const lost = paths.filter((other) => formatKeyPath(other) === place || /^[.[]/.test(below(formatKeyPath(other), place)));
  // A missing channel admits no one.
  return lost.some(isRestriction) && place !== "channels.chatter" ? /^unenforced$/ : /^unknown-(key|channel)$/;
}

function below(path: string, place: string): string {
  return path.startsWith(place) ? path.slice(place.length) : "";
}

/** Every key of a large document, one at a time. */
describe("every key", () => {
  test("is an unknown key when misspelt, with a suggestion", async () => {
    const wrong: string[] = [];
    // A missing discriminator is reported before the other keys are known.
    const isDiscriminator = (path: KeyPath): boolean => path.at(-1) === "type" && path.at(-2) === "transport";
    // The other keys of `broadcast` are ids.
    const isAmongIds = (path: KeyPath): boolean => path[0] === "broadcast" && path.length > 1;
    for (const path of paths.filter((candidate) => !isDiscriminator(candidate) && !isAmongIds(candidate))) {
      const key = String(path.at(-1));
      const typo = [...path.slice(0, -1), `${key}x`];
      const document = withValue(without(fullDocument, path), typo, valueAt(fullDocument, path));
      const { problems, valid } = await validateDocument(document, channels);
      const place = formatKeyPath(typo);
      if (valid !== undefined && !/^channels(\.chatter)?(\.accounts)?$/.test(formatKeyPath(path))) {
        expect(Object.keys(valid.channels["chatter"]?.accounts ?? {}), place).toEqual(["work"]);
      }
      const found = problems.filter((problem) => problem.path === place && typeOfMisspelt(path).test(problem.type));
      if (found[0]?.message.includes(`did you mean "${key}"?`) !== true) wrong.push(`${place}: ${problems.map(formatProblem).join(" | ")}`);
    }
    expect(wrong).toEqual([]);
  });

  test("is reported at its path when its value has the wrong type", async () => {
    for (const path of paths.filter((candidate) => !isFree(candidate))) {
      const { types, paths: places } = await check(withValue(fullDocument, path, WRONG));
      expect(types, formatKeyPath(path)).toContain(isRestriction(path) ? "unenforced" : "invalid-value");
      expect(
        places.some((place) => place.startsWith(formatKeyPath(path))),
        `${formatKeyPath(path)}: ${places.join()}`,
      ).toBe(true);
    }
  });

  test("has a default or is reported as missing", async () => {
    const needed: string[] = [];
    for (const path of paths) {
      const { types, paths: places } = await check(without(fullDocument, path));
      // A binding to a removed account is worth knowing.
      expect(types.every((type) => /^(?:invalid-value|notice)$/.test(type) || (type === "unenforced" && isRestriction(path)))).toBe(true);
      if (types.length > 0) needed.push(`${formatKeyPath(path)} -> ${places.join()}`);
    }
    expect(needed).toMatchInlineSnapshot(`
      [
        "agents -> bindings[0].agentId",
        "agents.defaults.model.primary -> agents.defaults.model.primary",
        "agents.defaults.heartbeat.every -> agents.defaults.heartbeat.every",
        "agents.defaults.heartbeat.activeHours.start -> agents.defaults.heartbeat.activeHours.start",
        "agents.defaults.heartbeat.activeHours.end -> agents.defaults.heartbeat.activeHours.end",
        "agents.list -> bindings[0].agentId",
        "agents.list[0].id -> agents.list[0].id",
        "agents.list[1].id -> agents.list[1].id",
        "session.reset.idleMinutes -> session.reset.idleMinutes",
        "session.sendPolicy.rules[0].action -> session.sendPolicy.rules[0].action",
        "messages.tts.provider -> messages.tts.provider",
        "tools.agentToAgent.allow[0].from -> tools.agentToAgent.allow[0].from",
        "tools.agentToAgent.allow[0].to -> tools.agentToAgent.allow[0].to",
        "tools.web.search.baseUrl -> tools.web.search.baseUrl",
        "channels -> bindings[0].match.accountId,broadcast.chatter:g1",
        "channels.chatter -> bindings[0].match.accountId,broadcast.chatter:g1",
        "channels.chatter.accounts -> channels.chatter.appId,channels.chatter.appSecret,channels.chatter.transport,bindings[0].match.accountId",
        "channels.chatter.accounts.work.appId -> channels.chatter.accounts.work.appId",
        "channels.chatter.accounts.work.appSecret -> channels.chatter.accounts.work.appSecret",
        "channels.chatter.accounts.work.transport -> channels.chatter.accounts.work.transport",
        "channels.chatter.accounts.work.transport.type -> channels.chatter.accounts.work.transport.type",
        "channels.chatter.accounts.work.transport.encryptKey -> channels.chatter.accounts.work.transport.encryptKey",
        "channels.chatter.accounts.work.allowFrom -> channels.chatter.accounts.work.dmPolicy",
        "bindings[0].agentId -> bindings[0].agentId",
        "bindings[0].match -> bindings[0].match",
        "bindings[0].match.channel -> bindings[0].match.channel",
        "bindings[0].match.accountId -> bindings[0].match.accountId",
        "bindings[0].match.peer.kind -> bindings[0].match.peer.kind",
        "bindings[0].match.peer.id -> bindings[0].match.peer.id",
        "bindings[0].type -> bindings[0].acp",
        "bindings[0].acp -> bindings[0].acp",
        "bindings[0].acp.agent -> bindings[0].acp.agent",
        "models.providers.local.api -> models.providers.local.api",
        "models.providers.local.models[0].id -> models.providers.local.models[0].id",
        "models.providers.local.models[0].cost.input -> models.providers.local.models[0].cost.input",
        "models.providers.local.models[0].cost.output -> models.providers.local.models[0].cost.output",
        "models.providers.shared.api -> models.providers.shared.api",
        "models.providers.shared.credentials.work.apiKey -> models.providers.shared.credentials.work.apiKey",
        "models.providers.shared.credentials.home.apiKey -> models.providers.shared.credentials.home.apiKey",
        "models.transcription.command -> models.transcription.command",
        "mcp -> acp.agents.coder.mcpServers[0]",
        "mcp.servers -> acp.agents.coder.mcpServers[0]",
        "mcp.servers.files.command -> mcp.servers.files.command",
        "mcp.servers.files.trusted -> mcp.servers.files.sampling",
        "mcp.servers.remote.url -> mcp.servers.remote.url",
        "acp -> bindings[0].acp.agent",
        "acp.agents -> bindings[0].acp.agent",
        "acp.agents.coder.command -> acp.agents.coder.command",
        "lsp.servers.ts.command -> lsp.servers.ts.command",
        "commandHooks[0].event -> commandHooks[0].event",
        "commandHooks[0].command -> commandHooks[0].command",
        "hooks.mappings[0].name -> hooks.mappings[0].name",
        "memory.embeddings.model -> memory.embeddings.model",
      ]
    `);
  });
});

test.each([
  [{ apiKey: "k", credentials: { work: { apiKey: "k" } } }, "models.providers.local.apiKey"],
  [{ credentials: { "1": { apiKey: "k" } } }, "models.providers.local.credentials"],
  [{ credentials: { "Work Account": { apiKey: "k" } } }, "models.providers.local.credentials"],
  [{ models: [{ id: "m", reasoning: false, thinkingLevels: ["low"] }] }, "models.providers.local.models[0].thinkingLevels"],
  [{ models: [{ id: "m", thinkingLevels: [] }] }, "models.providers.local.models[0].thinkingLevels"],
  [{ models: [{ id: "m", tools: "some" }] }, "models.providers.local.models[0].tools"],
])("%j of a provider contradicts itself", async (provider, place) => {
  const { types, paths: places } = await check({ models: { providers: { local: { api: "openai-chat", ...provider } } } });
  expect(types).toEqual(["invalid-value"]);
  expect(places[0]?.startsWith(place), places.join()).toBe(true);
});

test("a provider that is not known by its name needs its wire format", async () => {
  const problems = async (id: string, provider: Document): Promise<readonly ConfigProblem[]> =>
    (await validateDocument({ models: { providers: { [id]: provider } } }, [])).problems;
  expect(await problems("mine", { baseUrl: "http://127.0.0.1:1" })).toEqual([
    {
      type: "invalid-value",
      path: "models.providers.mine.api",
      message: expect.stringContaining('one of "anthropic-messages", "openai-responses", "openai-chat"') as string,
    },
  ]);
  expect((await problems("antropic", {}))[0]?.message).toContain('did you mean "anthropic"?');
  expect(await problems("mine", { api: "openai-chat" })).toEqual([]);
  for (const id of PROVIDER_NAMES) expect(await problems(id, {}), id).toEqual([]);
});

test("never throws for arbitrary JSON, and never accepts it with a fatal problem", async () => {
  const top = fc.constantFrom(...Object.keys(fullDocument), "agent", "__proto__", "other");
  await fc.assert(
    fc.asyncProperty(fc.dictionary(top, fc.jsonValue({ maxDepth: 4 })), async (document) => {
      await check(document as Document);
    }),
    { numRuns: 300 },
  );
});

test("parses rendered key paths", () => {
  const part = fc.oneof(
    fc.nat(9),
    fc.string({ minLength: 1 }).filter((key) => !["__proto__", "constructor", "prototype"].includes(key)),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (path) => {
      expect(parseKeyPath(formatKeyPath(path))).toEqual(path);
    }),
  );
  expect(() => parseKeyPath("a.__proto__.b")).toThrow("cannot be set");
  for (const bad of ["", ".a", "a.", "a..b", "a[x]", "a]b", 'a["b', "a[0]b"]) expect(() => parseKeyPath(bad), bad).toThrow(bad);
});

test("the JSON Schema contains every row and the installed channels", () => {
  const properties = schema["properties"] as Record<string, unknown>;
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(fullDocument)));
  expect(knownKeys(schema, ["channels"])).toEqual(["defaults", "chatter", "webchat"]);
  expect(knownKeys(schema, ["channels", "chatter", "accounts", "any"])).toEqual(
    expect.arrayContaining(["appId", "transport", "dmPolicy", "groups", "textChunkLimit"]),
  );
  expect(knownKeys(schema, ["channels", "chatter", "transport"])).toEqual(expect.arrayContaining(["type", "encryptKey"]));
});

describe("session.sharedMain", () => {
  const binding = { agentId: "main", match: { channel: "webchat" }, session: { dmScope: "main" } };
  const told = async (session: Document, bindings: readonly Document[] = []): Promise<readonly string[]> =>
    (await validateDocument({ session, bindings: [...bindings] }, channels)).problems.map(({ type, path }) => `${type} ${path}`);

  test("is reported where scope global or a binding to main needs it for other people, and the file is used", async () => {
    expect(await told({ scope: "global" }, [{ agentId: "main", match: { channel: "webchat", accountId: "*" } }, binding])).toEqual([
      "notice session.scope",
      "notice bindings[1].session.dmScope",
    ]);
    expect((await validateDocument({ session: { scope: "global" } }, channels)).valid?.parsed.session.sharedMain).toBe(false);
  });

  test("is not reported if it is set, or not needed", async () => {
    expect(await told({ scope: "global", sharedMain: true }, [binding])).toEqual([]);
    expect(await told({ dmScope: "main" })).toEqual([]);
  });
});

test("names each of many unknown keys, in time", { timeout: 5000 }, async () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, index]));
  const { problems, valid } = await validateDocument({ gateway: { port: 1, ...many }, ...many }, []);
  expect(problems.filter(({ type }) => type === "unknown-key")).toHaveLength(20_000);
  expect(valid?.written).toEqual({ gateway: { port: 1 } });
});
