import { expect, test } from "vitest";
import { providerBaseUrl } from "../providers.ts";
import { ollamaAddress } from "./ollama-address.ts";

test.each([
  [undefined, "http://127.0.0.1:11434"],
  ["", "http://127.0.0.1:11434"],
  ["0.0.0.0", "http://127.0.0.1:11434"],
  ["0.0.0.0:8000", "http://127.0.0.1:8000"],
  [":8000", "http://127.0.0.1:8000"],
  ["gpu-box", "http://gpu-box:11434"],
  ["gpu-box:9000", "http://gpu-box:9000"],
  ["gpu-box:9000/", "http://gpu-box:9000"],
  ["'gpu-box'", "http://gpu-box:11434"],
  ["10.0.0.7", "http://10.0.0.7:11434"],
  ["::1", "http://[::1]:11434"],
  ["::", "http://[::1]:11434"],
  ["fd00::7", "http://[fd00::7]:11434"],
  ["[::1]:8000", "http://[::1]:8000"],
  ["http://0.0.0.0:8000", "http://127.0.0.1:8000"],
  ["http://gpu-box", "http://gpu-box"],
  ["http://gpu-box:9000/ollama/", "http://gpu-box:9000/ollama"],
  ["http://gpu-box:9000/v1", "http://gpu-box:9000"],
  ["gpu-box:9000/ollama/v1/", "http://gpu-box:9000/ollama"],
  ["http://v1:9000", "http://v1:9000"],
  ["ftp://gpu-box", "http://127.0.0.1:11434"],
  ["gpu-box/ollama", "http://gpu-box:11434/ollama"],
  ["https://ollama.example/", "https://ollama.example"],
  ["HTTPS://ollama.example", "https://ollama.example"],
  ["::not an address::", "http://127.0.0.1:11434"],
])("OLLAMA_HOST %s means %s", (host, address) => {
  expect(ollamaAddress(host)).toBe(address);
  expect(providerBaseUrl("ollama", { OLLAMA_HOST: host })).toBe(`${address}/v1`);
});
