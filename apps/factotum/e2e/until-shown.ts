/** Resolves with the messages of the bot once `condition` is true for them. */
export async function untilShown<Message>(
  platform: { readonly sent: readonly Message[]; watch(listener: () => void): void },
  condition: (sent: readonly Message[]) => boolean,
): Promise<readonly Message[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    if (condition(platform.sent)) resolve();
  };
  platform.watch(check);
  check();
  await promise;
  return platform.sent;
}
