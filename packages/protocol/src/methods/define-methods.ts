import * as z from "zod";
import type { SameShape } from "../parser-of.ts";

/** Who may call a method: `owner` is the holder of the gateway's token. */
export type RpcAccess = "owner";

/** Parameters and result of a method. */
interface MethodTypes {
  readonly params: unknown;
  readonly result: unknown;
}

/** A row as written: its schemas are created at their first parse. */
interface WrittenRow {
  readonly access: RpcAccess;
  readonly stores: boolean;
  readonly params: () => z.ZodType;
  readonly result: () => z.ZodType;
}

/** A row: who may call the method, whether it is rejected while the store is not writable, and the parsers of its parameters and its result. */
interface MethodRow<Types extends MethodTypes = MethodTypes> {
  readonly access: RpcAccess;
  readonly stores: boolean;
  readonly params: z.ZodType<Types["params"]>;
  readonly result: z.ZodType<Types["result"]>;
}

/** A row for each declared method. */
export type MethodTable<Methods extends { readonly [Method in keyof Methods]: MethodTypes }> = {
  readonly [Method in keyof Methods]: MethodRow<Methods[Method]>;
};

/** The type that the compiler checks rows against. A declared method without a row is one missing property, without errors at other rows. */
type Checked<Methods extends { readonly [Method in keyof Methods]: MethodTypes }, Rows extends Readonly<Record<string, WrittenRow>>> = {
  readonly [Method in keyof Methods]: Method extends keyof Rows
    ? {
        readonly params: SameShape<z.output<ReturnType<Rows[Method]["params"]>>, Methods[Method]["params"]>;
        readonly result: SameShape<z.output<ReturnType<Rows[Method]["result"]>>, Methods[Method]["result"]>;
      }
    : WrittenRow;
} & {
  readonly [Method in Exclude<keyof Rows, keyof Methods>]: { readonly "no method of this name is declared": never };
};

/**
 * Creates the rows of declared methods. Does not compile if a method has no row or no declaration, or if its parameters or result differ from the declared
 * ones.
 */
export function defineMethods<Methods extends { readonly [Method in keyof Methods]: MethodTypes }>(): <
  Rows extends Readonly<Record<string, WrittenRow>>,
>(
  rows: Rows & Checked<Methods, Rows>,
) => MethodTable<Methods> {
  return (rows) => {
    const created = Object.entries<WrittenRow>(rows).map(([method, { access, stores, params, result }]) => {
      const row: MethodRow = { access, stores, params: z.lazy(params), result: z.lazy(result) };
      return [method, row] as const;
    });
    return Object.fromEntries(created) as unknown as MethodTable<Methods>;
  };
}
