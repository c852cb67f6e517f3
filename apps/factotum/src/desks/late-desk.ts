/**
 * Something that clients may ask for, and most gateways never are: loaded at its first call, once. A start loads as little as it can. Every function of it must
 * be asynchronous, and rejects with what loading rejects with.
 */
export function lateDesk<Desk extends { readonly [Name in keyof Desk]: (...given: never[]) => Promise<unknown> }>(
  load: () => Promise<Desk>,
): Desk {
  let loading: Promise<Desk> | undefined;
  return new Proxy({} as Desk, {
    get:
      (_, name) =>
      async (...given: readonly unknown[]): Promise<unknown> => {
        const desk = await (loading ??= load());
        const method: unknown = Reflect.get(desk, name);
        if (typeof method !== "function") throw new TypeError(`There is no function ${String(name)}.`);
        return Reflect.apply(method, desk, given) as unknown;
      },
  });
}
