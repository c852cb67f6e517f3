export { productEntry, runCommand, startProduct } from "./start-product.ts";
export type { CommandOutcome, Product, ProductOptions } from "./start-product.ts";
