import * as z from "zod";
import { SetupCheckSchema, SetupStateSchema, type SetupCheck, type SetupHeartbeat, type SetupState } from "../shapes/setup.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty, key } from "./params.ts";

/** Methods of setup. */
export interface SetupMethods {
  /** The current setup, and the known model providers. */
  "setup.state": { params: Record<string, never>; result: SetupState };
  /** Tests a provider by calls that are free of charge, with `key` or the configured one; with `model`, also whether it offers that model. */
  "setup.check": { params: { readonly provider: string; readonly key?: string; readonly model?: string }; result: SetupCheck };
  /** Stores a provider's key in a file that the configuration refers to, and applies it at once. `keyPlace` is that file. */
  "setup.key": { params: { readonly provider: string; readonly key: string }; result: { readonly keyPlace: string } };
  /**
   * Removes a provider's key from the configuration, with the file that `setup.key` made for it, and applies it at once. `keyPlace` is where it was. Rejects with
   * `invalid-request` without a key of its own, also if the environment has one.
   */
  "setup.forgetKey": { params: { readonly provider: string }; result: { readonly keyPlace: string } };
  /** Sets `provider/model` as the model of the default agent. */
  "setup.model": { params: { readonly model: string }; result: { readonly model: string } };
  /** Sets the default agent's name in its IDENTITY.md. */
  "setup.name": { params: { readonly name: string }; result: { readonly name: string } };
  /** Sets when the default agent wakes itself up. */
  "setup.heartbeat": { params: { readonly heartbeat: SetupHeartbeat }; result: { readonly heartbeat: SetupHeartbeat } };
}

const provider = z.string().min(1).max(100);
const heartbeat = z.enum(["off", "day", "always"]);
const secret = z.string().min(1).max(10_000);

/** Rows of the setup methods. */
export const SETUP_METHODS: MethodTable<SetupMethods> = defineMethods<SetupMethods>()({
  "setup.state": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => SetupStateSchema,
  },
  "setup.check": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ provider, key: secret.optional(), model: key.optional() }),
    result: () => SetupCheckSchema,
  },
  "setup.key": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ provider, key: secret }),
    result: () => z.strictObject({ keyPlace: z.string() }),
  },
  "setup.forgetKey": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ provider }),
    result: () => z.strictObject({ keyPlace: z.string() }),
  },
  "setup.model": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ model: key }),
    result: () => z.strictObject({ model: z.string() }),
  },
  "setup.name": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ name: z.string().min(1).max(80) }),
    result: () => z.strictObject({ name: z.string() }),
  },
  "setup.heartbeat": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ heartbeat }),
    result: () => z.strictObject({ heartbeat }),
  },
});
