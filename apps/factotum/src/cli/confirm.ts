import { createInterface } from "node:readline";

/** Asks a person at a terminal. Only yes counts as yes: another word, the end of the input, an interrupt and an ended command mean no. */
export async function confirm(
  question: string,
  {
    input,
    output,
    signal,
  }: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream; readonly signal: AbortSignal },
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const refuse = (): void => resolve(false);
  const terminal = createInterface({ input, output });
  terminal.once("close", refuse).once("SIGINT", refuse);
  signal.addEventListener("abort", refuse, { once: true });
  if (signal.aborted) refuse();
  terminal.question(`${question} [y/N] `, (answer) => resolve(/^\s*y(?:es)?\s*$/i.test(answer)));
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", refuse);
    terminal.close();
  }
}
