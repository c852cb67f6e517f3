import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryHome } from "../../test/sample.ts";
import {
  hashOf,
  loadConfig,
  parseText,
  redactConfig,
  redactText,
  REDACTED,
  redactSecrets,
  replaceConfigText,
  restoreSecrets,
} from "../index.ts";

const TEXT = `// mine
{
  gateway: { port: 4711, auth: { token: "canary-token-1" } }, // the door
  models: { providers: {
    house: { api: "openai-chat", baseUrl: "https://user:canary-pass@host.example/v1", apiKey: 'canary\\'key' },
    // old: { apiKey: "canary-old-key" },
    other: { api: "openai-chat", baseUrl: "http://h/v1", apiKey: { env: "HOUSE_KEY" } },
  } },
}
`;

const shownText = async (text = TEXT): Promise<string> => {
  const parsed = await parseText(text, "json5");
  if (parsed.type !== "document") throw new Error("the text cannot be parsed");
  return redactText(text, "json5", parsed.document);
};

test("a shown text has no secret, neither in a value nor in a comment, and keeps the rest", async () => {
  const shown = await shownText();
  expect(shown).not.toContain("canary");
  expect(shown.match(new RegExp(REDACTED, "g"))).toHaveLength(4);
  for (const kept of ["// mine", "// the door", 'apiKey: { env: "HOUSE_KEY" }', "port: 4711"]) expect(shown).toContain(kept);
});

test("a secret of a wrong type, which no start would take, is not shown either", async () => {
  const shown = await shownText(`{ gateway: { auth: { token: ["canary"] } }, models: { providers: { a: { apiKey: 4711004711 } } } }`);
  expect(shown).not.toMatch(/canary|4711004711/);
});

test("neither a comment without quotes nor an address in one shows a secret", async () => {
  const shown = await shownText(
    "{ // token = canary-bare\n// was https://user:canary-pass@host.example/\n/* password: canary-block */ }\n",
  );
  expect(shown).not.toContain("canary");
  const text = "# apiKey: canary-yaml\ngateway: { port: 1 } # the secret: canary-end\n# the token: see above\n";
  const parsed = await parseText(text, "yaml");
  if (parsed.type !== "document") throw new Error("the text cannot be parsed");
  expect(await redactText(text, "yaml", parsed.document)).toBe(text.replace("canary-yaml", REDACTED).replace("canary-end", REDACTED));
});

test("no value of env and headers is shown in a comment, whatever its name, and what stands after them is", async () => {
  const shown = await shownText(`{
  // mcp: { servers: { a: { command: "a", env: { PLAIN: "canary-line" }, cwd: "/kept" } } },
  // b: {
  //   env: {
  //     OTHER: "canary-lines",
  //     FROM: "\${VARIABLE}",
  //   },
  //   cwd: "/kept-too",
  // },
  /*
    headers: {
      Plain: "canary-block",
    },
    cwd: "/kept-three",
  */
  memory: { extraPaths: ["src/**/*.md"] }, // kept
}
`);
  expect(shown).not.toContain("canary");
  for (const kept of ['"/kept"', '"/kept-too"', '"/kept-three"', '"${VARIABLE}"', "// kept", "src/**/*.md"]) expect(shown).toContain(kept);
  const text = "# a:\n#   env:\n#     PLAIN: canary yaml\n#   cwd: /kept\nmemory: {}\n# command: kept-too\n";
  const parsed = await parseText(text, "yaml");
  if (parsed.type !== "document") throw new Error("the text cannot be parsed");
  expect(await redactText(text, "yaml", parsed.document)).toBe(text.replace("canary yaml", REDACTED));
});

