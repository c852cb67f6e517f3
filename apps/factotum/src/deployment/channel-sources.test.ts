import { expect, test } from "vitest";
import { chooseChannels } from "./channel-sources.ts";

const found = {
  channels: [],
  skills: [],
  plugins: [],
  commandFolders: [],
  servers: { mcp: [], lsp: [] },
  problems: [],
  packages: [],
  build: { channels: ["owl", "webchat"], others: ["crow"] },
};

test("a deployment does not build a channel that it was built without, and says where that can be done", async () => {
  const options = {
    builtIn: ["owl", "webchat"],
    implicit: ["webchat"],
    found,
    known: {},
    workspace: undefined,
    env: {},
    signal: new AbortController().signal,
  };
  await expect(chooseChannels(["owl", "crow"], options)).rejects.toMatchObject({
    message: 'This deployment was built without the channel "crow".',
    fix: "Build it again where it was built, with its folder, then restart the gateway: factotum build --channels owl,crow --out FOLDER",
  });
  await expect(chooseChannels(["raven"], options)).rejects.toThrow('There is no channel "raven".');
});
