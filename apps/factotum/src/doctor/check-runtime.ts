import { isSafeSqlite } from "@factotum/store";
import { isSupportedNode, OLDEST_NODE } from "../runtime/node-version.ts";
import { ok, type Finding } from "./finding.ts";

/** Node and the SQLite in it. */
export function checkRuntime({ node, sqlite }: { readonly node: string; readonly sqlite: string }): Finding[] {
  return [
    isSupportedNode(node)
      ? ok("node", `Node ${node}`)
      : { check: "node", level: "error", message: `Node ${node} is too old.`, fix: `Install Node ${OLDEST_NODE} or newer.` },
    isSafeSqlite(sqlite)
      ? ok("sqlite", `SQLite ${sqlite}`)
      : {
          check: "sqlite",
          level: "error",
          message: `SQLite ${sqlite}, which is built into this Node, can damage a database.`,
          fix: "Install a Node with SQLite 3.51.3 or newer (Node 24.16 has one).",
        },
  ];
}
