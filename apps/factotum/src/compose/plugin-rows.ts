import type { PluginJson } from "@factotum/plugin";
import type { PluginRows } from "@factotum/plugin-host";
import type { Store } from "@factotum/store";

type RowStore = Pick<Store, "commitProgress" | "readAccountState" | "listAccountState">;

/** No channel has this name. */
const CHANNEL = "@plugins";

/** The row of each plugin that has rows. */
const INDEX = { channel: CHANNEL, accountId: "@index" };

/** The state of plugins: rows of the store, apart from those of channels. */
export function pluginRows(store: RowStore, id: string): PluginRows {
  const account = { channel: CHANNEL, accountId: id };
  return {
    get: async (key) => {
      const found = await store.readAccountState(account, key);
      return found?.type === "json" ? (found.json as PluginJson) : undefined;
    },
    keys: async (prefix) => (await store.listAccountState(account, prefix)).map(({ key }) => key),
    set: async (key, value) => {
      if ((await store.readAccountState(INDEX, id)) === undefined)
        await store.commitProgress(INDEX, { state: [{ type: "set", key: id, value: { type: "json", json: true } }] });
      await store.commitProgress(account, { state: [{ type: "set", key, value: { type: "json", json: value } }] });
    },
    delete: async (key) => store.commitProgress(account, { state: [{ type: "delete", key }] }),
  };
}

/** Removes the rows of all plugins but these. Resolves with the ids of the others. */
export async function keepRowsOf(store: RowStore, ids: ReadonlySet<string>): Promise<readonly string[]> {
  const gone = (await store.listAccountState(INDEX, "")).map(({ key }) => key).filter((id) => !ids.has(id));
  for (const id of gone) {
    const account = { channel: CHANNEL, accountId: id };
    const rows = await store.listAccountState(account, "");
    await store.commitProgress(account, { state: rows.map(({ key }) => ({ type: "delete", key })) });
    await store.commitProgress(INDEX, { state: [{ type: "delete", key: id }] });
  }
  return gone;
}