const WORDS = `{
  models: { providers: {
    "lm-studio": { api: "openai-chat", baseUrl: "http://h/v1", apiKey: "lm-studio" },
    // old: { apiKey: "canary-one" },
    other: {
      apiKey: "canary-two",
      api: "openai-chat", baseUrl: "http://h/v1",
    },
    // old: { apiKey: "canary-three" },
    bare: {
      api: "openai-chat", baseUrl: "http://h/v1",
    },
  } },
  agents: { defaults: { model: "lm-studio/m" } },
  gateway: { port: 4711 }, // known to the process
}
`;

test("a word that is a secret elsewhere comes back in lines that were not changed, and equal lines get their own secrets", async () => {
  await using home = await temporaryHome();
  const path = await home.write("factotum.json5", WORDS);
  const hide = (text: string): string => text.replaceAll("process", REDACTED);
  const shown = hide(await shownText(WORDS));
  expect(shown).not.toMatch(/canary|lm-studio|process/);
  const written = shown.replace('model: "', 'userTimezone: "UTC", model: "');
  expect(await replaceConfigText(written, { env: home.env, channels: [], hide })).toMatchObject({
    type: "refused",
    problems: [{ path: "agents.defaults.model" }],
  });
  const longer = shown.replace("  gateway:", "  memory: {},\n  gateway:");
  expect(await replaceConfigText(longer, { env: home.env, channels: [], hide, showsText: true })).toMatchObject({
    type: "written",
    shown: longer,
  });
  expect(await readFile(path, "utf8")).toBe(WORDS.replace("  gateway:", "  memory: {},\n  gateway:"));
});

test("a line with a mark that was moved to another key is refused there", async () => {
  await using home = await temporaryHome();
  const path = await home.write("factotum.json5", WORDS);
  const line = `      apiKey: "${REDACTED}",\n`;
  const moved = (await shownText(WORDS)).replace(line, "").replace("bare: {\n", `bare: {\n${line}`);
  expect(await replaceConfigText(moved, { env: home.env, channels: [] })).toMatchObject({
    type: "refused",
    problems: [{ path: "models.providers.bare.apiKey" }],
  });
  expect(await readFile(path, "utf8")).toBe(WORDS);
});

test("marks in a list that has become shorter are refused, because it is unknown which entries are left", async () => {
  await using home = await temporaryHome();
  const text = `{ hooks: { mappings: [
  { name: "one", secret: "canary-one" },
  { name: "two", secret: "canary-two" },
] } }
`;
  const path = await home.write("factotum.json5", text);
  const shorter = (await shownText(text)).replace(/.*"one".*\n/, "").replace('"two"', '"three"');
  expect(await replaceConfigText(shorter, { env: home.env, channels: [] })).toMatchObject({
    type: "refused",
    problems: [{ path: "hooks.mappings[0].secret" }],
  });
  expect(await readFile(path, "utf8")).toBe(text);
  const [mark, before] = [{ secret: REDACTED }, { list: [{ secret: "a" }, { secret: "b" }] }];
  expect(restoreSecrets([mark], before, ["list"])).toEqual([mark]);
  expect(restoreSecrets([mark, mark, { secret: "c" }], before, ["list"])).toEqual([...before.list, { secret: "c" }]);
});

const SERVERS = `{ hooks: { mappings: [
  {
    name: "one",
    secret: "canary-one",
  },
  {
    name: "two",
    secret: "canary-two",
  },
] } }
`;

test("entries of a list keep their secrets when they change places, or when another one is removed", async () => {
  await using home = await temporaryHome();
  const path = await home.write("factotum.json5", SERVERS);
  const shown = await shownText(SERVERS);
  const swapped = shown.replace('"one"', '"-"').replace('"two"', '"one"').replace('"-"', '"two"');
  expect(await replaceConfigText(swapped, { env: home.env, channels: [] })).toMatchObject({ type: "written" });
  expect(await readFile(path, "utf8")).toMatch(/"two",\s+secret: "canary-two"[^]*"one",\s+secret: "canary-one"/);
  const [, second = ""] = (await shownText(await readFile(path, "utf8"))).match(/\},\n( {2}\{[^]*?\},\n)/) ?? [];
  const one = `{ hooks: { mappings: [\n${second}] } }\n`;
  expect(await replaceConfigText(one, { env: home.env, channels: [] })).toMatchObject({ type: "written" });
  const rest = await readFile(path, "utf8");
  expect(rest).toMatch(/"one",\s+secret: "canary-one"/);
  expect(rest).not.toContain("two");
});

