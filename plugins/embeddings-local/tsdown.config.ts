import { definePackage } from "../../tsdown.base.ts";

// The contract is bundled, so that the package needs nothing of this repository; the model stays the package that it is.
export default definePackage({
  deps: { alwaysBundle: [/^@factotum\//] },
  inputOptions: { resolve: { conditionNames: ["factotum-source", "import", "module", "node", "default"] } },
});
