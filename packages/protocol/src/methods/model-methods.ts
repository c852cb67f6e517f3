import * as z from "zod";
import { ModelListSchema, ModelTestSchema, type ModelList, type ModelTest } from "../shapes/models.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** Methods of models. */
export interface ModelMethods {
  /**
   * The models that the configuration names, and those that this version knows of the providers with a key; with `all` of every provider. With `ask` the
   * providers that have a key, and local servers, are asked for their lists, which costs nothing; these replace what this version knows. `provider` leaves out the
   * others. Rejects with `invalid-request` if the configuration file cannot be used.
   */
  "models.list": {
    params: { readonly provider?: string; readonly all?: boolean; readonly ask?: boolean };
    result: ModelList;
  };
  /**
   * Tests one model, by its reference or an alias: first by calls that are free of charge, then, if these find nothing, by one short question, which is charged
   * like a person's message. Ends after a minute at most. The default agent's model without `model`.
   */
  "models.test": { params: { readonly model?: string }; result: ModelTest };
}

/** Rows of the model methods. */
export const MODEL_METHODS: MethodTable<ModelMethods> = defineMethods<ModelMethods>()({
  "models.list": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({ provider: z.string().min(1).max(100).optional(), all: z.boolean().optional(), ask: z.boolean().optional() }),
    result: () => ModelListSchema,
  },
  "models.test": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ model: key.optional() }),
    result: () => ModelTestSchema,
  },
});
