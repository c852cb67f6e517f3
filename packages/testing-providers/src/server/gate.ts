/** A door that starts shut: whoever waits for `opened` goes on after `open()`. Opening twice is harmless. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** A shut {@link Gate}. */
export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
