export { ProductEndedError, productEntry, runCommand, startProduct } from "./start-product.ts";
export type { CommandOutcome, Product, ProductEnd, ProductOptions } from "./start-product.ts";
