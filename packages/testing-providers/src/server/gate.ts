/** A gate that starts closed: waiters for `opened` continue after `open()`. Idempotent. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** A closed {@link Gate}. */
export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
