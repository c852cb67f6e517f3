import * as z from "zod";

/** Normalises a type for the comparison of a schema with its declaration: `readonly` is ignored, and so is `undefined` as the value of an optional key. */
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

/** Every value if the two types have the same shape; otherwise a type without values, named after the difference. */
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
 * A parser with the declared type of what it parses. Does not compile if a key, a value or its optionality differs: people read the declaration, the schema
 * runs. The schema is created at the first parse, because a start and a page use few of them.
 */
export function parserOf<Declared>(): <Schema extends z.ZodType>(
  create: () => Schema & SameShape<z.output<Schema>, Declared>,
) => z.ZodType<Declared> {
  return (create) => z.lazy(create) as unknown as z.ZodType<Declared>;
}
