import { expect, test } from "vitest";
import { isLoopbackUrl } from "./loopback-url.ts";

test.each([
  "http://localhost:3000",
  "https://heed.localhost",
  "http://127.0.0.1",
  "http://127.8.9.1:80",
  "http://[::1]:3000",
])("%s works on this computer only", (url) => expect(isLoopbackUrl(url)).toBe(true));

test.each([
  "https://heed.example.org",
  "https://localhost.example.org",
  "http://192.168.1.7:3000",
  "http://notlocalhost",
])("%s works elsewhere", (url) => expect(isLoopbackUrl(url)).toBe(false));
