import type { JsonSchema } from "@factotum/agent-contract";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import type { ChannelSchema } from "../validate/channel-source.ts";
import { alternatives, configJsonSchema, isSecret } from "../validate/json-schema.ts";
import { GROUP_DESCRIPTIONS } from "./group-descriptions.ts";

/** Identifies the schema, independent of its location. */
const SCHEMA_ID = "urn:factotum:configuration";
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The JSON Schema of the whole file with a description at every key, for editors and for the reference. */
export function describedSchema(channels: readonly ChannelSchema[]): JsonSchema {
  const root = new SchemaDescriber().describe(configJsonSchema(channels) as Document);
  return { $schema: DIALECT, $id: SCHEMA_ID, ...root } as JsonSchema;
}

/** Part of a path that the owner chooses. */
export const NAME = "<name>";

/** The key of a node as in the reference, and the key where the same keys are described. */
interface Place {
  readonly key: string;
  readonly same: string;
}

/** The text of a node without the parts that do not affect its keys. */
export function shapeOf(node: unknown): string {
  return JSON.stringify(node, (key, value: unknown) => (key === "default" || key === "description" ? undefined : value)) ?? "";
}

class SchemaDescriber {
  /** From the shape of an object, as text, to the key where it is described. */
  readonly #described = new Map<string, string>();

  describe(root: Document): Document {
    return this.#node(root, { key: "", same: "" });
  }

  #node(node: Document, place: Place): Document {
    if (isSecret(node)) return node;
    const unions = ["anyOf", "oneOf", "allOf"].filter((name) => Array.isArray(node[name]));
    const described: Record<string, unknown> = { ...node };
    for (const name of unions) described[name] = (node[name] as Document[]).map((variant) => this.#node(variant, place));
    if (isPlainObject(node["properties"])) described["properties"] = this.#properties(node["properties"], place);
    for (const [part, step] of [
      ["items", "[]"],
      ["additionalProperties", `.${NAME}`],
    ] as const) {
      const child = node[part];
      if (!isPlainObject(child)) continue;
      // `properties` may have given these keys another location; names and lists below follow it.
      described[part] = this.#node(child, { key: `${place.key}${step}`, same: sameAs(`${place.key}${step}`, `${place.same}${step}`) });
    }
    return described;
  }

  #properties(properties: Document, place: Place): Document {
    const shape = shapeOf(properties);
    const same = this.#described.get(shape) ?? place.same;
    this.#described.set(shape, same);
    const entries = Object.entries(properties).map(([name, child]) => {
      const key = place.key === "" ? name : `${place.key}.${name}`;
      const like = same === "" ? name : `${same}.${name}`;
      const description = GROUP_DESCRIPTIONS[key] ?? GROUP_DESCRIPTIONS[like] ?? describeAccounts(key);
      const node = this.#node(child as Document, { key, same: sameAs(key, like) });
      return [name, node["description"] !== undefined || description === undefined ? node : { ...node, description }] as const;
    });
    return Object.fromEntries(entries);
  }
}

function describeAccounts(key: string): string | undefined {
  if (/^channels\.[^.]+$/.test(key)) return "The account of this channel, or several of them under `accounts`.";
  return /^channels\.[^.]+\.accounts$/.test(key) ? "Accounts of this channel, by a name of your choice." : undefined;
}

/** Agents have the keys of their defaults, and accounts those of the channels' defaults. */
function sameAs(key: string, like: string): string {
  if (key === "agents.list[]") return "agents.defaults";
  if (/^channels\.[^.]+(?:\.accounts\.<name>)?$/.test(key) && key !== "channels.defaults") return "channels.defaults";
  return like;
}

/** Every key of a schema, as the reference writes it, and whether it has a description. */
export function describedKeys(schema: JsonSchema): ReadonlyMap<string, boolean> {
  const keys = new Map<string, boolean>();
  const visit = (node: Document, at: string): void => {
    for (const form of alternatives(node)) {
      for (const [name, child] of Object.entries((form["properties"] ?? {}) as Readonly<Record<string, Document>>)) {
        const key = at === "" ? name : `${at}.${name}`;
        const isDescribed = [child, ...alternatives(child)].some(
          ({ description }) => typeof description === "string" && description !== "",
        );
        keys.set(key, isDescribed && keys.get(key) !== false);
        visit(child, key);
      }
      for (const [part, step] of [
        ["items", "[]"],
        ["additionalProperties", `.${NAME}`],
      ] as const) {
        const child = form[part];
        if (isPlainObject(child)) visit(child, `${at}${step}`);
      }
    }
  };
  visit(schema as Document, "");
  return keys;
}