test.each([
  [
    "what was renamed keeps the secret of its place",
    [
      { name: "one", secret: REDACTED },
      { name: "new", secret: REDACTED },
    ],
    ["a", "b"],
  ],
  [
    "what was changed keeps that of its name",
    [
      { name: "two", secret: REDACTED, extra: 1 },
      { name: "one", secret: REDACTED },
    ],
    ["b", "a"],
  ],
  [
    "a new entry has none",
    [
      { name: "one", secret: REDACTED },
      { name: "two", secret: REDACTED },
      { name: "new", secret: REDACTED },
    ],
    ["a", "b", REDACTED],
  ],
  [
    "a new entry in the place of one that was moved and changed has none",
    [
      { name: "new", secret: REDACTED },
      { name: "one", secret: REDACTED, extra: 1 },
    ],
    [REDACTED, "a"],
  ],
  [
    "one without a name in the place of one that was moved has none",
    [{ secret: REDACTED }, { name: "one", secret: REDACTED }],
    [REDACTED, "a"],
  ],
  [
    "a name that is there twice is uncertain",
    [
      { name: "one", secret: REDACTED, extra: 1 },
      { name: "one", secret: REDACTED, extra: 2 },
    ],
    [REDACTED, REDACTED],
  ],
])("of a list, %s", (_, entries, secrets) => {
  const before = {
    list: [
      { name: "one", secret: "a" },
      { name: "two", secret: "b" },
    ],
  };
  expect((restoreSecrets(entries, before, ["list"]) as { secret: string }[]).map(({ secret }) => secret)).toEqual(secrets);
});

test("entries without names that look the same are the same, and a new one in the place of one of them has no secret", () => {
  const before = {
    list: [
      { secret: "a", match: "x" },
      { secret: "b", match: "y" },
    ],
  };
  const moved = [
    { secret: REDACTED, match: "z" },
    { secret: REDACTED, match: "x" },
  ];
  expect(restoreSecrets(moved, before, ["list"])).toEqual([moved[0], before.list[0]]);
  const changed = [before.list[0], { secret: REDACTED, match: "z" }];
  expect(restoreSecrets(changed, before, ["list"])).toEqual([before.list[0], { secret: "b", match: "z" }]);
});

test("secrets among the arguments of a program are hidden, and kept when they are written back", async () => {
  await using home = await temporaryHome();
  const args = `["--log-level=debug", "--api-key=canary-key", "--token", "canary-token", "API_TOKEN=canary-env", "--key=\${KEY}", "-v"]`;
  const text = `{ mcp: { servers: { files: { command: "files-mcp", args: ${args} } } } }\n`;
  const path = await home.write("factotum.json5", text);
  const shown = await shownText(text);
  expect(shown).not.toContain("canary");
  for (const kept of ["--log-level=debug", `--api-key=${REDACTED}`, "--key=${KEY}", '"-v"']) expect(shown).toContain(kept);
  const loaded = await loadConfig({ env: home.env, channels: [] });
  if (loaded.type !== "loaded") throw new Error("the file was refused");
  expect(JSON.stringify([redactConfig(loaded.config), redactSecrets(loaded.written)])).not.toContain("canary");
  const written = shown.replace('"-v"', '"-v", "-q"').replace("{ mcp", "{ memory: {}, mcp");
  expect(await replaceConfigText(written, { env: home.env, channels: [] })).toMatchObject({ type: "written" });
  expect(await readFile(path, "utf8")).toBe(text.replace('"-v"', '"-v", "-q"').replace("{ mcp", "{ memory: {}, mcp"));
});

