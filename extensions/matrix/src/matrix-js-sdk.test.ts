import { foreignClientTests } from "../test/foreign-client.ts";
import { startFake } from "../test/homeservers.ts";

// The client that others wrote reads what the fake homeserver gives, and so is a check of both.
foreignClientTests("the client of matrix-js-sdk on the fake homeserver", startFake);
