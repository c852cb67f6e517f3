import { storeContract } from "../../contract/store-contract.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";

storeContract("SQLite store", createSqliteFixture);
