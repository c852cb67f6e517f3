import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import type { Measurements } from "../report/figures.ts";
import type { Provider } from "../sides/provider.ts";
import type { Side } from "../sides/side.ts";
import { TurnClient } from "../sides/turn-client.ts";

/** The size of the provider's first request for `hello` in a new session. */
export async function measureHello(side: Side, provider: Provider): Promise<Measurements> {
  using client = new TurnClient(side);
  await provider.take();
  await client.turn("hello", "hello");
  const { firstBody } = await provider.take();
  return {
    hello: { value: Buffer.byteLength(firstBody) },
    helloTokens: { value: new Tiktoken(o200k).encode(firstBody).length },
  };
}
