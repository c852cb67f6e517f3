import * as z from "zod";
import { SetupCheckSchema, SetupStateSchema, type SetupCheck, type SetupState } from "../shapes/setup.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty, key } from "./params.ts";

/** Methods of a first run. */
export interface SetupMethods {
  /** What is set up, and which providers of models there are. */
  "setup.state": { params: Record<string, never>; result: SetupState };
  /** Tests a provider by calls that cost nothing, with `key` or the one that it has; with `model` also whether it has that one. */
  "setup.check": { params: { readonly provider: string; readonly key?: string; readonly model?: string }; result: SetupCheck };
  /** Keeps a provider's key in a file that the configuration names, and uses it from now on. `keyPlace` says where. */
  "setup.key": { params: { readonly provider: string; readonly key: string }; result: { readonly keyPlace: string } };
  /** Makes `provider/model` the model of the default agent. */
  "setup.model": { params: { readonly model: string }; result: { readonly model: string } };
  /** Names the default agent in its IDENTITY.md. */
  "setup.name": { params: { readonly name: string }; result: { readonly name: string } };
}

const provider = z.string().min(1).max(100);
const secret = z.string().min(1).max(10_000);

/** Their rows. */
export const SETUP_METHODS: MethodTable<SetupMethods> = defineMethods<SetupMethods>()({
  "setup.state": {
    access: "owner",
    stores: false,
    params: empty,
    result: SetupStateSchema,
  },
  "setup.check": {
    access: "owner",
    stores: false,
    params: z.strictObject({ provider, key: secret.optional(), model: key.optional() }),
    result: SetupCheckSchema,
  },
  "setup.key": {
    access: "owner",
    stores: true,
    params: z.strictObject({ provider, key: secret }),
    result: z.strictObject({ keyPlace: z.string() }),
  },
  "setup.model": {
    access: "owner",
    stores: true,
    params: z.strictObject({ model: key }),
    result: z.strictObject({ model: z.string() }),
  },
  "setup.name": {
    access: "owner",
    stores: true,
    params: z.strictObject({ name: z.string().min(1).max(80) }),
    result: z.strictObject({ name: z.string() }),
  },
});
