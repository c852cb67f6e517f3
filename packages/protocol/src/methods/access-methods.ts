import * as z from "zod";
import { AccountAccessSchema, type AccessRole, type AccountAccess, type DmPolicy, type GroupPolicy } from "../shapes/access.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** An account of a channel; `accountId` is `default` if omitted. */
interface AccountParams {
  readonly channel: string;
  readonly accountId?: string;
}

/**
 * Methods of who may write to an account, by the configuration. Each resolves with what holds afterwards. They reject with `not-found` for an account that is not
 * configured, and with `invalid-request` for an id that matches no one there; then nothing was changed.
 */
export interface AccessMethods {
  "access.list": { params: AccountParams; result: AccountAccess };
  /** Admits a person or a group. An owner of the account `default` is the owner on all accounts whose ids are the platform's. */
  "access.allow": { params: AccountParams & { readonly id: string; readonly as: AccessRole }; result: AccountAccess };
  /** Takes an entry back. People who were admitted by a code stay so until `pairing.revoke`. */
  "access.remove": { params: AccountParams & { readonly id: string; readonly as: AccessRole }; result: AccountAccess };
  /** Sets who may write at all. `open` for direct messages also needs the entry `*`, which it adds. */
  "access.policy": {
    params: AccountParams & { readonly dmPolicy?: DmPolicy; readonly groupPolicy?: GroupPolicy };
    result: AccountAccess;
  };
}

const account = { channel: key, accountId: key.optional() };
const entry = { ...account, id: key, as: z.enum(["guest", "owner", "group"]) };

/** Rows of the methods. */
export const ACCESS_METHODS: MethodTable<AccessMethods> = defineMethods<AccessMethods>()({
  "access.list": { access: "owner", stores: false, params: () => z.strictObject(account), result: () => AccountAccessSchema },
  "access.allow": { access: "owner", stores: true, params: () => z.strictObject(entry), result: () => AccountAccessSchema },
  "access.remove": { access: "owner", stores: true, params: () => z.strictObject(entry), result: () => AccountAccessSchema },
  "access.policy": {
    access: "owner",
    stores: true,
    params: () =>
      z.strictObject({
        ...account,
        dmPolicy: z.enum(["pairing", "allowlist", "open", "disabled"]).optional(),
        groupPolicy: z.enum(["allowlist", "open", "disabled"]).optional(),
      }),
    result: () => AccountAccessSchema,
  },
});
