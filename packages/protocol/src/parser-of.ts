import type * as z from "zod";

/** A type as a schema and a declaration write it alike: `readonly` does not count, nor `undefined` as the value of a key that may be missing. */
type Shape<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? readonly Shape<Item>[]
    : T extends object
      ? {
          readonly [Key in keyof T]-?: Pick<T, never> extends Pick<T, Key>
            ? { readonly optional: Shape<Exclude<T[Key], undefined>> }
            : Shape<T[Key]>;
        }
      : T;

/** Every value when the two types have the same shape; otherwise a type that nothing has, named after what is wrong. */
export type SameShape<Parsed, Declared> = [Shape<Parsed>] extends [Shape<Declared>]
  ? [Shape<Declared>] extends [Shape<Parsed>]
    ? unknown
    : { readonly "the declaration has what the schema does not parse": never }
  : { readonly "the schema parses what the declaration does not have": never };

/** A schema for each name, with the declared types of what they parse. */
export type Parsers<Declared> = { readonly [Name in keyof Declared]: z.ZodType<Declared[Name]> };

/** The same check for a table of schemas. */
export function parsersOf<Declared>(): <Schemas extends { readonly [Name in keyof Declared]: z.ZodType }>(
  schemas: Schemas & { readonly [Name in keyof Declared]: SameShape<z.output<Schemas[Name]>, Declared[Name]> },
) => Parsers<Declared> {
  return (schemas) => schemas as unknown as Parsers<Declared>;
}

/**
 * Gives a schema the declared type of what it parses. Does not compile when a key, a value or whether a key may be missing differs: the declaration is
 * what people read, the schema is what runs.
 */
export function parserOf<Declared>(): <Schema extends z.ZodType>(
  schema: Schema & SameShape<z.output<Schema>, Declared>,
) => z.ZodType<Declared> {
  return (schema) => schema as unknown as z.ZodType<Declared>;
}
