import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadConfig } from "@factotum/config";
import { PROVIDERS } from "@factotum/models";
import { expect, test } from "vitest";

test("every provider that needs no configuration can have a tool policy", async () => {
  const home = await mkdtemp(path.join(tmpdir(), "factotum-policies-"));
  try {
    const byProvider = Object.fromEntries(Object.keys(PROVIDERS).map((id) => [id, { deny: ["exec"] }]));
    await writeFile(path.join(home, "factotum.json5"), JSON.stringify({ tools: { byProvider } }));
    expect(await loadConfig({ env: { FACTOTUM_HOME: home, HOME: home }, channels: [] })).toMatchObject({ type: "loaded", problems: [] });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
