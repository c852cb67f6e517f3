import { expect, test } from "vitest";
import { validateDocument } from "./validate-document.ts";

const servers = {
  wiki: { url: "https://wiki.example/mcp", auth: "${T}" },
  login: { url: "https://login.example/mcp", oauth: { scope: "read" } },
  files: { command: "files-mcp" },
  some: { command: "files-mcp", toolFilter: ["read_*"] },
  boxed: { command: "files-mcp", sandbox: { mode: "on" } },
};

test.each<[string, string | undefined]>([
  ["wiki", undefined],
  ["files", undefined],
  ["wikis", 'mcp.servers has no "wikis"; did you mean "wiki"?'],
  ["toString", 'mcp.servers has no "toString"'],
  ["login", '"login" needs a login (oauth), which stays with the gateway; give the server a token (auth), or take it out here'],
  [
    "some",
    '"some" has a toolFilter, which binds the gateway alone: the agent would get every tool of the server; take it out here, or name another server',
  ],
  ["boxed", '"boxed" has a sandbox, and the agent would start it outside of any; take it out here, or name another server'],
])("an external agent gets the tool server %s, or the reason is named", async (name, message) => {
  const acp = { agents: { coder: { command: "coder", mcpServers: [name] } } };
  const { problems, valid } = await validateDocument({ mcp: { servers }, acp }, []);
  expect(problems).toEqual(message === undefined ? [] : [{ type: "invalid-value", path: "acp.agents.coder.mcpServers[0]", message }]);
  expect(valid === undefined).toBe(message !== undefined);
});
