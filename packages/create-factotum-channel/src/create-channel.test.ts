import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createChannel, CreateError, TRANSPORTS } from "./index.ts";

const template = join(import.meta.dirname, "../../../templates/channel");
const builtIn = ["slack"];
const versions = { zod: "4.6.7", vitest: "5.1.1", "@factotum/channel-kit": "file:/tmp/kit.tgz" };

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "factotum-create-"));
});
afterEach(() => rmSync(parent, { recursive: true }));

test("writes a package with its name in every spelling, and nothing of the repository's build", () => {
  const folder = createChannel("carrier-pigeon", { parent, template, transport: "webhook", versions, builtIn });
  expect(folder).toBe(join(parent, "carrier-pigeon"));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const all = files.map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), "utf8")}`).join("\n");
  expect(all).not.toMatch(/sample.?chat|\.\.\/\.\.\/(?!src)|workspace:|factotum-source|@factotum\/carrier/i);
  expect(readFileSync(join(folder, "src/index.ts"), "utf8")).toContain("export { createCarrierPigeonChannel }");
  expect(existsSync(join(folder, "test/fake-carrier-pigeon.ts"))).toBe(true);
  expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
    name: "factotum-channel-carrier-pigeon",
    dependencies: { zod: "4.6.7" },
    devDependencies: { vitest: "5.1.1", "@factotum/channel-kit": "file:/tmp/kit.tgz" },
    factotum: { api: 1, provides: [{ type: "channel", id: "carrier-pigeon" }] },
  });
});

test.each(TRANSPORTS)("a channel by %s has its own transport, settings and invariants, and the same README", (transport) => {
  const folder = createChannel("carrier-pigeon", { parent, template, transport, versions, builtIn });
  const read = (file: string): string => readFileSync(join(folder, file), "utf8");
  expect(read("src/transport/inbound.ts")).toContain(`transport: "${transport}"`);
  expect(read("src/config.ts").includes("signingSecret")).toBe(transport === "webhook");
  expect(read("AGENTS.md")).toMatch(/^# carrier-pigeon: invariants\n/);
  expect(read("README.md")).toContain("The Carrier Pigeon channel");
  const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
  expect(devDependencies["ws"]).toBe(transport === "connection" ? "8.23.0" : undefined);
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(all.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n")).not.toMatch(/sample.?chat/i);
  // Every link of a published README leads to a file of the package.
  expect(read("README.md")).not.toMatch(/\]\((?!https:)/);
});

test.each(["sample-chat", "sample-chat-pro", "pro-sample-chat", "chat", "channel", "slack-pro"])("the name %s is written once", (name) => {
  const folder = createChannel(name, { parent, template, transport: "webhook", versions, builtIn });
  expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
    name: `factotum-channel-${name}`,
    factotum: { provides: [{ id: name }] },
  });
  expect(readFileSync(join(folder, "README.md"), "utf8")).toContain(`# factotum-channel-${name}\n`);
  expect(readdirSync(join(folder, "test")).toSorted()).toEqual([`fake-${name}.ts`, `${name}-driver.ts`, `${name}-platform.ts`].toSorted());
});

test.each([
  ["slack", "Factotum has a channel with this name"],
  ["defaults", "it is a key of the configuration"],
  ["message", "the code already uses MessageEvent"],
])("the name %s is refused with its reason", (name, reason) => {
  expect(() => createChannel(name, { parent, template, transport: "webhook", versions, builtIn })).toThrow(reason);
  expect(readdirSync(parent)).toEqual([]);
});

test.each(["", "My-Chat", "my_chat", "-chat", "../chat", "2chat", "a".repeat(41)])("%j is refused, and nothing is written", (name) => {
  expect(() => createChannel(name, { parent, template, transport: "webhook", versions, builtIn })).toThrow(CreateError);
  expect(readdirSync(parent)).toEqual([]);
});

test("a folder that exists is not written to", () => {
  const folder = createChannel("my-chat", { parent, template, transport: "webhook", versions, builtIn });
  rmSync(join(folder, "README.md"));
  expect(() => createChannel("my-chat", { parent, template, transport: "webhook", versions, builtIn })).toThrow("exists already");
  expect(existsSync(join(folder, "README.md"))).toBe(false);
});