test("a text that a person has changed is written with the secrets that its marks stand for", async () => {
  await using home = await temporaryHome();
  const path = await home.write("factotum.json5", TEXT);
  const options = { env: home.env, channels: [], base: hashOf(TEXT), showsText: true };
  const written = (await shownText()).replace("4711", "4712").replace("// mine", "// yours");
  const planned = await replaceConfigText(written, { ...options, isDryRun: true });
  expect(planned).toMatchObject({ type: "written", changes: [{ path: "gateway.port", before: 4711, after: 4712 }], shown: written });
  expect(await readFile(path, "utf8")).toBe(TEXT);
  expect(await replaceConfigText(written, options)).toMatchObject({ type: "written", hash: hashOf(await readFile(path, "utf8")) });
  const after = await readFile(path, "utf8");
  expect(after).toContain("// yours");
  for (const secret of ["canary-token-1", "canary-pass", "canary-old-key"]) expect(after).toContain(secret);
  expect((await loadConfig({ env: home.env, channels: [] })) as unknown).toMatchObject({
    config: { models: { providers: { house: { apiKey: { value: "canary'key" } } } } },
  });
  // The base is that of the file before.
  expect(await replaceConfigText("{}", options)).toMatchObject({ type: "refused", problems: [{ type: "conflict" }] });
});

test.each([
  [
    "a mark at another key",
    `{ gateway: { auth: { token: "${REDACTED}" } }, models: { providers: { new: { apiKey: "${REDACTED}" } } } }`,
    "models.providers.new.apiKey",
  ],
  ["a mark in a new comment", `{ } // ${REDACTED}`, ""],
  ["a value that does not fit", "{ gateway: { port: true } }", "gateway.port"],
  ["a text that cannot be read", "{ gateway: ", ""],
])("%s is refused", async (_, text, path) => {
  await using home = await temporaryHome();
  const file = await home.write("factotum.json5", TEXT);
  expect(await replaceConfigText(text, { env: home.env, channels: [] })).toMatchObject({ type: "refused", problems: [{ path }] });
  expect(await readFile(file, "utf8")).toBe(TEXT);
});

test("a file that cannot be read is replaced as a whole, and its version is kept", async () => {
  await using home = await temporaryHome();
  const file = await home.write("factotum.json5", "{ gateway: ");
  const result = await replaceConfigText("{ gateway: { port: 1 } } // again\n", { env: home.env, channels: [] });
  expect(result).toMatchObject({ type: "written", versionPath: expect.any(String) as string });
  expect(await readFile(file, "utf8")).toBe("{ gateway: { port: 1 } } // again\n");
});

test("a resolved configuration for display has references, and no literal secret", async () => {
  await using home = await temporaryHome();
  await home.write("factotum.json5", TEXT);
  const loaded = await loadConfig({ env: home.env, channels: [] });
  if (loaded.type !== "loaded") throw new Error("the file was refused");
  const shown = JSON.stringify(redactConfig(loaded.config));
  expect(shown).not.toContain("canary");
  expect(shown).toContain('"apiKey":{"env":"HOUSE_KEY"}');
});

test("the same holds for YAML", async () => {
  await using home = await temporaryHome();
  const text = `# mine
gateway:
  port: 4711 # the door
  auth:
    token: canary-token-1
`;
  const path = await home.write("factotum.yaml", text);
  const parsed = await parseText(text, "yaml");
  if (parsed.type !== "document") throw new Error("the text cannot be parsed");
  const shown = await redactText(text, "yaml", parsed.document);
  expect(shown).toBe(text.replace("canary-token-1", REDACTED));
  await replaceConfigText(shown.replace("4711", "4712"), { env: home.env, channels: [] });
  expect(await readFile(path, "utf8")).toBe(text.replace("4711", "4712"));
});
