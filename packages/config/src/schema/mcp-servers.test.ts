import { expect, test } from "vitest";
import { McpServerSchema } from "./mcp-servers.ts";

test.each([{ command: "notes" }, { url: "https://notes.example/mcp" }])(
  "only a trusted server may have the model write for it: %o",
  (server) => {
    expect(McpServerSchema.parse(server).sampling).toBe(false);
    expect(McpServerSchema.parse({ ...server, trusted: true, sampling: true }).sampling).toBe(true);
    const { error } = McpServerSchema.safeParse({ ...server, sampling: true });
    expect(error?.issues).toMatchObject([
      { path: ["sampling"], message: "only a trusted server may have it; set trusted too, or remove it" },
    ]);
  },
);
