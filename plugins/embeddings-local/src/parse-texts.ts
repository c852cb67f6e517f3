import type { PluginObject } from "@factotum/plugin";
import { RequestError } from "./request-error.ts";
import { DIMENSIONS, MODEL } from "./sentence-model.ts";

/** The texts of a request of OpenAI's Embeddings API, at least one. Throws a `RequestError` for what this model cannot do. */
export function parseTexts({ model, input, dimensions = DIMENSIONS, messages }: PluginObject): readonly string[] {
  if (messages !== undefined)
    throw new RequestError(400, `${MODEL} embeds texts and answers no messages; name another model for conversations`);
  if (model !== MODEL) throw new RequestError(404, `there is no model ${JSON.stringify(model)?.slice(0, 80)}, only ${MODEL}`);
  if (dimensions !== DIMENSIONS) throw new RequestError(400, `${MODEL} makes vectors of ${DIMENSIONS} numbers, and no others`);
  const texts: unknown = typeof input === "string" ? [input] : input;
  if (!Array.isArray(texts) || texts.length === 0) throw new RequestError(400, "input is a text, or a list of at least one");
  return texts.map((text: unknown, index) => {
    if (typeof text !== "string" || text.trim() === "") throw new RequestError(400, `text ${index + 1} of the input is empty or no text`);
    return text;
  });
}
