import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** Who may send direct messages: see `channels.<id>.dmPolicy`. */
export type DmPolicy = "pairing" | "allowlist" | "open" | "disabled";

/** In which groups an account answers: see `channels.<id>.groupPolicy`. */
export type GroupPolicy = "allowlist" | "open" | "disabled";

/** How a person or a group is admitted. */
export type AccessRole = "guest" | "owner" | "group";

/** Who may write to one account, by the configuration. People who were admitted by a code are in `pairing.list`. */
export interface AccountAccess {
  readonly dmPolicy: DmPolicy;
  readonly groupPolicy: GroupPolicy;
  /** Ids of people; `*` is everybody. */
  readonly allowFrom: readonly string[];
  /** Ids of groups; `*` stands for every other one. */
  readonly groups: readonly string[];
  /** Ids of owners there. */
  readonly owners: readonly string[];
  /** The form of a person's id and of a group's, in words, as far as they are known. */
  readonly forms: { readonly people?: string; readonly groups?: string };
}

/** Parses who may write to an account. */
export const AccountAccessSchema: z.ZodType<AccountAccess> = parserOf<AccountAccess>()(() =>
  z.strictObject({
    dmPolicy: z.enum(["pairing", "allowlist", "open", "disabled"]),
    groupPolicy: z.enum(["allowlist", "open", "disabled"]),
    allowFrom: z.array(z.string()),
    groups: z.array(z.string()),
    owners: z.array(z.string()),
    forms: z.strictObject({ people: z.string().optional(), groups: z.string().optional() }),
  }),
);
