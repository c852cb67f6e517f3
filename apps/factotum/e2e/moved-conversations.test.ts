import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startProduct } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { writeInstalled } from "../test/extension-package.ts";
import { FakeLoft } from "../test/fake-loft.ts";
import { ANTHROPIC, startSceneModel } from "./scene-model.ts";

test("a group that gets another id goes on where it was, also after a kill", async () => {
  await using loft = await FakeLoft.start();
  const model = await startSceneModel(ANTHROPIC, []);
  model.respond(() => sayText("Noted."));
  const { reference, providers } = ANTHROPIC.config(model.baseUrl);
  const home = await mkdtemp(path.join(tmpdir(), "factotum-moved-"));
  await writeInstalled(home, [{}]);
  const config = {
    agents: { defaults: { model: reference } },
    models: { providers },
    // Only the old id is listed.
    channels: { pigeon: { loft: loft.url, token: loft.token, groupPolicy: "allowlist", groups: { old: {} } } },
  };
  try {
    const first = await startProduct({ home, config });
    loft.write("carol", "The number is 7341.", { group: "old" });
    await loft.waitForSent(1);
    loft.write("carol", "", { group: "old", movedTo: "new" });
    await loft.allTaken();
    await first.end("SIGKILL");
    await using _second = await startProduct({ home, config });
    loft.write("carol", "What is the number?", { group: "new" });
    await loft.waitForSent(2);
    expect(loft.sent.map(({ to }) => to)).toEqual(["old", "new"]);
    const asked = JSON.stringify(model.requests.at(-1)?.body);
    expect(asked).toContain("The number is 7341.");
    expect(asked).toContain("The conversation moved to");
  } finally {
    await model.close();
  }
});
