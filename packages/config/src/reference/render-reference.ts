import type { ChannelSchema } from "../validate/channel-source.ts";
import { keyRows, type KeyRow } from "./key-rows.ts";

const INTRODUCTION = `# Configuration keys

Every key of the configuration file, generated from its schema. The file is \`factotum.json5\` in the state directory (\`FACTOTUM_HOME\`, \`~/.factotum\` by default), or what \`FACTOTUM_CONFIG\` names; \`.json\`, \`.yaml\` and \`.yml\` work too. What is not written has its default.

- **Reading and changing**: \`factotum config get KEY\`, \`factotum config set KEY VALUE\`, \`factotum config unset KEY\`, \`factotum config validate\`. A gateway that runs uses a change at once, except of keys with **yes** under *restart*: they need \`factotum gateway restart\`.
- **In an editor**: \`factotum setup\` writes \`factotum.schema.json\` beside the file and names it in \`$schema\`; the same texts then show while you type.
- **Channels**: those that are built in, and those of installed packages. \`factotum config reference\` lists the keys of a package once it is installed; before, they are in the README of the package and on its page among the [documents](README.md).
- **Names**: \`<name>\` stands for a name that you choose, \`[]\` for an entry of a list, written \`[0]\`, \`[1]\` and so on in a command.
- **secret**: the text itself, or better where it is: \`\${VARIABLE}\`, \`{ env: "VARIABLE" }\`, \`{ file: "credentials/name" }\` (from the state directory) or \`{ exec: ["command", "argument"] }\` (what the program prints).
- **duration**: \`30s\`, \`15m\`, \`2h\`, \`7d\`.
- **Not active yet**: the key is accepted, and this version does nothing with it. A key that would allow less than this version enforces is refused instead, with a message that says what to write.
`;

/** The reference of all keys as Markdown: a section and a table for each part of the file. */
export function renderConfigReference(channels: readonly ChannelSchema[]): string {
  const sections = Map.groupBy(keyRows(channels), ({ key }) => /^[^.[]+/.exec(key)?.[0] ?? key);
  const tables = [...sections].map(
    ([name, rows]) =>
      `## ${name}\n\n| key | type | allowed | default | restart | meaning |\n|---|---|---|---|---|---|\n${rows.map(renderRow).join("\n")}\n`,
  );
  return [INTRODUCTION, ...tables].join("\n");
}

function renderRow({ key, type, values, default: written, description, active, restart }: KeyRow): string {
  const meaning = active ? description : `${description} **Not active yet.**`;
  const cells = [`\`${key}\``, type, values, written === undefined ? "" : `\`${written}\``, restart ? "yes" : "", meaning];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
