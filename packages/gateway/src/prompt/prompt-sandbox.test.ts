import type { SandboxConfig } from "@factotum/config";
import { expect, test } from "vitest";
import { promptSandbox } from "./prompt-sandbox.ts";

const CONFIG: SandboxConfig = {
  mode: "non-main",
  scope: "session",
  workspaceAccess: "none",
  sessionToolsVisibility: "spawned",
  backend: "auto",
  image: "i",
  network: "none",
};

test.each<[SandboxConfig["mode"], { readonly isGroup: boolean; readonly workspace: string | undefined }, string | undefined]>([
  ["non-main", { isGroup: false, workspace: "/w" }, undefined],
  ["non-main", { isGroup: false, workspace: undefined }, "non-owner"],
  ["non-main", { isGroup: true, workspace: undefined }, "all"],
  ["all", { isGroup: false, workspace: "/w" }, "all"],
  ["all", { isGroup: false, workspace: undefined }, "all"],
  ["off", { isGroup: true, workspace: undefined }, undefined],
  ["off", { isGroup: false, workspace: "/w" }, undefined],
])("in mode %s, %j, the prompt speaks of the turns of %s", (mode, session, turns) => {
  expect(promptSandbox({ ...CONFIG, mode }, { ...session, elevated: "off" })?.turns).toBe(turns);
});

test("names the workspace in private sessions only, and the backend if one is configured", () => {
  const mode = "all";
  expect(promptSandbox({ ...CONFIG, mode }, { isGroup: false, workspace: "/w", elevated: "ask" })).toEqual({
    turns: "all",
    backend: "a sandbox of this machine",
    folder: "/w",
    workspaceAccess: "none",
    network: "none",
    elevated: "ask",
  });
  expect(
    promptSandbox({ ...CONFIG, mode, backend: "podman", workspaceAccess: "ro" }, { isGroup: true, workspace: undefined, elevated: "off" }),
  ).toMatchObject({
    backend: "podman",
    folder: "the session's workspace",
    workspaceAccess: "ro",
  });
});

test("names the hosts that commands reach, and that they need approval", () => {
  const network = { allow: ["a.example", "*.b.example"] };
  expect(promptSandbox({ ...CONFIG, network }, { isGroup: true, workspace: undefined, elevated: "off" })?.network).toBe(
    "a.example, *.b.example, through the proxy of HTTP_PROXY; commands need approval",
  );
});
