import * as z from "zod";
import { APPROVAL_DECISIONS, ApprovalSchema, type Approval, type ApprovalDecision } from "../shapes/approvals.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { empty } from "./params.ts";

/** Methods of tool calls that need the owner's decision. */
export interface ApprovalMethods {
  /** Calls that wait, and decisions that hold for later calls; each oldest first. */
  "approvals.list": {
    params: Record<string, never>;
    result: { readonly waiting: readonly Approval[]; readonly grants: readonly Approval[] };
  };
  /** Decides on a call that waits. Rejects with `not-found` if there is none with this id, or if it has expired. */
  "approvals.decide": {
    params: { readonly id: string; readonly decision: ApprovalDecision };
    result: { readonly approval: Approval };
  };
  /** Takes back a decision that holds for later calls; false if there is none. */
  "approvals.revoke": { params: { readonly id: string }; result: { readonly revoked: boolean } };
}

const id = z.string().min(1).max(40);

/** Rows of the approval methods. */
export const APPROVAL_METHODS: MethodTable<ApprovalMethods> = defineMethods<ApprovalMethods>()({
  "approvals.list": {
    access: "owner",
    stores: false,
    params: () => empty,
    result: () => z.strictObject({ waiting: z.array(ApprovalSchema), grants: z.array(ApprovalSchema) }),
  },
  "approvals.decide": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ id, decision: z.enum(APPROVAL_DECISIONS) }),
    result: () => z.strictObject({ approval: ApprovalSchema }),
  },
  "approvals.revoke": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ id }),
    result: () => z.strictObject({ revoked: z.boolean() }),
  },
});
