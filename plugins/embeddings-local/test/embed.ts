import { createSentenceModel } from "../src/sentence-model.ts";

const model = createSentenceModel();

/** The model for the bench of the memory. */
export async function embed(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
  const vectors: (readonly number[])[] = [];
  for (const text of texts) vectors.push(await model.embed(text));
  return vectors;
}
