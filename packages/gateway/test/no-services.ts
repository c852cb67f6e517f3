import { RpcError, type AdminServices } from "../src/index.ts";

const refused = (message: string) => async (): Promise<never> => Promise.reject(new RpcError("invalid-request", message));
const noFile = refused("no files in this test");

/** The services of tests, which have no product: they are empty, and refuse every change. */
export const NO_SERVICES: AdminServices = {
  access: { read: noFile, allow: noFile, remove: noFile, setPolicy: noFile },
  agents: { add: noFile, update: noFile, remove: noFile, bind: noFile, unbind: noFile },
  channels: { list: async () => [], form: noFile, save: noFile, remove: noFile },
  config: { schema: async () => ({}), view: noFile, patch: noFile },
  files: {
    list: noFile,
    read: noFile,
    write: noFile,
    versions: noFile,
    version: noFile,
    restore: noFile,
    add: noFile,
    remove: noFile,
  },
  log: { tail: async () => ({ lines: [], cursor: "0:0" }) },
  plugins: { list: async () => ({ packages: [] }), install: noFile, update: noFile, remove: noFile, enable: noFile, disable: noFile },
  servers: { list: noFile, test: noFile },
  setup: {
    state: refused("no setup in this test"),
    check: async () => ({ type: "failed", message: "no providers in this test", models: [] }),
    models: refused("no models in this test"),
    storeKey: refused("no keys in this test"),
    forgetKey: refused("no keys in this test"),
    chooseModel: refused("no models in this test"),
    nameAssistant: refused("no names in this test"),
    setHeartbeat: refused("no heartbeats in this test"),
  },
  skills: { list: noFile, show: noFile, enable: noFile, disable: noFile, install: noFile, remove: noFile },
};
