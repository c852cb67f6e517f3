import type { RpcMethods } from "@factotum/protocol";

/** An agent as lists show it. */
export type Agent = RpcMethods["agents.list"]["result"]["agents"][number];
