import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { GROUP, startGuestScene } from "./guest-scene.ts";
import { newestResults, obey, order, type Order } from "./obedient-model.ts";

const search = (query: string, sources?: readonly string[]) => ({
  name: "memory_search",
  arguments: { query, ...(sources === undefined ? {} : { sources }) },
});

test(
  "what the owner said is found in the next conversation, by the owner alone, without secrets, until it is deleted",
  { timeout: 300_000 },
  async () => {
    const SECRET = "sk-test-0123456789";
    await using scene = await startGuestScene({}, { extra: { memory: { extraPaths: ["workspace/drafts"] } } });
    scene.model.respond(obey);
    const ask = async (...calls: readonly Order[]): Promise<readonly string[]> => {
      await scene.say("ou_owner", order(...calls));
      return newestResults(scene.model);
    };
    /** The citation of the newest hit with a text. */
    const cited = (text: string): string =>
      new RegExp(String.raw`([\w-]+#e\w+) \([^)]*\)\\n[^"]*${text}`).exec(scene.request)?.[1] ?? "nothing";

    await scene.say("ou_owner", `The boiler is a Vaillant; its key is ${SECRET}.`);
    expect(scene.request).not.toContain("memory_search");
    await scene.say("ou_owner", "/new");
    // In the group, and by a guest, nothing is searched.
    for (const [person, options] of [
      ["ou_owner", { chatId: GROUP }],
      ["ou_anna", { chatId: GROUP }],
      ["ou_anna", {}],
    ] as const) {
      await scene.say(person, `The boiler belongs to Bert. ${order(search("boiler"))}`, options);
      expect(newestResults(scene.model)).toEqual([expect.stringContaining("owner")]);
      expect(scene.request).not.toContain("Vaillant");
    }
    expect(await ask(search("boiler"))).toEqual(["ok"]);
    expect(scene.request).toContain("owner: The boiler is a Vaillant; its key is");
    // What others said is not searched, and neither is what this conversation knows already.
    expect(scene.request).not.toContain("belongs to Bert");
    expect(scene.request.match(/#e\w+ \(score/g)).toHaveLength(1);
    const place = cited("Vaillant");
    expect(await ask({ name: "memory_get", arguments: { path: place } })).toEqual(["ok"]);
    expect(scene.request).toMatch(/owner: The boiler is a Vaillant[^"]*assistant: Done\./);
    expect(await ask(search("boiler", ["notes"]))).toEqual(["ok"]);
    expect(scene.request).toContain("Nothing was found.");
    const { home } = scene.product;
    const index = async (): Promise<string> => (await readFile(path.join(home, "state", "memory", "main.sqlite"), "latin1")).toLowerCase();
    expect(await index()).toContain("vaillant");
    expect(await index()).not.toContain(SECRET);

    // What the assistant answers to text of others is marked.
    await mkdir(path.join(home, "workspace", "drafts"));
    await writeFile(path.join(home, "workspace", "drafts", "letter.md"), "Greetings from Mallory.\n");
    expect(await ask(search("Mallory"))).toEqual(["ok"]);
    await scene.say("ou_owner", "/new");
    expect(await ask(search("done", ["sessions"]))).toEqual(["ok"]);
    expect(scene.request).toMatch(/may hold text of others\)\\n+assistant: Done/);

    expect((await scene.command("memory", "search", "boiler", "--source", "sessions")).stdout).toContain("Vaillant");
    expect(await scene.command("sessions", "delete", "agent:main:main", "--yes")).toMatchObject({ code: 0 });
    expect((await scene.command("memory", "search", "boiler")).stdout).toBe("");
    expect(await index()).not.toContain("vaillant");
  },
);
