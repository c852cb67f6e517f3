import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryHome } from "../../test/sample.ts";
import { hashOf, loadConfig, parseText, redactConfig, redactText, REDACTED, replaceConfigText, restoreSecrets } from "../index.ts";

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
