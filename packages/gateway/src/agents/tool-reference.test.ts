import path from "node:path";
import type { AgentTool } from "@factotum/agent-contract";
import { matchesTool, TOOL_GROUP_NAMES, TOOL_NAMES } from "@factotum/config";
import { createBrowserTool, createCoreTools, createMediaTools, createMemoryTools } from "@factotum/tools";
import { expect, test } from "vitest";
import { filterTools } from "./tool-policy.ts";

const REFERENCE = path.join(import.meta.dirname, "../../../../docs/tool-reference.md");

const HEAD = `# Tools

Every tool of this build, generated from the declarations of the tools. [Which tools a turn has](tools.md), and whether [you are asked](approvals.md), is decided by these properties.

- **groups**: names for \`allow\` and \`deny\` lists.
- **profiles**: \`full\` has every tool.
- **effect** of a call: \`read\` changes nothing, \`write\` changes files, \`execute\` runs programs, \`send\` sends messages, \`config\` changes settings. A tool whose calls differ has the widest one here, and each call has its own.
- **text of others**: the result may hold text that somebody else wrote; from then on the turn is [tainted](conversations.md#text-of-others).
- **network**: the call may reach the network.

| tool | for | groups | profiles | effect | text of others | network |
|---|---|---|---|---|---|---|
`;

/** The declarations alone: nothing is called. */
const tools: readonly AgentTool[] = [
  ...createCoreTools({ web: {} } as never),
  createBrowserTool({ settings: {} } as never),
  ...createMemoryTools({} as never),
  ...createMediaTools({ makesImages: true, speaks: true } as never),
];

const PROFILES = ["minimal", "coding", "messaging", "full"] as const;
/** Those that say something about one tool. */
const GROUPS = TOOL_GROUP_NAMES.filter((group) => group !== "group:openclaw" && group !== "group:plugins");

function rowOf(tool: AgentTool): string {
  const { name, summary, traits } = tool;
  const isIn = (profile: string): boolean =>
    filterTools([tool], [{ layer: "global", key: "tools", policy: { profile: [profile], deny: [] } }]).tools.length > 0;
  const cells = [
    `\`${name}\``,
    summary,
    code(GROUPS.filter((group) => matchesTool(group, name))),
    code(PROFILES.filter(isIn)),
    traits.effect,
    traits.output === "untrusted" ? "yes" : "",
    traits.network ? "yes" : "",
  ];
  return `| ${cells.join(" | ")} |\n`;
}

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

test("docs/tool-reference.md is what the tools declare; `pnpm run reference` writes it", async () => {
  const rows = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1)).map(rowOf);
  await expect(`${HEAD}${rows.join("")}`).toMatchFileSnapshot(REFERENCE);
});

test("every tool is known to the configuration before it is loaded, and is in the profile full", () => {
  expect(tools.length).toBeGreaterThan(16);
  for (const { name } of tools) expect(TOOL_NAMES).toContain(name);
  const layer = { layer: "global", key: "tools", policy: { profile: ["full"], deny: [] } } as const;
  expect(filterTools(tools, [layer]).tools).toEqual(tools);
});
