export { canMountFailingDisk, mountFailingDisk } from "./failing-disk.ts";
export type { FailingDisk } from "./failing-disk.ts";
export { ProductEndedError, productEntry, runCommand, startProduct } from "./start-product.ts";
export type { CommandOutcome, Product, ProductEnd, ProductOptions } from "./start-product.ts";
export { noonZone } from "./noon-zone.ts";
export { canMountDisk, mountSmallDisk } from "./small-disk.ts";
export type { SmallDisk } from "./small-disk.ts";
export { freePort, hasWebServer, startWebServer } from "./start-web-server.ts";
export type { WebServer, WebServerOptions } from "./start-web-server.ts";
