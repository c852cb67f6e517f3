/** True for a name that npm takes: it is one folder of `node_modules`, or two with a scope, and shows as it is written. */
export function isPackageName(name: string): boolean {
  return name.length <= 214 && /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(name);
}
