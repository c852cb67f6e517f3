/** Plain data: everything that passes between the gateway and a plugin. */
export type PluginJson = string | number | boolean | null | readonly PluginJson[] | PluginObject;

/** An object of plain data. */
export interface PluginObject {
  readonly [key: string]: PluginJson | undefined;
}
