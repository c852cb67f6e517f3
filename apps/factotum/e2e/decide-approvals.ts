import type { Approval, ApprovalDecision } from "@factotum/protocol";
import type { Product } from "@factotum/testing-product";
import { RpcClient } from "../src/rpc/rpc-client.ts";

/** Decides on every tool call that waits for the owner, until it is disposed or the product ends; by default it denies them. */
export async function decideApprovals(
  { url, token }: Pick<Product, "url" | "token">,
  decision: (call: Approval) => ApprovalDecision = () => "deny",
): Promise<Disposable> {
  const client = await RpcClient.connect({ url, token, version: "0" });
  const deny = async (): Promise<void> => {
    const { waiting } = await client.request("approvals.list", {});
    for (const call of waiting) await client.request("approvals.decide", { id: call.id, decision: decision(call) });
  };
  // Another denial, or the end of the product, may be faster.
  const denyNow = (): void => void deny().catch(() => undefined);
  client.follow((...[event]) => {
    if (event === "approvals-change") denyNow();
  });
  denyNow();
  return client;
}
