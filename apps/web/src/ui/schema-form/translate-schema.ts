import type { SettingTexts } from "../../i18n/setting-texts.ts";
import type { SchemaNode } from "./schema-node.ts";

/** A schema with other titles and descriptions, at every depth; what is not among the texts stays as it is. */
export function translateSchema(node: SchemaNode, texts: SettingTexts): SchemaNode {
  const word = (text: string): string => (Object.hasOwn(texts, text) ? (texts[text] ?? text) : text);
  const one = (child: SchemaNode): SchemaNode => translateSchema(child, texts);
  const { title, description, properties, items, additionalProperties, propertyNames, anyOf, oneOf, allOf } = node;
  return {
    ...node,
    ...(title === undefined ? {} : { title: word(title) }),
    ...(description === undefined ? {} : { description: word(description) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, one(child)])) }),
    ...(items === undefined ? {} : { items: one(items) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: one(additionalProperties) } : {}),
    ...(propertyNames === undefined ? {} : { propertyNames: one(propertyNames) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(one) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(one) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(one) }),
  };
}
