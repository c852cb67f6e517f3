/**
 * The program that the conformance suite starts as a client: it uses the server at the address of its last argument as a gateway does, with the tools that the
 * suite names in its context, or with every tool once.
 */
import type { JsonObject, JsonValue } from "@factotum/agent-contract";
import { callTool, openScene, textOf } from "./scene.ts";
import { scriptedQuestioner } from "./scripted-questioner.ts";

interface WantedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

const url = process.argv.at(-1) ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as { readonly toolCalls?: readonly WantedCall[] };

const questioner = scriptedQuestioner();
// Agrees to everything, and leaves every field as it is.
questioner.answer = ({ options: [first] }) => (first === "Answer" || first === "Accept" ? first : "-");
await using scene = await openScene({ questioner });
const source = await scene.listed({ url, transport: "streamable-http", headers: {}, timeoutMs: 20_000, trusted: true });
if (source.problem !== undefined) throw new Error(source.problem);
// One scenario asks for the schema that the client has got.
const focal = source.tools.find(({ name }) => name === "mcp__raw_json_schema_2020_12_tool");
const wanted = context.toolCalls?.map(({ name, arguments: given }) => ({ name: `mcp__raw_${name}`, arguments: given }));
for (const { name, arguments: given } of wanted ??
  source.tools.map((tool) => ({
    name: tool.name,
    arguments: { ...sample(tool.parameters), ...(focal === undefined ? {} : { schema: focal.parameters }) },
  }))) {
  const result = await callTool(source, name, given, scene);
  process.stdout.write(`${name}: ${textOf(result)}\n`);
}

/** Arguments that fit a schema of plain values. */
function sample(schema: JsonObject): JsonObject {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>;
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sampleOf(one)]));
}

function sampleOf({ type }: JsonObject): JsonValue {
  switch (type) {
    case "number":
    case "integer":
      return 2;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "text";
  }
}
