import type { Product } from "@factotum/testing-product";
import { RpcClient } from "../src/rpc/rpc-client.ts";

/** Denies every tool call that waits for the owner's decision, until it is disposed or the product ends. */
export async function denyApprovals({ url, token }: Pick<Product, "url" | "token">): Promise<Disposable> {
  const client = await RpcClient.connect({ url, token, version: "0" });
  const deny = async (): Promise<void> => {
    const { waiting } = await client.request("approvals.list", {});
    for (const { id } of waiting) await client.request("approvals.decide", { id, decision: "deny" });
  };
  // Another denial, or the end of the product, may be faster.
  const denyNow = (): void => void deny().catch(() => undefined);
  client.follow((...[event]) => {
    if (event === "approvals-change") denyNow();
  });
  denyNow();
  return client;
}
