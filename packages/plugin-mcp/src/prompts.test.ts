import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FilledPrompt, SourcePrompt, ToolSource } from "@factotum/agent-contract";
import { describe, expect, test, vi } from "vitest";
import { callTool, facts, openScene, type Scene } from "../test/scene.ts";

const SERVER = fileURLToPath(new URL("../test/sdk-server.ts", import.meta.url));

function promptOf({ prompts = [] }: ToolSource, name: string): SourcePrompt {
  const found = prompts.find((prompt) => prompt.name === name);
  if (found === undefined) throw new Error(`${name} is not among ${prompts.map((prompt) => prompt.name).join(", ")}`);
  return found;
}

async function fill(
  source: ToolSource,
  { folder }: Pick<Scene, "folder">,
  { given = { city: "Bern" }, owner = true }: { readonly given?: Readonly<Record<string, string>>; readonly owner?: boolean } = {},
): Promise<FilledPrompt> {
  return promptOf(source, "mcp__raw__weather-of").fill(given, { run: facts(folder, { owner }), signal: new AbortController().signal });
}

describe("prompts of a server", { timeout: 60_000 }, () => {
  test("are listed once, survive a restart without a start of the server, and follow a changed list", async () => {
    await using scene = await openScene();
    const settings = scene.settings({ args: [SERVER] });
    const source = await scene.listed(settings);
    expect(source.prompts).toEqual([
      {
        name: "mcp__raw__weather-of",
        summary: "/mcp__raw__weather-of <city> [day]: Asks for the weather.",
        arguments: [
          { name: "city", isRequired: true },
          { name: "day", isRequired: false },
        ],
        fill: expect.any(Function),
      },
    ]);
    await callTool(source, "mcp__raw_grow", {}, scene);
    await vi.waitFor(() => expect(source.prompts).toHaveLength(2), { timeout: 20_000 });
    // The space had to be replaced, so the name ends in a hash.
    expect(source.prompts?.[0]?.name).toMatch(/^mcp__raw__prompt_added_1_[0-9a-f]{6}$/);
    await scene.servers.close();
    await using second = await openScene({ folder: join(scene.folder, "lists") });
    const [stored] = second.servers.sources({ raw: settings });
    expect(stored?.prompts?.map(({ name }) => name)).toEqual(source.prompts?.map(({ name }) => name));
    expect(second.runner.started).toHaveLength(0);
  });

  test("are text of others unless the server is trusted, and a dialogue says who speaks", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({ args: [SERVER] }));
    expect(await fill(source, scene)).toEqual({ type: "filled", text: "How is the weather in Bern, today?", untrusted: true });
    const trusted = await scene.listed(scene.settings({ args: [SERVER], trusted: true }));
    expect(await fill(trusted, scene, { given: { city: "Bern", day: "Monday" } })).toEqual({
      type: "filled",
      text: "User:\n\nHow is the weather in Bern, Monday?\n\nAssistant:\n\nWhich units?\n\nUser:\n\n[resource note://1]\nmetric",
      untrusted: false,
    });
  });

  test("that cannot be had say why, without secrets, and guests get none", async () => {
    await using scene = await openScene();
    const source = await scene.listed(scene.settings({ args: [SERVER] }));
    expect(await fill(source, scene, { given: { city: "nowhere" } })).toMatchObject({
      type: "failed",
      text: expect.stringMatching(/there is no such city, \*\*\*/),
      untrusted: true,
    });
    const before = scene.asked().length;
    expect(await fill(source, scene, { owner: false })).toMatchObject({ type: "failed", text: expect.stringContaining("not the owner's") });
    expect(scene.asked()).toHaveLength(before);
    await scene.servers.close();
    expect(await fill(source, scene)).toMatchObject({ type: "failed", text: expect.stringContaining("cannot be used now") });
  });
});
