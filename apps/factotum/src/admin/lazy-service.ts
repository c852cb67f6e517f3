/**
 * Something that clients may ask for, and most gateways never are: loaded at its first call, once. A start loads as little as it can. Every function of it must
 * be asynchronous, and rejects with what loading rejects with.
 */
export function lazyService<Service extends { readonly [Name in keyof Service]: (...given: never[]) => Promise<unknown> }>(
  load: () => Promise<Service>,
): Service {
  let loading: Promise<Service> | undefined;
  return new Proxy({} as Service, {
    get:
      (_, name) =>
      async (...given: readonly unknown[]): Promise<unknown> => {
        const service = await (loading ??= load());
        const method: unknown = Reflect.get(service, name);
        if (typeof method !== "function") throw new TypeError(`There is no function ${String(name)}.`);
        return Reflect.apply(method, service, given) as unknown;
      },
  });
}
