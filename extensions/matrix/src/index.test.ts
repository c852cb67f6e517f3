import { join } from "node:path";
import { loadedModules } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createMatrixChannel, MatrixConfigSchema, matrixExtension } from "./index.ts";

const INDEX = join(import.meta.dirname, "index.ts");
const CONFIG = { homeserver: "https://matrix.example.org", userId: "@factotum:example.org", accessToken: "syt_x" };

test("the extension exports its schema and its constructor", () => {
  expect(matrixExtension).toEqual({ id: "matrix", api: 1, configSchema: MatrixConfigSchema, create: createMatrixChannel });
});

test("an account names a homeserver by its address and a user with its server", () => {
  expect(MatrixConfigSchema.safeParse(CONFIG).success).toBe(true);
  for (const wrong of [
    { homeserver: "matrix.example.org" },
    { homeserver: "ftp://example.org" },
    { userId: "factotum" },
    { userId: "@factotum" },
    { accessToken: "" },
  ])
    expect(MatrixConfigSchema.safeParse({ ...CONFIG, ...wrong }).error?.issues).toMatchObject([{ path: Object.keys(wrong) }]);
});

test("importing the package and creating a channel does not load the SDK", () => {
  const loaded = loadedModules(
    INDEX,
    `extension.createMatrixChannel(${JSON.stringify(CONFIG)}, { accountId: "a", clock: { monotonic: () => 0 } });`,
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => url.includes("matrix-js-sdk"))).toEqual([]);
});

test("the SDK's requests load neither encryption nor calls", () => {
  const loaded = loadedModules(join(import.meta.dirname, "api/load-sdk.ts"), "await extension.loadSdk();");
  expect(loaded.filter((url) => url.includes("matrix-js-sdk")).length).toBeGreaterThan(5);
  expect(loaded.filter((url) => /crypto-wasm|rust-crypto|webrtc|\.wasm/.test(url))).toEqual([]);
});
